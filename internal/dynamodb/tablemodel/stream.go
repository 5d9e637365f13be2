// SPDX-License-Identifier: Apache-2.0

package tablemodel

import "github.com/weftdb/weft/internal/dynamodb/exception"

// StreamSpecification asks for a stream of a table's changes, or for its end.
type StreamSpecification struct {
	StreamEnabled  *bool
	StreamViewType *string
}

// check judges the request by itself. There are no streams here, so only a request for none passes. The first text is from memory;
// the second is CreateTable's, and here UpdateTable's, too.
func (s *StreamSpecification) check() error {
	switch {
	case s == nil:
	case *s.StreamEnabled && s.StreamViewType == nil:
		return exception.InvalidValue("StreamViewType is required when StreamEnabled is true")
	case !*s.StreamEnabled && s.StreamViewType != nil:
		return exception.InvalidValue("Table is being created with a stream disabled, UpdateViewType should not be specified")
	case *s.StreamEnabled:
		return missing("StreamSpecification", "streams", "leave it out or set StreamEnabled to false")
	}
	return nil
}

// against refuses to end the stream of a table, which has none. The text is from memory.
func (s *StreamSpecification) against(table string) error {
	if s != nil {
		return exception.Validation("Table does not have an enabled stream: TableName: " + table)
	}
	return nil
}
