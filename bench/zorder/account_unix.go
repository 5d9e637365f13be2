// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged is how to start PostgreSQL, which refuses to run as root: as root, under another account, which is given the folder.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{}
	dieWithParent(attributes)
	if os.Getuid() != 0 {
		return attributes, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	id, err := strconv.Atoi(account.Uid)
	if err != nil {
		return nil, err
	}
	group, err := strconv.Atoi(account.Gid)
	if err != nil {
		return nil, err
	}
	attributes.Credential = &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}
	return attributes, os.Chown(dir, id, group)
}
