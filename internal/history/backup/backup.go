// SPDX-License-Identifier: Apache-2.0

// Package backup copies a whole store to a storage while it is used, and back into an empty place. A store that is a
// folder of files is copied file by file; any other as sorted segments of its entries at a snapshot. Files and segments
// are named by the digests of their contents, so that the next backup to the same storage writes only what is new, and
// a restore knows each byte to be right. A manifest lists what belongs to a backup.
//
//	backups/20261124T021005.123456Z-<digest of the manifest>   the manifest
//	files/<digest>                                             a file or segment; with .sealed behind it if it is encrypted, whose digest is of what it was before
//
// Knows: manifests, digests, segments, the files that a backup needs, and those that none needs any more.
// Never: what entries mean, engines, ciphers, where a storage is.
package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// Options are the settings of a backup. The zero value works.
type Options struct {
	// Seal encrypts what is written to the writer that it returns; Close ends it. Default: nothing is encrypted.
	Seal func(to io.Writer) (io.WriteCloser, error)
	// Keep is the number of the newest backups that stay; older ones are removed with what only they need. Default 0:
	// all.
	Keep int
	// Program is the name and version of the program that makes the backup.
	Program string
	// Progress is called often, by one goroutine at a time. Default: nobody.
	Progress func(Progress)
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Progress is the progress of a backup or a restore.
type Progress struct {
	Files, FilesAll int   // files or segments done, and all of them; FilesAll is 0 if unknown
	Bytes           int64 // of files done
	Moved           int64 // bytes among them that were written or read, since they were not there
}

// The kinds of backups.
const (
	kindFiles   = "files"   // the files of a store's folder
	kindEntries = "entries" // sorted entries
)

// format is the version of manifests and segments.
const format = 1

// Backup describes a backup.
type Backup struct {
	ID     string    `json:"-"`
	Format int       `json:"format"`
	Kind   string    `json:"kind"`
	Made   time.Time `json:"made"` // the moment that it shows, or a little before
	// Program made it.
	Program string `json:"program,omitempty"`
	Sealed  bool   `json:"sealed,omitempty"`
	Files   []File `json:"files"`
}

// File is a file of a store's folder, or a segment.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hexadecimal digits
}

// Bytes is the size of all files.
func (b *Backup) Bytes() (n int64) {
	for i := range b.Files {
		n += b.Files[i].Size
	}
	return n
}

// Result is the result of a backup.
type Result struct {
	Backup
	Written      int   // files or segments that were not there
	WrittenBytes int64 // before they were encrypted
	Removed      int   // backups
}

// Names in a storage.
const (
	backupsPrefix = "backups/"
	filesPrefix   = "files/"
	sealedSuffix  = ".sealed"
	timeLayout    = "20060102T150405.000000Z"
)

// manifestBytesMax bounds a manifest: that is more than a million files.
const manifestBytesMax = 256 << 20

// Make makes a backup of a store, which may be used meanwhile. One at a time may be made in one storage.
func Make(ctx context.Context, store kv.Store, to storage.Storage, o Options) (Result, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	m := &maker{Options: o, to: to, there: map[string]int64{}, claimed: map[string]bool{}}
	m.result.Backup = Backup{Format: format, Made: o.Now().UTC().Truncate(time.Microsecond), Program: o.Program,
		Sealed: o.Seal != nil}
	err := m.look(ctx)
	if err == nil {
		if copier, ok := kv.CopierOf(store); ok {
			err = m.files(ctx, copier)
		} else {
			err = m.entries(ctx, store)
		}
	}
	if err == nil {
		err = m.finish(ctx)
	}
	return m.result, err
}

// maker makes one backup.
type maker struct {
	Options
	to    storage.Storage
	there map[string]int64 // sizes of what the storage has, by name
	now   Progress

	mu      sync.Mutex // guards what follows, and result.Written
	claimed map[string]bool
	result  Result
}

// look learns which files are there. Those of another size than they should have are written again.
func (m *maker) look(ctx context.Context) error {
	for o, err := range m.to.List(ctx, filesPrefix, "") {
		if err != nil {
			return err
		}
		m.there[o.Name] = o.Size
	}
	return nil
}

// has reports whether the storage has a file.
func (m *maker) has(f *File) bool {
	size, ok := m.there[m.objectOf(f)]
	return ok && (m.Seal != nil || size == f.Size)
}

func (m *maker) objectOf(f *File) string { return objectOf(f, m.Seal != nil) }

