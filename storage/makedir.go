// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeDir makes a folder and its parents, closed to other users, so that a loss of power can't take it away again. A
// folder that is there stays as it is; its own name is made durable, in case somebody has made it just now.
func MakeDir(dir string) error { return makeDir(dir, SyncDir) }

func makeDir(dir string, sync func(dir string) error) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	top := dir // the highest folder whose name may not be durable
	for parent := filepath.Dir(top); parent != top; parent = filepath.Dir(top) {
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		top = parent
	}
	_, err = os.Stat(dir)
	made := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for at := dir; ; at = filepath.Dir(at) {
		err := sync(filepath.Dir(at))
		if err != nil && (made || !errors.Is(err, fs.ErrPermission)) { // where we may not look, we have made nothing
			return err
		}
		if at == top {
			return nil
		}
	}
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
