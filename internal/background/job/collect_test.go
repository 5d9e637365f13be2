// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// collecting is a handle that counts how often old versions are collected, which fails every other time.
type collecting struct {
	*mem.Shared
	collected atomic.Int64
	enough    chan struct{}
}

func (c *collecting) Limits() kv.Limits { return kv.Limits{SnapshotLifetime: 20} }

func (c *collecting) Collect(context.Context) error {
	if n := c.collected.Add(1); n%2 == 0 {
		return errors.New("not now")
	} else if n == 5 {
		close(c.enough)
	}
	return nil
}

// TestCollect opens two gateways over one store: one of them collects, again and again, and when it has gone the other.
func TestCollect(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	var handles [2]*collecting
	var dbs [2]*database.DB
	for i := range dbs {
		handles[i] = &collecting{Shared: store.Share(), enough: make(chan struct{})}
		var err error
		dbs[i], err = database.Open(t.Context(), handles[i], database.Options{
			Logger:  slog.New(slog.DiscardHandler),
			Gateway: database.GatewayOptions{Lease: 200 * time.Millisecond, Poll: 5 * time.Millisecond},
		})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			<-handles[0].enough
		}
	}
	if n := handles[1].collected.Load(); n > 0 {
		t.Errorf("the second gateway collected %d times beside the first", n)
	}
	if err := dbs[0].Close(); err != nil {
		t.Fatal(err)
	}
	last := handles[0].collected.Load()
	<-handles[1].enough
	if err := dbs[1].Close(); err != nil {
		t.Fatal(err)
	}
	if n := handles[0].collected.Load(); n != last {
		t.Error("a closed gateway goes on collecting")
	}
}
