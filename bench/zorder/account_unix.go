// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"

	"github.com/weftdb/weft/bench/loadgen"
)

// unprivileged lets PostgreSQL's programs start, which refuse to run as root: as root, under another account, which is
// given the folder. The system ends them if this process is killed.
func unprivileged(dir string, commands ...*exec.Cmd) error {
	for _, command := range commands {
		loadgen.EndWithParent(command)
	}
	if os.Getuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return err
		}
	}
	id, err := strconv.Atoi(account.Uid)
	if err != nil {
		return err
	}
	group, err := strconv.Atoi(account.Gid)
	if err != nil {
		return err
	}
	for _, command := range commands {
		if command.SysProcAttr == nil {
			command.SysProcAttr = &syscall.SysProcAttr{}
		}
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}
	}
	return os.Chown(dir, id, group)
}
