// SPDX-License-Identifier: Apache-2.0

// Package recovery brings tables back: from copies that are kept in the store, and to moments since which all their
// changes are kept. It lets whole stores be copied and shipped, too.
//
// Knows: backups of tables, moments, tables that are on their way.
// Never: how copies and changes are stored, protocols.
package recovery

import (
	"context"
	"sync"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/kv"
)

// Options are the parts of a database that a Keeper works with. All are required.
type Options struct {
	Changes *capture.Keeper
	Tasks   *task.Runner
	Jobs    *job.Runner
	Regions *region.Keeper
	// Commit runs fn in a transaction that has the latches of rows.
	Commit func(ctx context.Context, rows [][]byte, fn func(kv.Txn) error) error
}

// Keeper makes, keeps and restores backups of tables. It is safe for concurrent use.
type Keeper struct {
	Options
	// Arrivals whose record may be gone before their table is known, by ids of tasks
	adopted sync.Map
}

// Open takes up the backups and restores that were begun and not ended.
func Open(o Options) *Keeper {
	k := &Keeper{Options: o}
	k.Tasks.Serve(TaskBackup, k.doBackup)
	k.Tasks.Serve(taskRestore, k.doRestore)
	return k
}

func (k *Keeper) nowMS() int64 { return k.Changes.Now().UnixMilli() }
