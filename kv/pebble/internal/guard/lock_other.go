// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package guard

import (
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockShared locks a file.
func lockShared(name string) (io.Closer, error) { return vfs.Default.Lock(name) }
