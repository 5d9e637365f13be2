// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// RestoreOptions say what to restore, and where.
type RestoreOptions struct {
	// ID of the backup. Default: the newest.
	ID string
	// Dir is the folder of the store to be, which must be empty or not there. It is needed for backups of folders.
	Dir string
	// Store opens the empty store to be, which Restore closes. It is needed for backups of entries, which go to any
	// engine.
	Store func(ctx context.Context) (kv.Store, kv.Admin, error)
	// Reopen opens a folder that was restored, before anybody else does: RestoreAt makes changes in it.
	Reopen func(ctx context.Context, dir string) (kv.Store, error)
	// Check opens and reads a folder that was restored, without changing it: an error undoes the restore. Default: the
	// digests of its files are checked.
	Check func(ctx context.Context, dir string) error
	// Open decrypts what Options.Seal encrypted. Default: only backups that are not encrypted can be restored.
	Open func(from io.Reader) (io.Reader, error)
	// Progress is called often, by one goroutine at a time. Default: nobody.
	Progress func(Progress)
}

// Restore brings a backup back. Until it returns nil, nothing opens what is there.
func Restore(ctx context.Context, from storage.Storage, o RestoreOptions) (Backup, error) {
	b, err := Read(ctx, from, o.ID)
	if err != nil {
		return b, err
	}
	if b.Sealed && o.Open == nil {
		return b, fmt.Errorf("backup: %s is encrypted: give the key", b.ID)
	}
	if !b.Sealed {
		o.Open = nil
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	r := &restorer{RestoreOptions: o, from: from, backup: &b, now: Progress{FilesAll: len(b.Files)}}
	if b.Kind == kindEntries {
		if err := r.entries(ctx); err != nil {
			return b, err
		}
		return b, o.checked(ctx, o.Dir)
	}
	return b, r.files(ctx)
}

// checked asks Check.
func (o *RestoreOptions) checked(ctx context.Context, dir string) error {
	if o.Check == nil || dir == "" {
		return nil
	}
	if err := o.Check(ctx, dir); err != nil {
		return fmt.Errorf("backup: the restored store can't be used; restore another backup: %w", err)
	}
	return nil
}

type restorer struct {
	RestoreOptions
	from   storage.Storage
	backup *Backup
	now    Progress
}

func (r *restorer) tell(i int) {
	size := r.backup.Files[i].Size
	r.now.Files, r.now.Bytes, r.now.Moved = r.now.Files+1, r.now.Bytes+size, r.now.Moved+size
	r.Progress(r.now)
}

// files fills a folder. Its last file, which makes a store of it, is written when all others are.
func (r *restorer) files(ctx context.Context) error {
	if r.Dir == "" {
		return errors.New("backup: this is a backup of a folder: name the folder to restore it to, and copy that to another engine afterwards")
	}
	made, err := claim(r.Dir)
	if err != nil {
		return err
	}
	last := len(r.backup.Files) - 1
	one := func(ctx context.Context, i int) error { return r.file(ctx, &r.backup.Files[i]) }
	if err = each(ctx, last, one, r.tell); err == nil && last >= 0 {
		if err = one(ctx, last); err == nil {
			r.tell(last)
			err = storage.SyncDir(r.Dir)
		}
	}
	if err == nil {
		err = r.checked(ctx, r.Dir)
	}
	if err != nil {
		return errors.Join(err, r.remove(made))
	}
	return nil
}

// claim makes a folder, or takes an empty one.
func claim(dir string) (made bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, storage.MakeDir(dir)
	case err != nil:
		return false, err
	case len(entries) > 0:
		return false, fmt.Errorf("backup: the folder %s is not empty: name a new one, or empty it", dir)
	}
	return false, nil
}

// remove takes away what a restore that failed has written.
func (r *restorer) remove(made bool) (err error) {
	for i := range r.backup.Files {
		if gone := os.Remove(filepath.Join(r.Dir, r.backup.Files[i].Name)); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if made && err == nil {
		err = os.Remove(r.Dir)
	}
	return err
}

func (r *restorer) file(ctx context.Context, f *File) error {
	file, err := os.OpenFile(filepath.Join(r.Dir, f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = r.read(ctx, f, file); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// read copies a file from the storage, and checks it.
func (r *restorer) read(ctx context.Context, f *File, to io.Writer) (err error) {
	object := objectOf(f, r.backup.Sealed)
	body, err := r.from.Get(ctx, object, 0, -1)
	if err != nil {
		return fmt.Errorf("backup: %s: %w", f.Name, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	plain := io.Reader(body)
	if r.Open != nil {
		if plain, err = r.Open(body); err != nil {
			return fmt.Errorf("backup: %s can't be decrypted: %w", object, err)
		}
	}
	digest := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, digest), io.LimitReader(plain, f.Size+1))
	if err != nil {
		return fmt.Errorf("backup: %s: %w", object, err)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); size != f.Size || got != f.SHA256 {
		return fmt.Errorf("backup: %s is damaged: %d bytes with SHA-256 %s, not %d with %s; restore another backup",
			object, size, got, f.Size, f.SHA256)
	}
	return nil
}

// entries fills a store.
func (r *restorer) entries(ctx context.Context) (err error) {
	if r.Store == nil {
		return errors.New("backup: this is a backup of entries: name the store to restore it to")
	}
	store, admin, err := r.Store(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(segmentBytesMax+2*entryBytesMax))
	if err != nil {
		return err
	}
	defer unpack.Close()
	s := &segments{restorer: r, ctx: ctx, unpack: unpack}
	return fill(ctx, store, admin, s.next)
}

// segments reads the entries of all segments.
type segments struct {
	*restorer
	ctx    context.Context
	unpack *zstd.Decoder
	at     int
	packed writer
	plain  []byte
	rest   []byte
}

// writer is a buffer that is used again.
type writer []byte

func (w *writer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

func (s *segments) next() (key, value []byte, err error) {
	for len(s.rest) == 0 {
		if s.at == len(s.backup.Files) {
			return nil, nil, io.EOF
		}
		f := &s.backup.Files[s.at]
		s.packed = s.packed[:0]
		if err := s.read(s.ctx, f, &s.packed); err != nil {
			return nil, nil, err
		}
		if s.plain, err = s.unpack.DecodeAll(s.packed, s.plain[:0]); err != nil {
			return nil, nil, fmt.Errorf("backup: segment %s: %w", f.Name, err)
		}
		s.rest = s.plain
		s.tell(s.at)
		s.at++
	}
	key, value, s.rest, err = cutEntry(s.rest)
	return key, value, err
}
