// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mysqlwire

import "syscall"

// peek copies a socket's unread bytes, as far as they fit, without taking them. alive is false at
// the end of the other side's stream, and for a broken connection.
func peek(descriptor uintptr, dst []byte) (n int, alive bool) {
	n, _, err := syscall.Recvfrom(int(descriptor), dst, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	switch err {
	case nil:
		return n, n > 0
	case syscall.EAGAIN, syscall.EINTR:
		return 0, true
	}
	return 0, false
}
