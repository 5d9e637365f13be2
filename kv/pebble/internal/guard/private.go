// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"io"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Permissions of the store's files and folders: its user's alone.
const (
	folderMode os.FileMode = 0o700
	fileMode   os.FileMode = 0o600
	otherUsers os.FileMode = 0o077
)

// private makes folders and files that other users of the machine can't open.
type private struct{ vfs.FS }

// Private returns the file system with new folders and files closed to other users, if it is the operating system's;
// others have no users.
func Private(files vfs.FS) vfs.FS {
	if vfs.Root(files) != vfs.Default {
		return files
	}
	return private{files}
}

// restrict takes the rights of others away. Pebble's own calls leave them to the umask, which belongs to the whole
// process. A file system that keeps no permissions may refuse; WarnIfExposed then tells.
func (p private) restrict(name string, err error) error {
	if err == nil {
		_ = os.Chmod(name, fileMode)
	}
	return err
}

// Unwrap implements vfs.FS.
func (p private) Unwrap() vfs.FS { return p.FS }

// Create implements vfs.FS.
func (p private) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.Create(name, category)
	if err == nil && isLog(name) {
		f = logFile{f}
	}
	return f, p.restrict(name, err)
}

// OpenReadWrite implements vfs.FS.
func (p private) OpenReadWrite(name string, category vfs.DiskWriteCategory, options ...vfs.OpenOption) (vfs.File,
	error) {
	f, err := p.FS.OpenReadWrite(name, category, options...)
	return f, p.restrict(name, err)
}

// ReuseForWrite implements vfs.FS.
func (p private) ReuseForWrite(oldName, newName string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.ReuseForWrite(oldName, newName, category)
	return f, p.restrict(newName, err)
}

// Lock implements vfs.FS.
func (p private) Lock(name string) (io.Closer, error) {
	held, err := p.FS.Lock(name)
	return held, p.restrict(name, err)
}

// MkdirAll implements vfs.FS.
func (p private) MkdirAll(dir string, _ os.FileMode) error { return p.FS.MkdirAll(dir, folderMode) }

// WarnIfExposed logs a warning if other users of the machine can read the store, as is the case in one made by an
// earlier version.
func WarnIfExposed(files vfs.FS, dir string, log *slog.Logger) {
	if isExposed(files, dir) {
		log.Warn("other users of this machine can read the data: run chmod -R go-rwx on the folder", "folder", dir)
	}
}

// isExposed reports whether other users of the machine can open files of the folder.
func isExposed(files vfs.FS, dir string) bool {
	if vfs.Root(files) != vfs.Default {
		return false
	}
	if info, err := files.Stat(dir); err != nil || info.Mode()&otherUsers == 0 {
		return false
	}
	names, err := files.List(dir)
	if err != nil {
		return false
	}
	for _, name := range names {
		if info, err := files.Stat(files.PathJoin(dir, name)); err == nil && info.Mode()&otherUsers != 0 {
			return true
		}
	}
	return false
}
