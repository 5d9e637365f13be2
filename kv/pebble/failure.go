// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// failure is the end of a store that can't go on, because it no longer knows what the disk holds. The first one wins: from then on nothing
// is acknowledged, no file changes any more (see guardFS), and every waiting call returns.
type failure struct {
	once    sync.Once
	stopped chan struct{} // closed by the first failure
	cause   atomic.Pointer[error]
	gate    *gate
	opened  atomic.Bool // from here on the program is asked to end
	fatal   func(error)
	logger  *slog.Logger
}

func newFailure(o *Options, g *gate) *failure {
	return &failure{stopped: make(chan struct{}), gate: g, fatal: o.Fatal, logger: o.Logger}
}

// fail ends the store and, if it was open, asks the program to end. It returns at once.
func (f *failure) fail(err error) {
	f.stop(err, func() {
		if !f.opened.Load() {
			return
		}
		f.logger.Error("the store has stopped: end this process and start it again", "error", err.Error())
		go f.fatal(err)
	})
}

// stop ends the store; then runs only for the first cause.
func (f *failure) stop(err error, then func()) {
	f.once.Do(func() {
		f.cause.Store(&err)
		f.gate.shut()
		close(f.stopped)
		then()
	})
}

func (f *failure) failed() bool { return f.cause.Load() != nil }

// closedErr says why the store takes no calls any more.
func (f *failure) closedErr() error {
	if cause := f.cause.Load(); cause != nil {
		return fmt.Errorf("%w: the store has stopped, end the process: %w", kv.ErrClosed, *cause)
	}
	return kv.ErrClosed
}

// unknownErr is what a commit returns that was under way when the store stopped.
func (f *failure) unknownErr() error {
	if cause := f.cause.Load(); cause != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnknownOutcome, *cause)
	}
	return kv.ErrUnknownOutcome
}

// engineLogger is Pebble's logger. Pebble calls Fatalf when it can't go on, often holding locks. Returning would let it run on with a state
// it calls impossible, and unwinding the goroutine would release locks over that state; so Fatalf stops the store, which makes all waiting
// callers return, and then keeps Pebble's goroutine for ever.
type engineLogger struct {
	logger  *slog.Logger
	failure *failure
}

// Infof logs what Pebble does.
func (l *engineLogger) Infof(format string, args ...any) {
	if l.logger.Enabled(context.Background(), slog.LevelDebug) {
		l.logger.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf logs what Pebble failed to do.
func (l *engineLogger) Errorf(format string, args ...any) {
	l.logger.Error(fmt.Sprintf(format, args...))
}

// Fatalf stops the store and does not return.
func (l *engineLogger) Fatalf(format string, args ...any) {
	l.failure.fail(fmt.Errorf("engine: "+format, args...))
	park()
}

// park keeps a goroutine for ever.
func park() { select {} }
