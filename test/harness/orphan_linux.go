// SPDX-License-Identifier: Apache-2.0

package harness

import "syscall"

// noOrphan makes the system kill the server when the test's process ends, however that happens.
func noOrphan() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
