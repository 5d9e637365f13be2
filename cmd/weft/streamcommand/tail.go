// SPDX-License-Identifier: Apache-2.0

package streamcommand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/dynamodb/streamreader"
)

// reconnectInterval is between two tries to reach a server that does not answer.
const reconnectInterval = time.Second

// valueRunesMax is the number of characters of a value that are shown beside another one.
const valueRunesMax = 60

// TailCommand is `weft tail`.
func (h *Host) TailCommand() *cobra.Command {
	var s source
	var all, asJSON bool
	command := &cobra.Command{
		Use:   "tail TABLE",
		Short: "Print the changes of a table while they happen",
		Long: `Print the changes of a table's items while they happen, with the old and the new value of each attribute that has changed side by side.
The table needs a stream; NEW_AND_OLD_IMAGES shows most. The command reads from the DynamoDB port of a running server, with the access key
of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY if they are set. It ends with the stream, or when it is interrupted.`,
		Example: "  weft tail games\n  weft tail games --from start --json | jq .dynamodb.Keys",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return commandline.Usage(errors.New("weft tail takes the name of one table; see weft tail --help"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f, err := s.reader(h, args[0])
			if err != nil {
				return err
			}
			return h.tail(c.Context(), f, &s, all, asJSON)
		},
	}
	s.addFlags(command)
	command.Flags().BoolVar(&all, "all", false, "also show the attributes that are the same")
	command.Flags().BoolVar(&asJSON, "json", false, "print each record as a line of JSON, as GetRecords shows it")
	return command
}

func (h *Host) tail(ctx context.Context, f *streamreader.Reader, s *source, all, asJSON bool) error {
	ctx, stop := h.Signals(ctx)
	defer stop()
	show := func(_ context.Context, _ string, records []streamreader.Record) error {
		var page bytes.Buffer
		for i := range records {
			if asJSON {
				line, err := json.Marshal(&records[i])
				if err != nil {
					return err
				}
				page.Write(append(line, '\n'))
			} else if err := printRecord(&page, &records[i], all); err != nil {
				return err
			}
		}
		_, err := h.Stdout.Write(page.Bytes())
		return err
	}
	for away := false; ; {
		n, ended, err := f.Poll(ctx, show)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !isPassing(err), err != nil && f.Position.Stream == "":
			return h.explained(ctx, err, f, s.Endpoint)
		case err != nil:
			if !away {
				fmt.Fprintf(h.Stderr, "weft: the server does not answer; it is asked again: %v\n", err)
			}
			away = true
			rest(ctx, reconnectInterval)
			continue
		case ended:
			fmt.Fprintf(h.Stderr, "weft: the stream of table %s was switched off; this was its end\n", f.Table)
			return nil
		}
		if away = false; n == 0 {
			rest(ctx, s.poll)
		}
	}
}

// printRecord prints a change: a line with its time, kind and key, then a line for each attribute with its old and its
// new value.
func printRecord(w io.Writer, r *streamreader.Record, all bool) error {
	c := &r.Change
	head := time.UnixMilli(int64(c.AtSeconds*1000)).UTC().Format(time.RFC3339) + "  " + r.EventName
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		head += "  " + plain(name) + "=" + shown(c.Keys[name])
	}
	if len(r.UserIdentity) > 0 {
		head += "  (expired)"
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	return printSides(w, sides(c, r.EventName, all))
}

// side is an attribute before and after a change.
type side struct{ name, old, new string }

// sides are the attributes to show, without those of the key.
func sides(c *streamreader.Change, event string, all bool) (list []side) {
	names := maps.Clone(c.OldImage)
	if names == nil {
		names = map[string]json.RawMessage{}
	}
	maps.Copy(names, c.NewImage)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if _, key := c.Keys[name]; key {
			continue
		}
		old, was := c.OldImage[name]
		now, is := c.NewImage[name]
		bothKnown := c.OldImage != nil && c.NewImage != nil
		if bothKnown && was && is && bytes.Equal(old, now) && !all {
			continue
		}
		s := side{name: plain(name)}
		switch {
		case was:
			s.old = shown(old)
		case c.OldImage == nil && event != "INSERT":
			s.old = "?" // the stream does not tell
		}
		switch {
		case is:
			s.new = shown(now)
		case c.NewImage == nil && event != "REMOVE":
			s.new = "?"
		}
		list = append(list, s)
	}
	return list
}

// printSides prints two columns of values.
func printSides(w io.Writer, list []side) error {
	names, olds := 0, 0
	for _, s := range list {
		names, olds = max(names, utf8.RuneCountInString(s.name)), max(olds,
			min(utf8.RuneCountInString(s.old), valueRunesMax))
	}
	for _, s := range list {
		old, now := cut(s.old, valueRunesMax), cut(s.new, 2*valueRunesMax)
		line := "  " + pad(s.name, names) + "  " + pad(old, olds) + "  |  " + now
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

func pad(text string, runes int) string {
	return text + strings.Repeat(" ", max(0, runes-utf8.RuneCountInString(text)))
}

func cut(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-2]) + ".."
}

// plain is a name as it is, or quoted where it would not be clear in a terminal.
func plain(name string) string {
	if quoted := strconv.Quote(name); len(quoted) != len(name)+2 || strings.ContainsAny(name, " =|") || name == "" {
		return quoted
	}
	return name
}

// shown is an attribute's value: strings quoted, numbers as they are, others as JSON.
func shown(value json.RawMessage) string {
	var one map[string]json.RawMessage
	if json.Unmarshal(value, &one) != nil {
		return string(value)
	}
	var text string
	switch {
	case one["S"] != nil && json.Unmarshal(one["S"], &text) == nil:
		return strconv.Quote(text)
	case one["N"] != nil && json.Unmarshal(one["N"], &text) == nil:
		return text
	case one["BOOL"] != nil:
		return string(one["BOOL"])
	case one["NULL"] != nil:
		return "null"
	}
	var flat bytes.Buffer
	if json.Compact(&flat, value) != nil {
		return string(value)
	}
	return strings.Map(printable, flat.String())
}

// printable keeps what would steer a terminal out of the output.
func printable(r rune) rune {
	if !strconv.IsPrint(r) {
		return '.'
	}
	return r
}
