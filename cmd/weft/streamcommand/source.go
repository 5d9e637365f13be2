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
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/dynamodb/streamreader"
	"github.com/weftdb/weft/internal/security/signature"
)

// Host is what commands need of the program.
type Host struct {
	Stdout, Stderr io.Writer
	// Getenv reads a variable of the environment.
	Getenv func(name string) string
	// Usage marks a fault of the command line.
	Usage func(error) error
	// NoTable is the error for a name that none of the tables has.
	NoTable func(name string, tables []string) error
	// Signals returns a context that ends when the user ends the program.
	Signals func(ctx context.Context) (context.Context, context.CancelFunc)
}

// source is where a stream is read from, as flags say it.
type source struct {
	endpoint, region, from string
	poll                   time.Duration
}

func (s *source) addFlags(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().StringVar(&s.endpoint, "endpoint", "http://127.0.0.1:8000", "`URL` of the server's DynamoDB port")
	c.Flags().StringVar(&s.region, "region", "us-east-1",
		"`REGION` of the signature (default: AWS_REGION, or us-east-1)")
	c.Flags().StringVar(&s.from, "from", "now",
		"where to begin: `now` or start, which is the oldest change that can be read")
	c.Flags().DurationVar(&s.poll, "poll", 200*time.Millisecond, "how long to wait after the last change was read")
}

// reader reads the stream of a table.
func (s *source) reader(c *cobra.Command, h *Host, table string) (*streamreader.Reader, error) {
	if s.from != "now" && s.from != "start" {
		return nil, h.Usage(fmt.Errorf("--from is now or start, not %q", s.from))
	}
	if s.poll <= 0 {
		return nil, h.Usage(errors.New("--poll must be longer than nothing"))
	}
	if u, err := url.Parse(s.endpoint); err != nil || u.Host == "" {
		return nil, h.Usage(fmt.Errorf("--endpoint %q is no URL such as http://127.0.0.1:8000", s.endpoint))
	}
	if region := h.Getenv("AWS_REGION"); region != "" && !c.Flags().Changed("region") {
		s.region = region
	}
	service := &remote.Service{URL: s.endpoint, Region: s.region, Name: "dynamodb", Target: "DynamoDBStreams_20120810.",
		Version: "1.0", Credentials: credentials(h.Getenv)}
	return &streamreader.Reader{Streams: service, Table: table, FromNow: s.from == "now", Lost: func(shard string) {
		fmt.Fprintf(h.Stderr, "weft: changes of shard %s were older than 24 hours before they were read: they are lost, and it goes on with the oldest that are left\n", shard)
	}}, nil
}

// credentials are those of the environment. A server that does not check signatures takes any.
func credentials(getenv func(string) string) signature.Credentials {
	c := signature.Credentials{AccessKey: getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"),
		Token: getenv("AWS_SESSION_TOKEN")}
	if c.AccessKey == "" {
		c.AccessKey, c.Secret = "weft", "weft"
	}
	return c
}

// tables lists the names of all tables of the server.
func tables(ctx context.Context, streams *remote.Service) (all []string, err error) {
	service := *streams
	service.Target = "DynamoDB_20120810."
	for request := map[string]string{}; ; {
		var page struct {
			TableNames             []string
			LastEvaluatedTableName string
		}
		if err := service.Call(ctx, "ListTables", request, &page); err != nil {
			return nil, err
		}
		if all = append(all, page.TableNames...); page.LastEvaluatedTableName == "" {
			return all, nil
		}
		request["ExclusiveStartTableName"] = page.LastEvaluatedTableName
	}
}

// explained says what to do about an error of the stream.
func (h *Host) explained(ctx context.Context, err error, f *streamreader.Reader, endpoint string) error {
	table := f.Table
	switch fault, ok := errors.AsType[*remote.Fault](err); {
	case errors.Is(err, streamreader.ErrNoStream):
		// Not everybody who may read a stream may list tables.
		if all, failed := tables(ctx, f.Streams); failed == nil && !slices.Contains(all, table) {
			return h.NoTable(table, all)
		}
		return fmt.Errorf("table %s has no stream: switch one on with aws dynamodb update-table --endpoint-url %s --table-name %s "+
			"--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES, or in SQL with ALTER TABLE %s SET 'STREAM'='NEW_AND_OLD_IMAGES'", table, endpoint, table, table)
	case ok && (fault.Name == "UnrecognizedClientException" || fault.Name == "MissingAuthenticationTokenException" ||
		fault.Name == "InvalidSignatureException"):
		return fmt.Errorf("%w (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an access key of the server)", err)
	case ok && fault.Name == http.StatusText(fault.Status): // it is no exception of DynamoDB's
		return fmt.Errorf("%s is not the DynamoDB port of a Weft server: set --endpoint to the address of --dynamodb-addr",
			endpoint)
	}
	return err
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
