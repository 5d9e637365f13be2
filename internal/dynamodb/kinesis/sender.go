// SPDX-License-Identifier: Apache-2.0

// Package kinesis sends the changes of tables to streams of Kinesis: at least once, and as a rule in the order of their
// commits.
//
// Knows: Kinesis' operations, the form of a change there.
// Never: the storage of changes, the requests for destinations.
package kinesis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/history/capture"
)

// Bounds of PutRecords, and pauses.
const (
	recordsMax     = 500
	recordBytesMax = 10 << 20
	batchBytesMax  = 4 << 20
	lookInterval   = 100 * time.Millisecond
	pauseMax       = 30 * time.Second
)

// Options are the options of a Sender. All but Region are required.
type Options struct {
	DB      *database.DB
	Service *remote.Service
	Region  string // of the tables
	Logger  *slog.Logger
}

// Sender sends changes in the background.
type Sender struct {
	Options
	cancel  context.CancelFunc
	ended   sync.WaitGroup
	resting map[string]*rest // by table and stream: those that fail
}

// rest is when a destination that fails is tried again.
type rest struct {
	pause time.Duration
	until time.Time
}

// Start begins to send.
func Start(ctx context.Context, o Options) *Sender {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Sender{Options: o, cancel: cancel, resting: map[string]*rest{}}
	s.ended.Go(func() { s.run(life) })
	return s
}

// Close ends it. It must be called before the database is closed.
func (s *Sender) Close() {
	s.cancel()
	s.ended.Wait()
}

func (s *Sender) run(ctx context.Context) {
	for ctx.Err() == nil {
		if s.look(ctx) {
			continue
		}
		select {
		case <-time.After(lookInterval):
		case <-ctx.Done():
		}
	}
}

// look sends what is new, a batch for each destination, and reports whether there was any.
func (s *Sender) look(ctx context.Context) (busy bool) {
	if !s.DB.Changes().SendsChanges() {
		return false
	}
	for _, to := range s.DB.Changes().Sendings() {
		name := fmt.Sprint(to.Table, " ", to.ARN)
		r := s.resting[name]
		if r != nil && time.Now().Before(r.until) { // lint:clock a pause
			continue
		}
		sent, err := s.send(ctx, &to)
		busy = busy || sent
		if err == nil || ctx.Err() != nil {
			delete(s.resting, name)
			continue
		}
		if r == nil {
			r = &rest{pause: lookInterval}
			s.resting[name] = r
		}
		r.pause = min(2*r.pause, pauseMax)
		r.until = time.Now().Add(r.pause) // lint:clock a pause
		s.Logger.Error("changes could not be sent to Kinesis; will retry", "table", to.Name, "stream", to.ARN, "pause",
			r.pause.String(), "error", err.Error())
	}
	return busy
}

func (s *Sender) send(ctx context.Context, to *capture.DestinationState) (sent bool, err error) {
	if !to.Reached && to.EndedAtMS == 0 {
		if gone, err := s.meet(ctx, to); gone || err != nil {
			return false, err
		}
	}
	b := batch{sender: s, to: to}
	sent, lost, err := s.DB.Changes().Send(ctx, to, b.add, b.put)
	if lost {
		s.Logger.Error("changes were not sent to Kinesis within 24 hours and are lost there", "table", to.Name,
			"stream", to.ARN)
	}
	return sent, err
}

// meet finds out whether a stream is there, and notes it.
func (s *Sender) meet(ctx context.Context, to *capture.DestinationState) (gone bool, err error) {
	err = s.Service.Call(ctx, "DescribeStreamSummary",
		map[string]any{"StreamARN": to.ARN, "StreamName": nameOf(to.ARN)}, nil)
	fault, refused := errors.AsType[*remote.Fault](err)
	switch {
	case err == nil:
		return false, s.DB.Changes().SettleDestination(ctx, to, "")
	case refused && fault.Name == "ResourceNotFoundException":
		return true, s.DB.Changes().SettleDestination(ctx, to, "The stream does not exist: "+fault.Message)
	}
	return false, err
}
