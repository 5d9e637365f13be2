// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv/pebble/internal/guard"
)

// Limits of one transaction. See kv.Limits.
const (
	keyBytesMax   = 64 << 10
	valueBytesMax = 32 << 20
	txnBytesMax   = 64 << 20
)

// Compression says how tables are compressed. Changing it affects tables that are written from then on.
type Compression int

// The compression settings.
const (
	CompressionBalanced Compression = iota // fast in the upper levels, zstd in the lowest
	CompressionFast                        // fast in all levels
	CompressionSmall                       // zstd in the two lowest levels, stronger than balanced
	CompressionNone                        // none
)

// blockBytes is the size of a block: with what the cache adds to it, it fits Go's allocations of 32 KiB. The next
// larger ones have 40.
const blockBytes = 32<<10 - 512

// Options configure Open. Only Dir is required; the zero value of every other field takes the default named with it.
type Options struct {
	Dir                   string      // folder of the store; created if missing. Required.
	Existing              bool        // fail with fs.ErrNotExist if the folder holds no store, rather than make one
	ReadOnly              bool        // nothing is written; implies Existing. Memory holds what the log has
	FS                    vfs.FS      // default: the operating system's
	CacheBytes            int64       // cache of uncompressed blocks; default 64 MiB
	MemTableBytes         int         // one memtable; up to four exist for a moment; default 32 MiB
	Compression           Compression // default CompressionBalanced
	BloomBitsPerKey       int         // bloom filter; default 10; negative = none
	Sought                *Sought     // the keys that bloom filters have; default: all
	Marks                 bool        // Mark works; commits are a little slower for it
	CompactionConcurrency int         // compactions at once; default half of GOMAXPROCS, 1 to 4
	MaxOpenFiles          int         // table files kept open; default 1000
	// free disk space below which writes are refused; default 512 MiB or a tenth of the disk if that is less; negative
	// = off
	ReadOnlyBelowBytes int64
	DiskCheckInterval  time.Duration // between looks at the free disk space; default 500 ms
	CloseTimeout       time.Duration // Close gives up after this; default 10 s
	Logger             *slog.Logger  // default: nothing is logged
	// called once, on its own goroutine, when the store can't go on and the process should end; default: logs
	Fatal func(err error)

	tableRetries int32         // see guard.NewFS; tests only
	hungerMax    time.Duration // see the constant; tests only
}

func (o Options) withDefaults() Options {
	orDefault(&o.FS, vfs.Default)
	o.FS = guard.Private(o.FS)
	if o.ReadOnly {
		o.FS = guard.ReadOnly(o.FS)
	}
	orDefault(&o.CacheBytes, 64<<20)
	orDefault(&o.MemTableBytes, 32<<20)
	orDefault(&o.BloomBitsPerKey, 10)
	orDefault(&o.CompactionConcurrency, min(max(runtime.GOMAXPROCS(0)/2, 1), 4))
	orDefault(&o.MaxOpenFiles, 1000)
	orDefault(&o.DiskCheckInterval, 500*time.Millisecond)
	orDefault(&o.CloseTimeout, 10*time.Second)
	orDefault(&o.hungerMax, hungerMax)
	orDefault(&o.Logger, slog.New(slog.DiscardHandler))
	if o.Fatal == nil {
		o.Fatal = func(error) {}
	}
	return o
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// engineOptions are Pebble's options. Its separation of large values into files of their own stays off. It would pay:
// rewriting items of 100 KB writes 0.6 times the bytes with 0.7 times the CPU, for up to half more disk between
// compactions. But up to v2.1.7 an error in writing such a file, a full disk for one, makes Pebble panic in the
// background (blob.FileWriter.Close aborts what it has finished), and a damaged one makes its reader panic
// (DB.reportCorruption knows no such file). TestFileErrors and TestDamage find both once the option is on. It needs no
// new format, then or now.
func (o *Options) engineOptions(fs vfs.FS, logger pebble.Logger, cache *pebble.Cache) *pebble.Options {
	e := &pebble.Options{
		FS:                          fs,
		ReadOnly:                    o.ReadOnly,
		Logger:                      logger,
		Cache:                       cache,
		FormatMajorVersion:          engineFormat,
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		MaxOpenFiles:                o.MaxOpenFiles,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       1000,
		LBaseMaxBytes:               64 << 20,
		FlushSplitBytes:             2 << 20,
		FlushDelayDeleteRange:       10 * time.Second,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, o.CompactionConcurrency },
	}
	e.TargetFileSizes[0] = 2 << 20
	written, known := o.filters()
	e.Filters = known
	for i := range e.Levels {
		e.Levels[i].BlockSize = blockBytes
		e.Levels[i].IndexBlockSize = 256 << 10
		if o.BloomBitsPerKey > 0 {
			e.Levels[i].FilterPolicy = written
		}
	}
	settings := o.compressionSettings()
	e.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return settings })
	return e
}

func (o *Options) compressionSettings() pebble.DBCompressionSettings {
	switch o.Compression {
	case CompressionFast:
		return pebble.DBCompressionFastest
	case CompressionSmall:
		return pebble.DBCompressionGood
	case CompressionNone:
		return pebble.DBCompressionNone
	default:
		return pebble.DBCompressionBalanced
	}
}
