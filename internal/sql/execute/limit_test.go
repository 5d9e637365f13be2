// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"testing"
	"time"
)

// ender is a sink that is told when to give its client up.
type ender struct{ told chan context.Context }

func (e ender) EndBy(ctx context.Context) func() bool {
	e.told <- ctx
	return func() bool { return true }
}

// TestLimit runs statements one after the other under one Limit: those that end in time share a context, and the one
// whose time is up ends, whatever the statement before it was given.
func TestLimit(t *testing.T) {
	var l Limit
	defer l.Close()
	sink := ender{make(chan context.Context, 1)}
	first := l.begin(t.Context(), time.Hour, sink)
	l.finish()
	if next := l.begin(t.Context(), time.Hour, sink); next != first {
		t.Error("the context is not used again")
	}
	l.finish()

	late := l.begin(t.Context(), time.Millisecond, sink)
	<-late.Done()
	if told := <-sink.told; told != late || !errors.Is(context.Cause(late), errTimeout) {
		t.Errorf("it ended by %v, and its sink was told of the right end: %t", context.Cause(late), told == late)
	}
	l.finish()

	after := l.begin(t.Context(), time.Hour, sink)
	if after.Err() != nil {
		t.Error("the next statement has ended with the one before")
	}
	l.finish()

	parent, cancel := context.WithCancelCause(t.Context())
	of := l.begin(parent, time.Hour, sink)
	cause := errors.New("killed")
	cancel(cause)
	if <-of.Done(); context.Cause(of) != cause {
		t.Errorf("it ended by %v", context.Cause(of))
	}
	l.finish()
}
