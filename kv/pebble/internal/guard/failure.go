// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// Failure is the end of a store that can't go on, because it no longer knows what the disk holds. The first one wins:
// from then on nothing is acknowledged, no file changes any more (see FS), and every waiting call returns.
type Failure struct {
	once    sync.Once
	stopped chan struct{} // closed by the first failure
	cause   atomic.Pointer[error]
	gate    *Gate
	opened  atomic.Bool // from here on the program is asked to end
	fatal   func(error)
	logger  *slog.Logger
}

// NewFailure returns the failure, which has not happened yet, of the store behind the gate. fatal is called once, on a
// goroutine of its own, when the program should end.
func NewFailure(g *Gate, logger *slog.Logger, fatal func(error)) *Failure {
	return &Failure{stopped: make(chan struct{}), gate: g, fatal: fatal, logger: logger}
}

// Opened tells that the store is open: from here on a failure asks the program to end.
func (f *Failure) Opened() { f.opened.Store(true) }

// Stopped is closed by the first failure.
func (f *Failure) Stopped() <-chan struct{} { return f.stopped }

// Cause returns the first failure, nil if there was none.
func (f *Failure) Cause() error {
	if cause := f.cause.Load(); cause != nil {
		return *cause
	}
	return nil
}

// Fail ends the store and, if it was open, asks the program to end. It returns at once.
func (f *Failure) Fail(err error) {
	f.Stop(err, func() {
		if !f.opened.Load() {
			return
		}
		f.logger.Error("the store has stopped: end this process and start it again", "error", err.Error())
		go f.fatal(err)
	})
}

// Stop ends the store; then runs only for the first cause.
func (f *Failure) Stop(err error, then func()) {
	f.once.Do(func() {
		f.cause.Store(&err)
		f.gate.Shut()
		close(f.stopped)
		then()
	})
}

// Failed reports whether the store has stopped.
func (f *Failure) Failed() bool { return f.cause.Load() != nil }

// ClosedErr says why the store takes no calls any more.
func (f *Failure) ClosedErr() error {
	if cause := f.cause.Load(); cause != nil {
		return fmt.Errorf("%w: the store has stopped, end the process: %w", kv.ErrClosed, *cause)
	}
	return kv.ErrClosed
}

// UnknownErr is the error of a commit that was in progress when the store stopped.
func (f *Failure) UnknownErr() error {
	if cause := f.cause.Load(); cause != nil {
		return fmt.Errorf("%w: %w", kv.ErrUnknownOutcome, *cause)
	}
	return kv.ErrUnknownOutcome
}

// Logger is Pebble's logger. Pebble calls Fatalf when it can't go on, often holding locks. Returning would let it run
// on with a state it calls impossible, and unwinding the goroutine would release locks over that state; so Fatalf stops
// the store, which makes all waiting callers return, and then keeps Pebble's goroutine for ever.
type Logger struct {
	logger  *slog.Logger
	failure *Failure
}

// NewLogger returns Pebble's logger of a store.
func NewLogger(logger *slog.Logger, failure *Failure) *Logger { return &Logger{logger, failure} }

// Infof logs what Pebble does.
func (l *Logger) Infof(format string, args ...any) {
	if l.logger.Enabled(context.Background(), slog.LevelDebug) {
		l.logger.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf logs what Pebble failed to do.
func (l *Logger) Errorf(format string, args ...any) {
	l.logger.Error(fmt.Sprintf(format, args...))
}

// Fatalf stops the store and does not return.
func (l *Logger) Fatalf(format string, args ...any) {
	l.failure.Fail(fmt.Errorf("engine: "+format, args...))
	park()
}

// park keeps a goroutine for ever.
func park() { select {} }
