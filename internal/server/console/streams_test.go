// SPDX-License-Identifier: Apache-2.0

package console

import "testing"

// TestStreams: one more than there may be ends the one that began first.
func TestStreams(t *testing.T) {
	s := &streams{most: 2}
	first, leaveFirst := s.join(t.Context())
	second, leaveSecond := s.join(t.Context())
	if first.Err() != nil {
		t.Error("a stream ends though there is room")
	}
	third, leaveThird := s.join(t.Context())
	if first.Err() == nil || second.Err() != nil || third.Err() != nil {
		t.Errorf("of three streams: %v, %v, %v", first.Err(), second.Err(), third.Err())
	}
	leaveFirst()
	leaveSecond()
	if fourth, leave := s.join(t.Context()); fourth.Err() != nil || third.Err() != nil {
		t.Error("a stream that left has a place still")
	} else {
		leave()
	}
	leaveThird()
	if len(s.open) != 0 {
		t.Errorf("%d streams are open in the end", len(s.open))
	}
}
