// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"fmt"
	"strconv"
)

// WidthMax is the number of digits of the largest uint64.
const WidthMax = 20

// Pad writes n in width digits, zeros in front, so that the order of the texts is the order of the numbers. A number
// with more digits is ErrTooWide: it would stand in the wrong place.
func Pad(n uint64, width int) (string, error) {
	text, err := AppendPad(make([]byte, 0, WidthMax), n, width)
	return string(text), err
}

// AppendPad appends what Pad returns. dst comes back as it was if there is an error.
func AppendPad(dst []byte, n uint64, width int) ([]byte, error) {
	if width < 1 || width > WidthMax {
		return dst, fmt.Errorf("%w, not %d", ErrWidth, width)
	}
	var buffer [WidthMax]byte
	digits := strconv.AppendUint(buffer[:0], n, 10)
	if len(digits) > width {
		return dst, fmt.Errorf("%w: %d in %d digits", ErrTooWide, n, width)
	}
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...), nil
}

// Unpad reads what Pad wrote, whatever the width: 1 to 20 digits and nothing else. Any other text is ErrNotNumber.
func Unpad(text string) (uint64, error) {
	if len(text) == 0 || len(text) > WidthMax || text[0] == '+' {
		return 0, fmt.Errorf("%w: %q", ErrNotNumber, text)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %q", ErrNotNumber, text)
	}
	return n, nil
}
