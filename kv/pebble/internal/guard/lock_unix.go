// SPDX-License-Identifier: Apache-2.0

//go:build unix

package guard

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockShared locks a file against processes that want it alone, without changing it.
func lockShared(name string) (io.Closer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	lock := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
