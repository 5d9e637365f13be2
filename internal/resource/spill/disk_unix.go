// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package spill

import "syscall"

// disk returns how large the disk of a folder is, and how many bytes are free.
func disk(folder string) (total, free int64, err error) {
	var stat syscall.Statfs_t
	err = syscall.Statfs(folder, &stat)
	return int64(stat.Blocks) * int64(stat.Bsize), int64(stat.Bavail) * int64(stat.Bsize), err
}
