// SPDX-License-Identifier: Apache-2.0

package main

import "syscall"

// dieWithParent makes the system end the server when this process ends, however that happens.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