// objectOf is the name of the object that holds a file.
func objectOf(f *File, sealed bool) string {
	name := filesPrefix + f.SHA256
	if sealed {
		name += sealedSuffix
	}
	return name
}

// finish writes the manifest, by which alone the backup is there, and removes old ones.
func (m *maker) finish(ctx context.Context) error {
	text, err := json.Marshal(&m.result.Backup)
	if err != nil {
		return err
	}
	m.result.ID = m.result.Made.Format(timeLayout) + "-" + idOf(text)
	if _, err := m.to.Put(ctx, backupsPrefix+m.result.ID, bytes.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	if m.Keep > 0 {
		err = m.prune(ctx)
	}
	return err
}

// idOf is the part of a backup's id that its manifest decides.
func idOf(manifest []byte) string {
	digest := sha256.Sum256(manifest)
	return hex.EncodeToString(digest[:8])
}

// IDs returns the ids of all backups of a storage, oldest first.
func IDs(ctx context.Context, from storage.Storage) (ids []string, err error) {
	for o, err := range from.List(ctx, backupsPrefix, "") {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(o.Name, backupsPrefix))
	}
	return ids, nil
}

// Read returns the description of a backup, the newest if id is "".
func Read(ctx context.Context, from storage.Storage, id string) (b Backup, err error) {
	if id == "" {
		ids, err := IDs(ctx, from)
		if err != nil {
			return b, err
		}
		if len(ids) == 0 {
			return b, errors.New("backup: there is no backup in this place")
		}
		id = ids[len(ids)-1]
	}
	text, err := storage.ReadAll(ctx, from, backupsPrefix+id, manifestBytesMax)
	if errors.Is(err, storage.ErrNotFound) {
		return b, fmt.Errorf("backup: there is no backup %s; list those that there are", id)
	}
	if err != nil {
		return b, err
	}
	if _, want, _ := strings.Cut(id, "-"); want != idOf(text) {
		return b, fmt.Errorf("backup: the manifest of %s is damaged: its SHA-256 begins with %s; restore another backup", id, idOf(text))
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("backup: the manifest of %s: %w", id, err)
	}
	b.ID = id
	return b, b.check()
}

// check refuses what this program can't restore, and names that would lead elsewhere.
func (b *Backup) check() error {
	if b.Format != format || b.Kind != kindFiles && b.Kind != kindEntries {
		return fmt.Errorf("backup: %s has format %d and kind %q, which this program does not know; use the program that made it (%s)", b.ID, b.Format, b.Kind, b.Program)
	}
	for i := range b.Files {
		f := &b.Files[i]
		digest, err := hex.DecodeString(f.SHA256)
		if err != nil || len(digest) != sha256.Size || f.Size < 0 || f.Name == "" || f.Name == "." || f.Name == ".." ||
			strings.ContainsAny(f.Name, "/\\:\x00") {
			return fmt.Errorf("backup: the manifest of %s lists no possible file at %d: %.80q", b.ID, i, f.Name)
		}
	}
	return nil
}

// pruneAge is how old a file must be before it is removed though no backup needs it: a backup that is being made may.
const pruneAge = 24 * time.Hour

// prune removes the oldest backups, then the files that no backup has.
func (m *maker) prune(ctx context.Context) error {
	ids, err := IDs(ctx, m.to)
	if err != nil || len(ids) <= m.Keep {
		return err
	}
	old, kept := ids[:len(ids)-m.Keep], ids[len(ids)-m.Keep:]
	needed, err := m.needed(ctx, kept)
	if err != nil {
		return fmt.Errorf("no old backup was removed: %w", err)
	}
	for _, id := range old {
		if err := m.to.Delete(ctx, backupsPrefix+id); err != nil {
			return err
		}
		m.result.Removed++
	}
	return m.removeFiles(ctx, needed)
}

// needed are the objects that backups need.
func (m *maker) needed(ctx context.Context, ids []string) (names map[string]bool, err error) {
	names = map[string]bool{}
	for _, id := range ids {
		b, err := Read(ctx, m.to, id)
		if err != nil {
			return nil, err
		}
		for i := range b.Files {
			names[objectOf(&b.Files[i], b.Sealed)] = true
		}
	}
	return names, nil
}

func (m *maker) removeFiles(ctx context.Context, needed map[string]bool) error {
	for o, err := range m.to.List(ctx, filesPrefix, "") {
		if err != nil {
			return err
		}
		if needed[o.Name] || m.Now().Sub(o.Modified) < pruneAge {
			continue
		}
		if err := m.to.Delete(ctx, o.Name); err != nil {
			return err
		}
	}
	return nil
}
