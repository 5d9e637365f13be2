// SPDX-License-Identifier: Apache-2.0

//go:build unix

package endpoint

import (
	"math"
	"syscall"
)

// filesMax is the number of files the process may have open, 0 if there is no limit. Go has raised the soft limit to
// the hard one at the start.
func filesMax() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
