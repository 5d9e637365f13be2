// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"fmt"
	"strings"
)

// VersionPrefix begins every version key, Latest too: begins_with(sk, "v_") lists a document's newest state and then
// its whole history.
const VersionPrefix = "v_"

// VersionWidth is the number of digits in a version key.
const VersionWidth = 10

// Latest is the sort key of the item that holds a copy of the newest version and its number. It is version 0, so it
// stands before the history, and reading a document's newest state is one get by key.
//
// Both items are written in one transaction. To save a document, read the item at Latest, whose attribute `version`
// says n (0 if there is no such item), then write together:
//
//	put Version(n+1)   if attribute_not_exists(pk)
//	put Latest         with version = n+1, if version = n   (if n is 0: if attribute_not_exists(pk))
//
// Of two writers that both read n, one is refused, reads again and saves n+2: no version is lost or overwritten.
const Latest = "v_0000000000"

// Version returns the sort key of version n, which is 1 for the first: "v_0000000002" stands before "v_0000000010". 0
// gives Latest. A number of more than ten digits is ErrTooWide.
func Version(n uint64) (string, error) {
	text, err := AppendPad([]byte(VersionPrefix), n, VersionWidth)
	if err != nil {
		return "", err
	}
	return string(text), nil
}

// ParseVersion reads what Version wrote. Any other text is ErrVersion.
func ParseVersion(key string) (uint64, error) {
	digits, ok := strings.CutPrefix(key, VersionPrefix)
	if !ok || len(digits) != VersionWidth {
		return 0, fmt.Errorf("%w: %q", ErrVersion, key)
	}
	n, err := Unpad(digits)
	if err != nil {
		return 0, fmt.Errorf("%w: %q", ErrVersion, key)
	}
	return n, nil
}
