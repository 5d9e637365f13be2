// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package heatpage

import (
	"syscall"
	"time"
)

// cpuUsed is the processor time that the process has used.
func cpuUsed() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// diskUsed returns the part in use of the disk that holds a folder, of what may be used: as df says it, without what is
// reserved for others.
func diskUsed(folder string) (share float64, ok bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil || disk.Blocks <= disk.Bfree {
		return 0, false
	}
	used := float64(disk.Blocks - disk.Bfree)
	return used / (used + float64(disk.Bavail)), true
}
