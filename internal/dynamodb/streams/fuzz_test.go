// SPDX-License-Identifier: Apache-2.0

package streams

import "testing"

// FuzzParseSequence checks that what is read as a sequence number is written again as the same number.
func FuzzParseSequence(f *testing.F) {
	f.Add("4707314166991421439999999")
	f.Add("00000000000000000000000")
	f.Add("99999999999999999999999999999")
	f.Fuzz(func(t *testing.T, text string) {
		stamp, n, ok := parseSequence(text)
		if !ok {
			return
		}
		again, m, ok := parseSequence(sequence(stamp, n))
		if !ok || again != stamp || m != n {
			t.Fatalf("%q is %d and %d, then %d and %d", text, stamp, n, again, m)
		}
	})
}

// FuzzParseIterator checks that no text of a client's makes an iterator without a shard, or one before the first
// change.
func FuzzParseIterator(f *testing.F) {
	f.Add("arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-01-01T00:00:00.000|1|eyJTaGFyZCI6InMifQ==")
	f.Add("arn|1|e30=")
	f.Fuzz(func(t *testing.T, text string) {
		if _, i, err := parseIterator(text); err == nil && (i.Shard == "" || i.N < 0) {
			t.Fatalf("%q is %+v", text, i)
		}
	})
}
