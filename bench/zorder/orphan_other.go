// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package main

import "syscall"

// dieWithParent does nothing: there is no such signal here.
func dieWithParent(*syscall.SysProcAttr) {}
