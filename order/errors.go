// SPDX-License-Identifier: Apache-2.0

package order

import "errors"

// Errors of the Cut and Skip functions. Both mean that the bytes were not written by the matching Append function, or
// were damaged.
var (
	// ErrTruncated says that the bytes end inside a value.
	ErrTruncated = errors.New("order: the bytes end inside a value; check that the whole key was passed")
	// ErrMalformed says that the bytes are not the one encoding of any value.
	ErrMalformed = errors.New("order: these bytes encode no value; check the kind and the direction of the key part")
)

// Errors of ParseDecimal and of decimal arithmetic.
var (
	// ErrDecimalSyntax says that a text is not a number.
	ErrDecimalSyntax = errors.New("order: not a number; write digits with an optional sign, point and exponent, such as -12.5e3")
	// ErrDecimalPrecision says that a number has more than 38 significant digits, zeros at both ends not counted.
	ErrDecimalPrecision = errors.New("order: more than 38 significant digits; round the number first")
	// ErrDecimalOverflow says that a magnitude is above 9.99..E+125.
	ErrDecimalOverflow = errors.New("order: the number's magnitude is above 9.9999999999999999999999999999999999999E+125")
	// ErrDecimalUnderflow says that a magnitude other than zero is below 1E-130.
	ErrDecimalUnderflow = errors.New("order: the number's magnitude is below 1E-130; use zero instead")
)
