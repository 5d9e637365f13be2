// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/weftdb/weft/storage"
)

// stateFile holds the state of an import that has begun; it is removed when the import is done.
const stateFile = "import.json"

// phase is the phase of an import.
type phase string

const (
	sorting phase = "sorting" // sources are read
	writing phase = "writing" // all are read; the table is being written
)

// position is the position up to which the sources are read: everything before it stands in runs.
type position struct {
	Source  int    `json:"source"`  // which file
	Offset  int64  `json:"offset"`  // of its bytes, unpacked
	Line    int64  `json:"line"`    // lines before it
	Ordinal uint64 `json:"ordinal"` // records before it, of all files
}

// state is the progress from which an interrupted import continues.
type state struct {
	Table   string     `json:"table"`   // its UUID
	Version uint64     `json:"version"` // of its descriptor
	Sources []identity `json:"sources"`
	Options string     `json:"options"` // that decide what rows are made of a source
	Ingest  bool       `json:"ingest"`  // runs hold entries of indexes, too
	Phase   phase      `json:"phase"`
	At      position   `json:"at"`
	Runs    []run      `json:"runs"`
	NextRun int        `json:"nextRun"`
	Bad     int64      `json:"bad"`
	Read    int64      `json:"read"` // records
	// Inferred holds the types of columns without a given one.
	Inferred map[string]Type `json:"inferred,omitempty"`
	Cuts     [][]byte        `json:"cuts"` // a key every cutBytes of a run
	// First is the first row, once the table is about to be written: if it stands there later, all does, since an
	// ingestion is one step.
	FirstKey   []byte `json:"firstKey,omitempty"`
	FirstValue []byte `json:"firstValue,omitempty"`
	// Done is the last key of rows that were put, where they are not ingested.
	Done []byte `json:"done,omitempty"`
}

// identity reports whether a source is still what it was.
type identity struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	AtNS int64  `json:"atNS"` // of its last change, Unix nanoseconds
}

func readState(dir string) (*state, error) {
	raw, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(state)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("%s can't be read (%w); start over with --restart", filepath.Join(dir, stateFile), err)
	}
	if s.Phase == sorting && len(s.Runs) == 0 {
		return nil, nil // nothing that was read is kept, so it binds nobody: the next command may differ
	}
	return s, nil
}

func (s *state) infer(column string, t Type) {
	if s.Inferred == nil {
		s.Inferred = map[string]Type{}
	}
	s.Inferred[column] = t
}

// save makes the state durable: the one before, or this one, is found after a crash.
func (s *state) save(dir string) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, stateFile)
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return storage.SyncDir(dir)
}

// fits returns an error if the state belongs to another import.
func (s *state) fits(other *state) error {
	switch {
	case s.Table != other.Table:
		return errors.New("the table was dropped and created again since this import began; start over with --restart")
	case s.Version != other.Version:
		return errors.New("the table's schema has changed since this import began; start over with --restart")
	case !slices.Equal(s.Sources, other.Sources):
		return errors.New("an interrupted import had other sources, or these have changed: give the same sources, unchanged, or start over with --restart")
	case s.Options != other.Options:
		return errors.New("an interrupted import had another --format, --types or --null: give the same ones, or start over with --restart")
	}
	return nil
}

// discard removes the state and all runs.
func discard(dir string) error {
	if err := os.Remove(filepath.Join(dir, stateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}
