// SPDX-License-Identifier: Apache-2.0

// Package streamcommand is the commands that read streams from a running server: weft tail and weft trigger.
//
// Knows: what the commands print, the events of AWS Lambda, files of positions.
// Never: databases, engines.
package streamcommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/dynamodb/streamreader"
)

// Host is the part of the program that commands need.
type Host struct {
	Stdout, Stderr io.Writer
	// Getenv reads a variable of the environment.
	Getenv func(name string) string
	// Signals returns a context that ends when the user ends the program.
	Signals func(ctx context.Context) (context.Context, context.CancelFunc)
}

// source is the source of a stream, as flags name it.
type source struct {
	dynamoport.Port
	from string
	poll time.Duration
}

func (s *source) addFlags(c *cobra.Command) {
	c.Flags().SortFlags = false
	s.AddFlags(c.Flags())
	c.Flags().StringVar(&s.from, "from", "now",
		"where to begin: `now` or start, which is the oldest change that can be read")
	c.Flags().DurationVar(&s.poll, "poll", 200*time.Millisecond, "how long to wait after the last change was read")
}

// reader reads the stream of a table.
func (s *source) reader(h *Host, table string) (*streamreader.Reader, error) {
	if s.from != "now" && s.from != "start" {
		return nil, commandline.Usage(fmt.Errorf("--from is now or start, not %q", s.from))
	}
	if s.poll <= 0 {
		return nil, commandline.Usage(errors.New("--poll must be longer than nothing"))
	}
	service, err := s.Service(h.Getenv)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	service.Target = "DynamoDBStreams_20120810."
	return &streamreader.Reader{Streams: service, Table: table, FromNow: s.from == "now", Lost: func(shard string) {
		fmt.Fprintf(h.Stderr, "weft: changes of shard %s were older than 24 hours before they were read: they are lost, and it goes on with the oldest that are left\n", shard)
	}}, nil
}

// explained says what to do about an error of the stream.
func (h *Host) explained(ctx context.Context, err error, f *streamreader.Reader, endpoint string) error {
	if !errors.Is(err, streamreader.ErrNoStream) {
		return dynamoport.Explained(err, endpoint)
	}
	if missing := dynamoport.NoTable(ctx, f.Streams, f.Table); missing != nil {
		return missing
	}
	return fmt.Errorf("table %s has no stream: switch one on with aws dynamodb update-table --endpoint-url %s --table-name %s "+
		"--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES, or in SQL with ALTER TABLE %s SET 'STREAM'='NEW_AND_OLD_IMAGES'", f.Table, endpoint, f.Table, f.Table)
}

// isPassing reports whether an error may be gone at the next try: the server does not answer, or not now.
func isPassing(err error) bool {
	fault, ok := errors.AsType[*remote.Fault](err)
	if ok {
		return fault.Status >= 500 || fault.Name == "ThrottlingException"
	}
	_, ok = errors.AsType[*url.Error](err)
	return ok
}

// rest waits, and reports whether the time has passed before ctx ended.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
