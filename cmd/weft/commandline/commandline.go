// SPDX-License-Identifier: Apache-2.0

// Package commandline words the faults of command lines: arguments that a command misses or has no use for, and names
// that are near to what was typed.
//
// Knows: how weft is called, the names that settings and commands have elsewhere.
// Never: what commands do, databases.
package commandline

import "errors"

// usageError is a fault of the command line or the configuration.
type usageError struct{ error }

// Usage marks an error as a fault of the command line or the configuration.
func Usage(err error) error { return usageError{err} }

// IsUsage reports whether an error is a fault of the command line or the configuration.
func IsUsage(err error) bool { return errors.As(err, new(usageError)) }

// Faults takes apart what errors.Join put together.
func Faults(err error) []error {
	if usage, ok := errors.AsType[usageError](err); ok {
		err = usage.error
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
