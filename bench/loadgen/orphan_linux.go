// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"os/exec"
	"syscall"
)

// EndWithParent lets the system end the process if this one is killed.
func EndWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
