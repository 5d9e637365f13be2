// SPDX-License-Identifier: Apache-2.0

package sortkey

import "errors"

// Errors of this package. A returned error wraps one of them and names the value.
var (
	// ErrTime says that a time is outside what a UUIDv7 holds: milliseconds from 1970 to the year 10889.
	ErrTime = errors.New("sortkey: a UUIDv7 holds times from 1970 to the year 10889")
	// ErrUUID says that a text or a value is not a UUID of the expected kind.
	ErrUUID = errors.New("sortkey: not a UUID of this kind")
	// ErrTooWide says that a number has more digits than the width.
	ErrTooWide = errors.New("sortkey: the number has more digits than the width; choose a wider one before the first key is written")
	// ErrWidth says that a width is not in 1..20.
	ErrWidth = errors.New("sortkey: a width must be in 1..20")
	// ErrNotNumber says that a text is not a padded number.
	ErrNotNumber = errors.New("sortkey: not a padded number")
	// ErrTemplate says that the text of a template is not one.
	ErrTemplate = errors.New("sortkey: not a template; write different names with the separator between them")
	// ErrValue says that values do not fit into a template.
	ErrValue = errors.New("sortkey: the values do not fit the template")
	// ErrVersion says that a text is not a version key of this width.
	ErrVersion = errors.New("sortkey: not a version key")
	// ErrShard says that a text is not the name of a shard.
	ErrShard = errors.New("sortkey: not a shard's name")
)
