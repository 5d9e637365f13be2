// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"log/slog"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// events counts what Pebble reports and its own metrics lack.
type events struct {
	writeStalls      atomic.Int64
	backgroundErrors atomic.Int64
	corruptions      atomic.Int64
	manifest         atomic.Bool // one was made
}

// listener makes Pebble report to e. Pebble calls it with locks held, so it must be quick.
func (e *events) listener(logger *slog.Logger, v *versions) *pebble.EventListener {
	return &pebble.EventListener{
		ManifestCreated: func(info pebble.ManifestCreateInfo) {
			if info.Err == nil {
				e.manifest.Store(true)
			}
		},
		WALCreated: func(pebble.WALCreateInfo) { v.begin() }, // each memtable has a log of its own
		FlushEnd:   func(pebble.FlushInfo) { v.flushing.Store(false) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			e.writeStalls.Add(1)
			logger.Warn("writes wait for the disk", "reason", info.Reason)
		},
		BackgroundError: func(err error) {
			e.backgroundErrors.Add(1)
			logger.Error("background work failed; it will be retried", "error", err.Error())
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			e.corruptions.Add(1)
			logger.Error("a file of the store is damaged; restore it from a backup", "path", info.Path, "details",
				info.Details)
		},
	}
}
