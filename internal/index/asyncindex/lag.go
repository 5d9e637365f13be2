// SPDX-License-Identifier: Apache-2.0

package asyncindex

import (
	"context"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/kv"
)

// lagCounted is the number of changes that are counted at most to tell how far indexes are behind.
const lagCounted = 10_000

// Lag is the distance of a table's asynchronous indexes from its newest change.
type Lag struct {
	Changes int           // that they have not followed yet
	More    bool          // there are more than Changes
	Behind  time.Duration // the age of the oldest of them
}

// LagOf tells how far the asynchronous indexes of a table are behind, as a snapshot shows them.
func LagOf(ctx context.Context, from kv.Snapshot, table uint32, nowMS int64) (lag Lag, err error) {
	oldest := nowMS
	err = journal.EachUnfollowed(ctx, from, table, func(_ []byte, ms int64) bool {
		oldest = min(oldest, ms)
		lag.More = lag.Changes == lagCounted
		if !lag.More {
			lag.Changes++
		}
		return !lag.More
	})
	lag.Behind = time.Duration(nowMS-oldest) * time.Millisecond
	return lag, err
}

// String words it.
func (l Lag) String() string {
	switch {
	case l.Changes == 0:
		return "it has followed all changes"
	case l.More:
		return fmt.Sprintf("more than %d changes are waiting, the oldest for %v", l.Changes,
			l.Behind.Round(time.Millisecond))
	}
	return fmt.Sprintf("%d changes are waiting, the oldest for %v", l.Changes, l.Behind.Round(time.Millisecond))
}

// Behind tells rows whose changes the asynchronous indexes of a table have yet to follow, as a snapshot shows them, by
// their keys without the table's prefix.
func Behind(ctx context.Context, from kv.Snapshot, table uint32) (func(row []byte) bool, error) {
	rows := map[string]struct{}{}
	err := journal.EachUnfollowed(ctx, from, table, func(row []byte, _ int64) bool {
		rows[string(row)] = struct{}{}
		return true
	})
	return func(row []byte) bool {
		_, ok := rows[string(row)]
		return ok
	}, err
}
