// SPDX-License-Identifier: Apache-2.0

package streamcommand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// Bounds of AWS Lambda.
const (
	batchMax      = 10_000
	eventBytesMax = 6 << 20
)

// trigger holds the flags of `weft trigger`.
type trigger struct {
	source
	batch    int
	window   time.Duration
	retries  int
	noBisect bool
	timeout  time.Duration
	position string
	failed   string
}

// TriggerCommand is `weft trigger`.
func (h *Host) TriggerCommand() *cobra.Command {
	var t trigger
	command := &cobra.Command{
		Use:   "trigger TABLE URL",
		Short: "Post the changes of a table to a URL, as AWS Lambda gets them",
		Long: `Post the changes of a table's items to a URL, as the JSON that AWS Lambda gets from DynamoDB Streams. An answer of 200 to 299 says that
a batch was handled; it may name records that were not in batchItemFailures. Any other answer, or none, makes the batch come again: at once in
halves, to find the record that fails, then that record alone after longer and longer pauses. The changes of an item come in their order.

The position is kept in a file, so that the command goes on where it was when it is started again. Each change is posted at least once.`,
		Example: "  weft trigger games http://127.0.0.1:9000/changes --batch 500 --window 1s --retries 5 --failed failed.jsonl",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return commandline.Usage(errors.New("weft trigger takes the name of a table and a URL; see weft trigger --help"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return h.trigger(c, &t, args[0], args[1]) },
	}
	t.addFlags(command)
	flags := command.Flags()
	flags.IntVar(&t.batch, "batch", 100, "the most records of one post")
	flags.DurationVar(&t.window, "window", 0, "how long to let changes gather before the next post")
	flags.IntVar(&t.retries, "retries", -1,
		"how often a record that fails is tried again before it goes to --failed; -1: until it does not fail")
	flags.BoolVar(&t.noBisect, "no-bisect", false, "try a batch that fails again as a whole")
	flags.DurationVar(&t.timeout, "timeout", time.Minute, "how long an answer may take")
	flags.StringVar(&t.position, "position", "", "`FILE` of the position (default: TABLE.position.json)")
	flags.StringVar(&t.failed, "failed", "", "`FILE` that gets the records that are given up, a line of JSON each")
	return command
}

// check looks for faults of the command line.
func (t *trigger) check(target string) error {
	u, err := url.Parse(target)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q is no URL such as http://127.0.0.1:9000/changes", target)
	case t.batch < 1 || t.batch > batchMax:
		return fmt.Errorf("--batch is 1 to %d, not %d", batchMax, t.batch)
	case t.window < 0 || t.window > 5*time.Minute:
		return fmt.Errorf("--window is 0s to 5m, not %s", t.window)
	case t.timeout <= 0:
		return errors.New("--timeout must be longer than nothing")
	case t.retries < -1:
		return fmt.Errorf("--retries is -1 or more, not %d", t.retries)
	case t.retries >= 0 && t.failed == "":
		return errors.New("--retries gives records up, so it needs --failed: name a file for them")
	}
	return nil
}

func (h *Host) trigger(c *cobra.Command, t *trigger, table, target string) error {
	if err := t.check(target); err != nil {
		return commandline.Usage(err)
	}
	f, err := t.reader(h, table)
	if err != nil {
		return err
	}
	f.Kept = true
	t.position = cmp.Or(t.position, table+".position.json")
	if f.Position, err = readPosition(t.position); err != nil {
		return err
	}
	ctx, stop := h.Signals(c.Context())
	defer stop()
	d := &delivery{
		trigger: t, host: h, reader: f, url: target, client: &http.Client{Timeout: t.timeout},
		warn: func(format string, args ...any) { fmt.Fprintf(h.Stderr, "weft: "+format+"\n", args...) },
	}
	return d.run(ctx)
}

// run posts changes until ctx ends, or the stream does.
func (d *delivery) run(ctx context.Context) error {
	for {
		n, ended, err := d.reader.Poll(ctx, d.take)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (!isPassing(err) || d.reader.Position.Stream == ""):
			return d.host.explained(ctx, err, d.reader, d.Endpoint)
		case err != nil:
			d.warn("the server does not answer; it is asked again: %v", err)
			rest(ctx, reconnectInterval)
			continue
		}
		if err := d.save(); err != nil {
			return err
		}
		if ended {
			d.warn("the stream of table %s was switched off, and all of it was posted", d.reader.Table)
			return nil
		}
		if n == 0 || d.window > 0 {
			rest(ctx, max(d.poll, d.window))
		}
	}
}
