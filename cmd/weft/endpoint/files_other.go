// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package endpoint

// filesMax is the number of files the process may have open, 0 if that is not known.
func filesMax() int { return 0 }
