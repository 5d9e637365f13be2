// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// TestIngestGivenUp gives up an ingestion: its caller's function is neither running nor called any more, and nothing
// was added.
func TestIngestGivenUp(t *testing.T) {
	s := opened(t, small(vfs.NewMem()))
	for round := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		calls, isRunning := 0, false // Ingest itself keeps the looks below apart from the changes here
		err := s.Ingest(ctx, func() (key, value []byte, err error) {
			isRunning = true
			if calls++; calls == 100*round+1 {
				cancel()
				time.Sleep(time.Millisecond)
			}
			isRunning = false
			return fmt.Appendf(nil, "key %09d", calls), []byte("value"), nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		seen := calls
		if time.Sleep(time.Millisecond); isRunning || calls != seen {
			t.Fatalf("Ingest has returned: its caller's function is running: %t, and was called %d times more",
				isRunning, calls-seen)
		}
	}
	reader, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cursor := reader.Scan(t.Context(), kv.Range{}, false)
	if cursor.Next() {
		t.Errorf("%q is there", cursor.Key())
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
}
