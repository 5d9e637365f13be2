// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logFile is a file of the write-ahead log.
type logFile struct{ vfs.File }

// Preallocate implements vfs.File. Unlike Pebble's own, it makes the file as long as its space. The sync of a file that
// grows writes the file's length too, which takes about half as long again. Unwritten parts read as zeros; reading the
// log ends there, as it ends behind the last record of a log that is used again.
func (l logFile) Preallocate(offset, length int64) error {
	return syscall.Fallocate(int(l.Fd()), 0, offset, length)
}
