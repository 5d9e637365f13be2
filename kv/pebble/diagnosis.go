// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"

	"github.com/weftdb/weft/kv"
)

// readLogs reads each log, oldest first, and calls see with where its last record ends and with the error behind it:
// io.EOF if that was its end.
func readLogs(
	fs vfs.FS, dir string, newest bool, see func(name string, end int64, number uint64, err error) error,
) error {
	logs, err := wal.Scan(wal.Dir{FS: fs, Dirname: dir})
	if err != nil {
		return err
	}
	if newest {
		logs = logs[max(0, len(logs)-1):]
	}
	for _, log := range logs {
		records := log.OpenForRead()
		var at wal.Offset
		for err = nil; err == nil; {
			_, at, err = records.NextRecord()
		}
		if closeErr := records.Close(); closeErr != nil && !errors.Is(err, io.EOF) {
			return closeErr
		}
		_, path := log.SegmentLocation(0)
		if err := see(fs.PathBase(path), at.Physical, uint64(log.Num), err); err != nil {
			return err
		}
	}
	return nil
}

// tellTorn logs what a start drops of the newest log because it was being written when the process or the machine
// ended.
func (s *Store) tellTorn() error {
	fs, dir := s.options.FS, s.options.Dir
	return readLogs(fs, dir, true, func(name string, end int64, number uint64, err error) error {
		if !errors.Is(err, record.ErrUnexpectedEOF) {
			return nil
		}
		last, err := lastChunk(fs, fs.PathJoin(dir, name), end, uint32(number))
		if err == nil && last > end {
			s.options.Logger.Warn("the store was not stopped in good order, and its log ends in writes that are cut short: "+
				"they are dropped; after a crash they were not acknowledged",
				"file", name, "at", end, "droppedBytes", last-end)
		}
		return err
	})
}

// The form of a log: blocks, in each chunks with a header of a checksum, a length, a type, the low half of the log's
// number and an offset.
const (
	logHeaderBytes  = 19
	logChunkTypeMin = 9
	logChunkTypeMax = 12
)

// lastChunk returns where the last chunk of a log ends that seems to have been written behind a position, broken ones
// included: what a log held that was there before has another number.
func lastChunk(fs vfs.FS, path string, from int64, number uint32) (last int64, err error) {
	f, err := fs.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size, err := written(f, info.Size())
	block := make([]byte, logBlockBytes)
	for start := from / logBlockBytes * logBlockBytes; err == nil && start < size; start += logBlockBytes {
		n, readErr := f.ReadAt(block[:min(logBlockBytes, size-start)], start)
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return 0, readErr
		}
		for at := max(0, int(from-start)); at+logHeaderBytes <= n; at++ {
			header := block[at : at+logHeaderBytes]
			if header[6] < logChunkTypeMin || header[6] > logChunkTypeMax ||
				binary.LittleEndian.Uint32(header[7:]) != number {
				continue
			}
			last = start + min(int64(n), int64(at+logHeaderBytes)+int64(binary.LittleEndian.Uint16(header[4:])))
		}
	}
	return last, err
}

// explain says of an error of the engine's opening which file is meant, and what can be done.
func (s *Store) explain(err error) error {
	fs, dir := s.options.FS, s.options.Dir
	names, listErr := fs.List(dir)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	if name := s.brokenOptions(names); name != "" {
		return fmt.Errorf("%w: the file %s can't be read; nothing in it is needed: remove it and start again; "+
			"nothing was changed: %w", kv.ErrDamaged, fs.PathJoin(dir, name), err)
	}
	logs := logsOf(names)
	logErr := readLogs(fs, dir, false, func(name string, end int64, _ uint64, err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, record.ErrUnexpectedEOF) && name == logs[len(logs)-1] {
			return nil
		}
		return fmt.Errorf("%w: %w",
			damage("the log %s is damaged %d bytes from its beginning; acknowledged writes stand behind that", name,
				end), err)
	})
	if logErr != nil {
		return logErr
	}
	return fmt.Errorf("%w: %w", damage("a file is missing, or has another content than it was given"), err)
}

// isSystem reports whether an error is the operating system's, and not about a file that is missing.
func isSystem(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number) && !errors.Is(err, os.ErrNotExist)
}

// sharingViolation is Windows' error for a file that another has open for itself.
const sharingViolation = syscall.Errno(32)

// isTaken reports whether a lock was refused because another holds it, not because its file can't be opened. Where this
// process is the other, Pebble's error has no number.
func isTaken(err error) bool {
	if _, file := errors.AsType[*os.PathError](err); file {
		return false
	}
	number, system := errors.AsType[syscall.Errno](err)
	return !system || number == syscall.EAGAIN || number == syscall.EACCES ||
		runtime.GOOS == "windows" && number == sharingViolation
}

// brokenOptions returns the name of the newest file of options if the engine can't read it.
func (s *Store) brokenOptions(names []string) string {
	newest, number := "", uint64(0)
	for _, name := range names {
		if n, ok := numberOf(name); ok && strings.HasPrefix(name, optionsPrefix) && n >= number {
			newest, number = name, n
		}
	}
	if newest == "" {
		return ""
	}
	text, err := readWhole(s.options.FS, s.options.FS.PathJoin(s.options.Dir, newest))
	checked := s.engine.Clone()
	checked.EnsureDefaults()
	if err == nil && checked.CheckCompatibility(s.options.Dir, string(text)) == nil {
		return ""
	}
	return newest
}
