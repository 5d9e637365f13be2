// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// StreamSpecification asks for a stream of a table's changes, or for its end.
type StreamSpecification struct {
	StreamEnabled  *bool
	StreamViewType *string `json:",omitempty"`
}

// stream is the newest stream of a table. It is kept and described, and has an ARN: but this server records no changes yet, so nothing
// stands behind that ARN.
type stream struct {
	// ViewType is what is to be recorded of a change; "" once the stream was switched off.
	ViewType string `json:"viewType,omitempty"`
	// CreatedAtMS is when it was switched on, in Unix milliseconds; no two streams of a table have the same. The label is made of it.
	CreatedAtMS int64 `json:"createdAtMS"`
}

func (s *stream) enabled() bool { return s != nil && s.ViewType != "" }

func (s *stream) label() string {
	return time.UnixMilli(s.CreatedAtMS).UTC().Format("2006-01-02T15:04:05.000")
}

// HasPart says whether a table has what Account.Resource calls a part of it: the stream of that label.
func HasPart(table *weft.Descriptor, part string) (bool, error) {
	s, err := SettingsOf(table)
	return part == "" || s.Stream != nil && part == "stream/"+s.Stream.label(), err
}

// check judges the request by itself. The texts are from memory.
func (s *StreamSpecification) check() error {
	switch {
	case s == nil:
	case *s.StreamEnabled && s.StreamViewType == nil:
		return exception.InvalidValue("StreamViewType is required when StreamEnabled is true")
	case !*s.StreamEnabled && s.StreamViewType != nil:
		return exception.InvalidValue("StreamViewType can not be specified when StreamEnabled is false")
	}
	return nil
}

// against judges the request beside the stream that a table has. The second text is from memory.
func (s *StreamSpecification) against(had *stream, table string) error {
	switch {
	case s == nil:
	case *s.StreamEnabled && had.enabled():
		return exception.Validation("Table already has an enabled stream: TableName: " + table)
	case !*s.StreamEnabled && !had.enabled():
		return exception.Validation("Table does not have an enabled stream: TableName: " + table)
	}
	return nil
}

// after is the table's newest stream once the request is done.
func (s *StreamSpecification) after(had *stream, nowMS int64) *stream {
	switch {
	case s == nil || !*s.StreamEnabled && had == nil:
		return had
	case !*s.StreamEnabled:
		return &stream{CreatedAtMS: had.CreatedAtMS}
	case had != nil:
		nowMS = max(nowMS, had.CreatedAtMS+1)
	}
	return &stream{*s.StreamViewType, nowMS}
}

// describeStream shows the newest stream, whose ARN stays when it is switched off.
func (d *Description) describeStream(s *stream) {
	d.StreamSpecification = nil
	if s == nil {
		return
	}
	if s.enabled() {
		on := true
		d.StreamSpecification = &StreamSpecification{&on, &s.ViewType}
	}
	d.LatestStreamLabel = s.label()
	d.LatestStreamArn = d.TableArn + "/stream/" + d.LatestStreamLabel
}
