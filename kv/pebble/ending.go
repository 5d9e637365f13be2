// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"

	"github.com/weftdb/weft/kv"
)

// The file WEFT.state tells how the store was left, and so what a start must find. While it is absent, as it is during
// a start, nothing is known.
const (
	stateName    = "WEFT.state"
	stateTmpName = "WEFT.state.tmp"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // immutable

// endState is how a store was left.
type endState struct {
	// stopped says that it was closed in good order: what is listed is all that it had. If not, files have grown since,
	// and there are newer ones.
	stopped  bool
	last     uint64 // the highest number of a file by then
	manifest part
	logs     []part // if stopped, those whose writes may be in no table; otherwise the newest
}

// part is the beginning of a file.
type part struct {
	name string
	size int64 // without zeros at the end
	sum  uint32
}

// text is the content of the file. Its last line is the checksum of those before.
func (e *endState) text() []byte {
	word := map[bool]string{true: "stopped", false: "open"}[e.stopped]
	text := fmt.Appendf(nil, "state %s\nlast %d\n", word, e.last)
	for _, p := range append([]part{e.manifest}, e.logs...) {
		text = fmt.Appendf(text, "file %s %d %08x\n", p.name, p.size, p.sum)
	}
	return fmt.Appendf(text, "sum %08x\n", crc32.Checksum(text, castagnoli))
}

// parseEnding reads a text. ok is false if it is damaged.
func parseEnding(text []byte) (e *endState, ok bool) {
	at := bytes.LastIndex(text, []byte("sum "))
	if at < 0 || string(text[at:]) != fmt.Sprintf("sum %08x\n", crc32.Checksum(text[:at], castagnoli)) {
		return nil, false
	}
	e = new(endState)
	for line := range strings.Lines(string(text[:at])) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "state":
			e.stopped = rest == "stopped"
		case "last":
			if _, err := fmt.Sscanf(rest, "%d", &e.last); err != nil {
				return nil, false
			}
		case "file":
			var p part
			if _, err := fmt.Sscanf(rest, "%s %d %x", &p.name, &p.size, &p.sum); err != nil {
				return nil, false
			}
			if strings.HasSuffix(p.name, logSuffix) {
				e.logs = append(e.logs, p)
			} else {
				e.manifest = p
			}
		}
	}
	return e, e.manifest.name != "" && len(e.logs) > 0
}

