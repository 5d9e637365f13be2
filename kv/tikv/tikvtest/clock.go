// SPDX-License-Identifier: Apache-2.0

package tikvtest

import (
	"context"
	"sync"
	"time"

	pd "github.com/tikv/pd/client"
	"github.com/tikv/pd/client/clients/tso"
	"github.com/tikv/pd/client/pkg/caller"
)

// clock is a placement driver whose clock can be ahead of this machine's.
type clock struct {
	pd.Client

	mu    sync.Mutex // no two timestamps are the same, whenever the clock moves
	ahead int64      // milliseconds
}

// Advance puts the cluster's clock forward for good, as if it were faster than those of the gateways, or as after
// another placement driver has become the leader whose own clock is ahead.
func (c *Cluster) Advance(by time.Duration) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	c.clock.ahead += by.Milliseconds()
}

func (c *clock) GetTS(ctx context.Context) (physical, logical int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	physical, logical, err = c.Client.GetTS(ctx)
	return physical + c.ahead, logical, err
}

func (c *clock) GetTSAsync(ctx context.Context) tso.TSFuture { return timestampOf{c, ctx} }

// WithCallerComponent returns the same, since all callers have one clock.
func (c *clock) WithCallerComponent(caller.Component) pd.Client { return c }

// timestampOf is a timestamp that is taken when it is waited for.
type timestampOf struct {
	clock *clock
	ctx   context.Context
}

func (t timestampOf) Wait() (physical, logical int64, err error) { return t.clock.GetTS(t.ctx) }
