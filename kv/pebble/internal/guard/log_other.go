// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package guard

import "github.com/cockroachdb/pebble/v2/vfs"

// logFile is a file of the write-ahead log.
type logFile struct{ vfs.File }
