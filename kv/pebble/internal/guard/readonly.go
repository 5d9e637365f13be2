// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"io"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// readOnly changes nothing.
type readOnly struct{ vfs.FS }

// ReadOnly returns the file system without anything that would change a file or a folder.
func ReadOnly(files vfs.FS) vfs.FS { return readOnly{files} }

func refuse(operation, name string) error {
	return &os.PathError{Op: operation, Path: name, Err: syscall.EROFS}
}

// Unwrap implements vfs.FS.
func (r readOnly) Unwrap() vfs.FS { return r.FS }

// Create implements vfs.FS.
func (r readOnly) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, refuse("create", name)
}

// OpenReadWrite implements vfs.FS.
func (r readOnly) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, refuse("open", name)
}

// ReuseForWrite implements vfs.FS.
func (r readOnly) ReuseForWrite(_, name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, refuse("reuse", name)
}

// Link implements vfs.FS.
func (r readOnly) Link(_, name string) error { return refuse("link", name) }

// Remove implements vfs.FS.
func (r readOnly) Remove(name string) error { return refuse("remove", name) }

// RemoveAll implements vfs.FS.
func (r readOnly) RemoveAll(name string) error { return refuse("remove", name) }

// Rename implements vfs.FS.
func (r readOnly) Rename(_, name string) error { return refuse("rename", name) }

// MkdirAll implements vfs.FS.
func (r readOnly) MkdirAll(name string, _ os.FileMode) error { return refuse("mkdir", name) }

// Lock implements vfs.FS. Whoever writes to the folder has made the file of the lock.
func (r readOnly) Lock(name string) (io.Closer, error) {
	if _, err := r.FS.Stat(name); err != nil {
		return noLock{}, nil
	}
	if vfs.Root(r.FS) != vfs.Default {
		return r.FS.Lock(name)
	}
	return lockShared(name)
}

// noLock is the lock of an unlocked file.
type noLock struct{}

// Close implements io.Closer.
func (noLock) Close() error { return nil }
