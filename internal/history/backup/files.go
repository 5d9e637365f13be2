// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// together is the number of files that are on their way at once.
const together = 4

// files makes a backup of a folder's files.
func (m *maker) files(ctx context.Context, copier kv.Copier) (err error) {
	m.result.Kind = kindFiles
	files, err := copier.Copy(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	names := files.Names()
	m.result.Files, m.now.FilesAll = make([]File, len(names)), len(names)
	return each(ctx, len(names), func(ctx context.Context, i int) error {
		f, err := digestFile(files, names[i])
		if err != nil {
			return err
		}
		m.result.Files[i] = f
		return m.put(ctx, &m.result.Files[i], func() (io.ReadCloser, error) {
			if err := files.Check(ctx, names[i]); err != nil {
				return nil, fmt.Errorf("backup: %w", err)
			}
			file, _, err := files.Open(names[i])
			return file, err
		})
	}, m.tell)
}

// tell is called under a lock by each, after a file.
func (m *maker) tell(i int) {
	m.now.Files, m.now.Bytes = m.now.Files+1, m.now.Bytes+m.result.Files[i].Size
	m.mu.Lock()
	m.now.Moved = m.result.WrittenBytes
	m.mu.Unlock()
	m.Progress(m.now)
}

// each does a number of things, some at once, and tells of each. The first error ends it.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error, done func(i int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var mu sync.Mutex
	var group sync.WaitGroup
	for range min(together, n) {
		group.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done(i)
				mu.Unlock()
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	group.Wait()
	return context.Cause(ctx)
}

func digestFile(files kv.Files, name string) (f File, err error) {
	file, size, err := files.Open(name)
	if err != nil {
		return f, err
	}
	digest := sha256.New()
	read, err := io.Copy(digest, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return f, fmt.Errorf("backup: read %s: %w", name, err)
	}
	if read != size {
		return f, fmt.Errorf("backup: %s has %d bytes, not %d: its disk may be failing", name, read, size)
	}
	return File{Name: name, Size: size, SHA256: hex.EncodeToString(digest.Sum(nil))}, nil
}

// put writes a file unless the storage has it.
func (m *maker) put(ctx context.Context, f *File, open func() (io.ReadCloser, error)) error {
	if m.has(f) || !m.claim(f) {
		return nil
	}
	file, err := open()
	if err != nil {
		return err
	}
	digest := sha256.New()
	from := io.TeeReader(file, digest)
	if m.Seal == nil {
		_, err = m.to.Put(ctx, m.objectOf(f), from, f.Size)
	} else {
		err = m.putSealed(ctx, f, from)
	}
	if err == nil { // else the file may still be read
		err = m.compare(ctx, f, hex.EncodeToString(digest.Sum(nil)))
	}
	return errors.Join(err, file.Close())
}

// compare deletes what was written of a file that had another digest before.
func (m *maker) compare(ctx context.Context, f *File, got string) error {
	if got == f.SHA256 {
		return nil
	}
	return errors.Join(fmt.Errorf("backup: %s was read twice and differs, with SHA-256 %s and %s: its disk may be failing",
		f.Name, f.SHA256, got),
		m.to.Delete(ctx, m.objectOf(f)))
}

// claim reports whether nobody writes the file yet.
func (m *maker) claim(f *File) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := m.objectOf(f)
	if m.claimed[name] {
		return false // two files are the same
	}
	m.claimed[name] = true
	m.result.Written, m.result.WrittenBytes = m.result.Written+1, m.result.WrittenBytes+f.Size
	return true
}

// putSealed encrypts a file on its way.
func (m *maker) putSealed(ctx context.Context, f *File, file io.Reader) error {
	from, to := io.Pipe()
	go func() { to.CloseWithError(seal(m.Seal, to, file)) }()
	_, err := m.to.Put(ctx, m.objectOf(f), from, storage.Unknown)
	from.CloseWithError(errors.New("backup: given up"))
	return err
}

func seal(with func(io.Writer) (io.WriteCloser, error), to io.Writer, from io.Reader) error {
	sealed, err := with(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(sealed, from)
	return errors.Join(err, sealed.Close())
}
