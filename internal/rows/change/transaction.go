// SPDX-License-Identifier: Apache-2.0

package change

import (
	"fmt"
	"slices"
)

// TransactionError says which writes of a transaction were refused, and why. Nothing was written.
type TransactionError struct {
	// Refusals has an element for each write: nil for one that could have been done, else why it could not.
	Refusals []error
}

// Error returns the first refusal and how many there are.
func (e *TransactionError) Error() string {
	first, count := error(nil), 0
	for _, refusal := range e.Refusals {
		if refusal != nil && first == nil {
			first = refusal
		}
		if refusal != nil {
			count++
		}
	}
	return fmt.Sprintf("%d of %d writes of the transaction were refused: %v", count, len(e.Refusals), first)
}

// Unwrap returns the refusals.
func (e *TransactionError) Unwrap() []error {
	return slices.DeleteFunc(slices.Clone(e.Refusals), func(err error) bool { return err == nil })
}
