// SPDX-License-Identifier: Apache-2.0

// Package spill keeps the temporary files of work that does not fit into memory, in a folder whose disk it leaves room
// on.
//
// Knows: how much is written in all, and how much of the disk is free.
// Never: what is written.
package spill

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/weftdb/weft/internal/resource/memory"
)

// ErrFull says that there is no more room for temporary files.
var ErrFull = errors.New("spill: the disk for temporary files is full")

// Folder holds temporary files. It is immutable, and safe for concurrent use. A nil Folder is none.
type Folder struct {
	Dir string
	// Room bounds what all files have together. nil: nothing does.
	Room *memory.Budget
	// Free returns how many bytes of the disk are free for temporary files, besides what must stay free for others; err
	// is that nobody knows. It is asked once for each freeStep bytes. nil: all of the disk is.
	Free func() (bytes int64, err error)

	unasked atomic.Int64 // bytes that were written since Free was asked last
}

// reserved is the space on a disk that is left to others; of a small disk it is a fifth. It is more than a store
// needs in order to write.
const reserved = 1 << 30

// Open makes a folder, if there is none, whose files have so many bytes together; 0: a quarter of what is free now, and
// no bound where nobody knows that.
func Open(dir string, bytesMax int64) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("spill: failed to make a folder for temporary files: %w", err)
	}
	f := &Folder{Dir: dir, Free: func() (int64, error) {
		total, free, err := disk(dir)
		return free - min(reserved, total/5), err
	}}
	free, err := f.Free()
	if bytesMax == 0 && err == nil {
		bytesMax = max(free, 0) / 4
	}
	if bytesMax > 0 || err == nil {
		f.Room = memory.New(bytesMax)
	}
	return f, nil
}

// freeStep is the number of bytes written between two checks of the disk's free space.
const freeStep = 16 << 20

// File is a temporary file. It is used by one goroutine.
type File struct {
	*os.File
	folder *Folder
	bytes  int64
}

// Create makes a file, which Close removes.
func (f *Folder) Create() (*File, error) {
	file, err := os.CreateTemp(f.Dir, "weft-*.run")
	if err != nil {
		return nil, describe(err)
	}
	// The name goes at once where the system allows it, so that nothing stays behind whatever happens; else Close
	// removes it.
	_ = os.Remove(file.Name())
	return &File{File: file, folder: f}, nil
}

// Write appends to the file. Errors: ErrFull.
func (f *File) Write(b []byte) (int, error) {
	n := int64(len(b))
	if !f.folder.Room.Take(n) {
		return 0, ErrFull
	}
	f.bytes += n
	if f.folder.Free != nil && f.folder.unasked.Add(n) >= freeStep {
		f.folder.unasked.Store(0)
		if free, err := f.folder.Free(); err == nil && free < freeStep {
			return 0, ErrFull
		}
	}
	written, err := f.File.Write(b)
	return written, describe(err)
}

// Close gives the room back and removes the file.
func (f *File) Close() error {
	f.folder.Room.Give(f.bytes)
	f.bytes = 0
	err := f.File.Close()
	if gone := os.Remove(f.Name()); gone != nil && !os.IsNotExist(gone) {
		err = errors.Join(err, gone)
	}
	return describe(err)
}

// describe leaves the names of files out of an error, which clients see.
func describe(err error) error {
	path := (*os.PathError)(nil)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ErrFull
	case errors.As(err, &path):
		return fmt.Errorf("spill: failed to %s a temporary file: %w", path.Op, path.Err)
	}
	return err
}
