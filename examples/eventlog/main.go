// SPDX-License-Identifier: Apache-2.0

// Program eventlog keeps a log of orders and, beside it, what a consumer makes of it: the turnover of each customer.
// The consumer keeps its position in the transaction that changes the turnover. So each event counts once, however
// often the program is stopped.
//
//	eventlog sell ann 1250    writes an event
//	eventlog consume          counts the events that are new, and prints the turnovers
//	eventlog follow           goes on until it is interrupted
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/sortkey"
)

// Event is a sale. Its ids grow with time.
type Event struct {
	ID       string    `weft:"id,key"`
	At       time.Time `weft:"at"`
	Customer string    `weft:"customer"`
	Cents    int64     `weft:"cents"`
}

// Turnover is the sum of a customer's purchases, in cents.
type Turnover struct {
	Customer string `weft:"customer,key"`
	Cents    int64  `weft:"cents"`
	Events   int    `weft:"events"`
}

// Consumer is a consumer's position in the stream.
type Consumer struct {
	Name     string `weft:"name,key"`
	Position []byte `weft:"position"`
}

// Log is the log, and the tables of its consumer.
type Log struct {
	db        *weft.DB
	events    weft.Typed[Event]
	turnovers weft.Typed[Turnover]
	consumers weft.Typed[Consumer]
}

// OpenLog opens the log in a folder, or makes it.
func OpenLog(ctx context.Context, dir string) (*Log, error) {
	db, err := weft.Open(ctx, dir, weft.Options{})
	if err != nil {
		return nil, err
	}
	l := &Log{db: db}
	l.events, err = weft.EnsureTableOf[Event](ctx, db, weft.TableSpec{Name: "events", Stream: weft.StreamNew})
	if err == nil {
		l.turnovers, err = weft.EnsureTableOf[Turnover](ctx, db, weft.TableSpec{Name: "turnovers"})
	}
	if err == nil {
		l.consumers, err = weft.EnsureTableOf[Consumer](ctx, db, weft.TableSpec{Name: "consumers"})
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

// Close closes the log.
func (l *Log) Close() error { return l.db.Close() }

// Sell adds an event.
func (l *Log) Sell(ctx context.Context, customer string, cents int64) error {
	now := time.Now()
	id, err := sortkey.NewUUID(now)
	if err != nil {
		return err
	}
	return l.events.Put(ctx, Event{ID: id.String(), At: now, Customer: customer, Cents: cents})
}

// consumer is the one consumer that this program has.
const consumer = "turnover"

// Consume counts the events that are new. With follow it waits for more, until ctx ends.
func (l *Log) Consume(ctx context.Context, follow bool) error {
	state, _, err := l.consumers.Get(ctx, Consumer{Name: consumer})
	if err != nil {
		return err
	}
	changes := l.events.Changes
	if follow {
		changes = l.events.Follow
	}
	at := state.Position
	for change, err := range changes(ctx, at) {
		if err != nil {
			return err
		}
		if err := l.count(ctx, change, at); err != nil {
			return err
		}
		at = change.Position
	}
	return nil
}

// errMoved ends a consumer whose position another one has moved, or a commit of its own whose outcome it did not learn.
var errMoved = errors.New("the position has moved: consume again")

// count adds one event to the turnover of its customer, and keeps the position behind it, if that is still at.
func (l *Log) count(ctx context.Context, change weft.Change, at []byte) error {
	var event Event
	if err := change.New.Decode(&event); err != nil {
		return err
	}
	return l.db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
		state, _, err := l.consumers.In(tx).Get(ctx, Consumer{Name: consumer})
		if err != nil {
			return err
		}
		if !bytes.Equal(state.Position, at) {
			return errMoved
		}
		if change.Kind == weft.Insert {
			add := weft.Updates(weft.Attribute("cents").Add(event.Cents), weft.Attribute("events").Add(1))
			if _, err := l.turnovers.In(tx).Update(ctx, Turnover{Customer: event.Customer}, add); err != nil {
				return err
			}
		}
		return l.consumers.In(tx).Put(ctx, Consumer{Name: consumer, Position: change.Position})
	})
}

// Print writes the turnover of each customer.
func (l *Log) Print(ctx context.Context, to io.Writer) error {
	for t, err := range l.turnovers.Query(ctx, weft.Query{}) {
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "%s %d.%02d in %d events\n", t.Customer, t.Cents/100, t.Cents%100, t.Events)
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, "events.weft", os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string, args []string, to io.Writer) (err error) {
	l, err := OpenLog(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	switch {
	case len(args) == 3 && args[0] == "sell":
		cents, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return err
		}
		return l.Sell(ctx, args[1], cents)
	case len(args) == 1 && (args[0] == "consume" || args[0] == "follow"):
		err := l.Consume(ctx, args[0] == "follow")
		if err != nil && weft.KindOf(err) != weft.KindCanceled {
			return err
		}
		return l.Print(context.WithoutCancel(ctx), to)
	}
	return errors.New("usage: eventlog sell CUSTOMER CENTS, or consume, or follow")
}
