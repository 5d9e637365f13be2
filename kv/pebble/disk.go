// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble/internal/guard"
)

// diskMonitor turns the store read-only while the disk is nearly full, and back. It looks in intervals, and sooner
// after many bytes.
type diskMonitor struct {
	store     *Store
	watermark int64        // Options.ReadOnlyBelowBytes; 0 = default, negative = off
	readOnly  atomic.Bool  // free space is below the watermark: no writes
	frozen    atomic.Bool  // and below an eighth of it: no deletions either, because they need space in the log
	denied    atomic.Bool  // a write found no space, whatever the file system says of it: there may be a quota
	free      atomic.Int64 // bytes at the last look, -1 = unknown
	unlooked  atomic.Int64 // bytes written since
	nudge     chan struct{}
	stop      chan struct{}
	stopped   chan struct{}
}

// The file by which a store that found no space tries again.
const (
	probeName  = "weft-probe"
	probeBytes = 1 << 20
)

// defaultWatermark is the default of Options.ReadOnlyBelowBytes, or a tenth of the disk if that is less.
const defaultWatermark = 512 << 20

func newDiskMonitor(s *Store) *diskMonitor {
	d := &diskMonitor{store: s, watermark: s.options.ReadOnlyBelowBytes,
		nudge: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{})}
	d.free.Store(-1)
	d.look()
	go d.run()
	return d
}

func (d *diskMonitor) run() {
	defer close(d.stopped)
	ticker := time.NewTicker(d.store.options.DiskCheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-d.nudge:
		case <-d.stop:
			return
		}
		d.look()
	}
}

// end stops the monitor.
func (d *diskMonitor) end() {
	close(d.stop)
	<-d.stopped
}

// look compares the free space with the watermark. Writes are allowed again only a little above it, so that the state
// doesn't flutter.
func (d *diskMonitor) look() {
	d.unlooked.Store(0)
	if d.store.options.ReadOnly {
		d.readOnly.Store(true)
		d.frozen.Store(true)
		return
	}
	if d.denied.Load() && !d.mayFit() {
		d.frozen.Store(true)
		d.full()
		return
	}
	if d.watermark < 0 && !d.readOnly.Load() {
		return
	}
	usage, err := d.store.options.FS.GetDiskUsage(d.store.options.Dir)
	if err != nil { // unknown: whether there is space must be tried
		d.readOnly.Store(false)
		d.frozen.Store(false)
		return
	}
	free, mark := int64(usage.AvailBytes), d.watermark
	d.free.Store(free)
	switch {
	case mark == 0:
		mark = min(defaultWatermark, int64(usage.TotalBytes/10))
	case mark < 0: // the disk was full: wait for a little space
		mark = int64(d.store.options.MemTableBytes)
	}
	d.set(free, mark)
}

func (d *diskMonitor) set(free, mark int64) {
	d.frozen.Store(free < mark/8)
	switch was := d.readOnly.Load(); {
	case !was && free < mark:
		d.readOnly.Store(true)
		d.store.options.Logger.Error("the disk is nearly full: the store is read-only until there is space",
			"freeBytes", free, "neededBytes", mark)
	case was && free >= mark+mark/8:
		d.readOnly.Store(false)
		d.store.options.Logger.Info("disk space is available again: the store accepts writes", "freeBytes", free)
	}
}

// mayFit tries whether there is space again, since a write found none.
func (d *diskMonitor) mayFit() bool {
	s := d.store
	if s.failure.Failed() {
		return true // no file changes any more
	}
	if s.guard.IsHungry() {
		return false // it tries by itself
	}
	name := s.options.FS.PathJoin(s.options.Dir, probeName)
	err := writeFile(s.options.FS, name, make([]byte, probeBytes))
	_ = s.options.FS.Remove(name) // it may not be there
	if guard.IsFull(err) {
		return false
	}
	d.denied.Store(false)
	return true
}

// full is called when a write found no space.
func (d *diskMonitor) full() {
	d.denied.Store(true)
	if !d.readOnly.Swap(true) {
		d.store.options.Logger.Error("the disk is full: the store is read-only until there is space")
	}
}

func (d *diskMonitor) wake() {
	select {
	case d.nudge <- struct{}{}:
	default:
	}
}

// wrote counts what was written and looks again after a sixteenth of the watermark.
func (d *diskMonitor) wrote(bytes int) {
	mark := d.watermark
	if mark == 0 {
		mark = defaultWatermark
	}
	if mark > 0 && d.unlooked.Add(int64(bytes)) > mark/16 {
		d.wake()
	}
}

// mayWrite refuses writes while the store is read-only.
func (d *diskMonitor) mayWrite() error {
	if d.store.options.ReadOnly {
		return fmt.Errorf("%w: it was opened to be read only", kv.ErrReadOnly)
	}
	if d.denied.Load() {
		return fmt.Errorf("%w: a file could not be written for want of space, on the disk or in a quota; "+
			"free some space, then writes go on by themselves", kv.ErrReadOnly)
	}
	if d.readOnly.Load() {
		return fmt.Errorf("%w: the disk has only %d bytes free; free some space, then writes go on by themselves",
			kv.ErrReadOnly, d.free.Load())
	}
	return nil
}

// mayDelete refuses even deletions, once the log needs the last space.
func (d *diskMonitor) mayDelete() error {
	if d.frozen.Load() {
		return d.mayWrite()
	}
	return nil
}
