// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package harness

import "syscall"

// noOrphan does nothing: elsewhere a server outlives a test's process that panics.
func noOrphan() *syscall.SysProcAttr { return nil }