// readEnding returns how the store was left; nil if nobody knows, or if an older program has had the store since, which
// doesn't keep the file.
func readEnding(fs vfs.FS, dir string, names []string) (*endState, error) {
	text, err := readWhole(fs, fs.PathJoin(dir, stateName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, ok := parseEnding(text)
	if !ok {
		return nil, fmt.Errorf("%w: the file %s is damaged, which tells what the other files must hold; "+
			"nothing was changed; "+waysOut+"; or remove the file: the store then starts as after a crash",
			kv.ErrDamaged, stateName)
	}
	if e.stopped && highest(names) > e.last {
		return nil, nil
	}
	return e, nil
}

// highest returns the highest number of an engine's file.
func highest(names []string) (number uint64) {
	for _, name := range names {
		if n, ok := numberOf(name); ok {
			number = max(number, n)
		}
	}
	return number
}

// manifestName returns the name of the manifest that was in use and is still there, "" if that is not known.
func (e *endState) manifestName(fs vfs.FS, dir string) string {
	if e == nil || !exists(fs, fs.PathJoin(dir, e.manifest.name)) {
		return ""
	}
	return e.manifest.name
}

// check compares the files with what they must hold.
func (e *endState) check(fs vfs.FS, dir, manifest string, names []string) error {
	if !e.stopped {
		return e.checkGrown(fs, dir, manifest, names)
	}
	if manifest != e.manifest.name {
		return damage("the store was stopped in good order with the file %s, not %s", e.manifest.name, manifest)
	}
	for _, p := range append([]part{e.manifest}, e.logs...) {
		if err := p.check(fs, dir); err != nil {
			return err
		}
	}
	return nil
}

// checkGrown compares what is known of a store that was open.
func (e *endState) checkGrown(fs vfs.FS, dir, manifest string, names []string) error {
	if now, _ := numberOf(manifest); now < e.manifest.number() {
		return damage("the store was in use with the file %s, not %s", e.manifest.name, manifest)
	}
	if logs := logsOf(names); len(logs) == 0 || (&part{name: logs[len(logs)-1]}).number() < e.logs[0].number() {
		return fmt.Errorf("%w; or remove the file %s to go on without its contents",
			damage("the log %s or a newer one is missing; acknowledged writes are in it", e.logs[0].name), stateName)
	}
	if manifest == e.manifest.name {
		return e.manifest.check(fs, dir)
	}
	return nil
}

func (p *part) number() uint64 {
	n, _ := numberOf(p.name)
	return n
}

// check compares the file with what it must begin with.
func (p *part) check(fs vfs.FS, dir string) error {
	f, err := fs.Open(fs.PathJoin(dir, p.name), vfs.SequentialReadsOption)
	if errors.Is(err, os.ErrNotExist) {
		return p.lost("is missing, with %d bytes", p.size)
	}
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	read, err := io.Copy(sum, io.LimitReader(f, p.size))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	switch {
	case read < p.size:
		return p.lost("has lost %d of its %d bytes", p.size-read, p.size)
	case sum.Sum32() != p.sum:
		return p.lost("is damaged in its %d bytes", p.size)
	}
	return nil
}

// lost returns an error about the file.
func (p *part) lost(format string, args ...any) error {
	text := fmt.Sprintf("the file %s "+format, append([]any{p.name}, args...)...)
	if !strings.HasSuffix(p.name, logSuffix) {
		return damage("%s, which it had when the store was last closed or opened; it is the list of the data's files",
			text)
	}
	err := damage("%s, which it had when the store was stopped in good order; acknowledged writes are in it", text)
	return fmt.Errorf("%w; or, to go on without the lost part, remove the file %s: "+
		"the store then starts as after a crash, with what the log still holds", err, stateName)
}

// partOf describes a file as it is.
func partOf(fs vfs.FS, dir, name string) (p part, err error) {
	f, err := fs.Open(fs.PathJoin(dir, name), vfs.SequentialReadsOption)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return p, err
	}
	p = part{name: name, size: info.Size()}
	if strings.HasSuffix(name, logSuffix) {
		if p.size, err = used(f, p.size); err != nil {
			return p, err
		}
	}
	sum := crc32.New(castagnoli)
	_, err = io.Copy(sum, io.NewSectionReader(f, 0, p.size))
	p.sum = sum.Sum32()
	return p, err
}

// used returns the length of a closed log without the zeros behind its last record, which says that it is the last.
func used(log io.ReaderAt, size int64) (int64, error) {
	size, err := written(log, size)
	if err != nil || size == 0 {
		return 0, err
	}
	start := (size - 1) / logBlockBytes * logBlockBytes
	block := make([]byte, size-start)
	if _, err := log.ReadAt(block, start); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return start + int64(len(bytes.TrimRight(block, "\x00"))), nil
}

// noteOpen tells that the store is in use.
func (s *Store) noteOpen() { s.note(context.Background(), &endState{}, 1) }

// noteStopped tells that the engine was closed, with so many logs whose writes may be in no table, if that can be done
// in time.
func (s *Store) noteStopped(ctx context.Context, logs int64) {
	noted := make(chan struct{})
	go func() {
		defer close(noted)
		s.note(ctx, &endState{stopped: true}, int(logs))
	}()
	select {
	case <-noted:
	case <-ctx.Done():
	}
}

// note writes how the store is left. Without that the next start knows less, and that is all.
func (s *Store) note(ctx context.Context, e *endState, logs int) {
	fs, dir := s.options.FS, s.options.Dir
	err := e.fill(fs, dir, logs)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && !s.failure.Failed() {
		err = replaceFile(fs, dir, stateTmpName, stateName, e.text())
	}
	if err != nil {
		s.options.Logger.Warn("could not note the state of the files: the next start can't check them",
			"file", stateName, "error", err.Error())
	}
}

// fill describes the files as they are.
func (e *endState) fill(fs vfs.FS, dir string, logs int) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	e.last = highest(names)
	manifest, err := atomicfs.ReadMarker(fs, dir, currentMarker)
	if err != nil {
		return err
	}
	if e.manifest, err = partOf(fs, dir, manifest); err != nil {
		return err
	}
	all := logsOf(names)
	for _, name := range all[max(0, len(all)-logs):] {
		p := part{name: name}
		if e.stopped {
			if p, err = partOf(fs, dir, name); err != nil {
				return err
			}
		}
		e.logs = append(e.logs, p)
	}
	return nil
}

// forget removes what is known of how the store was left, before that changes.
func forget(fs vfs.FS, dir string) error {
	err := fs.Remove(fs.PathJoin(dir, stateName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, syncDir(fs, dir))
}
