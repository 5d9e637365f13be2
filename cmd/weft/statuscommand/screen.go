// SPDX-License-Identifier: Apache-2.0

package statuscommand

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
)

// Host is the part of the program that the command needs.
type Host struct {
	Stdout io.Writer
	// Terminal says that a person reads Stdout.
	Terminal bool
	// Get asks the admin port at addr for a page. The answer must be closed.
	Get func(ctx context.Context, addr, target string) (io.ReadCloser, error)
	// Signals returns a context that ends when the user ends the program.
	Signals func(ctx context.Context) (context.Context, context.CancelFunc)
}

// measured is the time over which rates are taken.
const measured = time.Second

// Command is `weft status`.
func (h *Host) Command() *cobra.Command {
	var admin string
	var watch, asJSON bool
	var every time.Duration
	command := &cobra.Command{
		Use:   "status",
		Short: "Show how a running server does: what listens, sizes, load, lag, work and findings",
		Long: `Show how a running server does, on one screen: where it listens, the size of its tables, the requests of the last second with
their latency, what is behind (search indexes, shipping), the work in the background, resources that are nearly used up, and the
findings of weft hot. --watch shows it again and again.`,
		Example: "  weft status\n  weft status --watch\n  weft status --json | jq .protocols",
		Args:    commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if every < measured {
				return commandline.Usage(fmt.Errorf("--every is %s: use at least %s", every, measured))
			}
			ctx, stop := h.Signals(c.Context())
			defer stop()
			a := &asker{get: func(ctx context.Context, target string) (io.ReadCloser, error) {
				return h.Get(ctx, admin, target)
			}}
			if !watch {
				return h.show(ctx, a, asJSON)
			}
			return h.watch(ctx, a, every, asJSON)
		},
	}
	flags := command.Flags()
	flags.StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	flags.BoolVar(&watch, "watch", false, "show it again and again, until Ctrl-C")
	flags.DurationVar(&every, "every", 2*time.Second, "how long --watch waits between two screens")
	flags.BoolVar(&asJSON, "json", false, "print JSON: one object, or with --watch one a line")
	return command
}

// show shows one screen.
func (h *Host) show(ctx context.Context, a *asker, asJSON bool) error {
	if err := a.json(ctx, "/api/overview", &a.last); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(measured):
	}
	s, err := a.read(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		encoder := json.NewEncoder(h.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(s)
	}
	_, err = io.WriteString(h.Stdout, s.Text())
	return err
}

// watch shows screens until ctx ends.
func (h *Host) watch(ctx context.Context, a *asker, every time.Duration, asJSON bool) error {
	if err := a.json(ctx, "/api/overview", &a.last); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		s, err := a.read(ctx)
		switch {
		case errors.Is(ctx.Err(), context.Canceled):
			return nil
		case err != nil:
			return err
		case asJSON:
			err = json.NewEncoder(h.Stdout).Encode(s)
		case h.Terminal:
			_, err = io.WriteString(h.Stdout, "\x1b[H\x1b[2J"+s.Text())
		default:
			_, err = io.WriteString(h.Stdout, s.Text()+"\n")
		}
		if err != nil {
			return err
		}
	}
}

// listMax is the largest number of lines of a part of the screen.
const listMax = 5

// Text is a screen for people.
func (s *Status) Text() string {
	b := &strings.Builder{}
	head := "weft " + s.Server.Version
	if s.Server.Engine != "" {
		head += ", engine " + s.Server.Engine
	}
	if s.Server.Data != "" {
		head += " in " + s.Server.Data
	}
	fmt.Fprintf(b, "%s, process %d, up %s, %s\n", head, s.Server.PID, since(s.UpSeconds),
		cmp.Or(prefixed("NOT READY: ", s.NotReady), "ready"))
	part(b, "listens", s.listens())
	part(b, "size", s.sizes())
	part(b, "load", s.load())
	part(b, "gateway", s.Gateway.lines())
	part(b, "lag", s.behind())
	part(b, "work", s.working())
	part(b, "findings", s.found())
	return b.String()
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// part writes lines behind a title.
func part(b *strings.Builder, title string, lines []string) {
	if more := len(lines) - listMax - 1; more > 0 {
		lines = append(lines[:listMax:listMax], fmt.Sprintf("and %d more", more+1))
	}
	for i, line := range lines {
		if i > 0 {
			title = ""
		}
		fmt.Fprintf(b, "%-9s %s\n", title, line)
	}
}

func (s *Status) listens() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Server.Endpoints)) {
		lines = append(lines, fmt.Sprintf("%-13s %s", name, s.Server.Endpoints[name]))
	}
	return lines
}

func (s *Status) sizes() []string {
	lines := []string{fmt.Sprintf("%s with about %s rows, %s with about %s entries, about %s",
		counted(s.Size.Tables, "table", "tables"), output.About(s.Size.Rows), counted(s.Size.Indexes, "index", "indexes"),
		output.About(s.Size.Entries), bytesOf(float64(s.Size.Bytes)))}
	memory := "memory: " + bytesOf(s.Gauges["memoryBytes"]) + " in all"
	if cache, ok := s.Gauges["cacheBytes"]; ok {
		memory += fmt.Sprintf(", %s of blocks, %s of new writes", bytesOf(cache), bytesOf(s.Gauges["memtableBytes"]))
	}
	if disk, ok := s.Gauges["diskBytes"]; ok {
		lines = append(lines, fmt.Sprintf("disk: %s, %s free", bytesOf(disk), bytesOf(s.Gauges["diskFreeBytes"])))
	}
	lines = append(lines, memory)
	if len(s.Memory) > 0 {
		lines = append(lines, "memory: "+s.division())
	}
	for _, name := range slices.Sorted(maps.Keys(s.Resources)) {
		if share := s.Resources[name]; share >= 0.7 {
			lines = append(lines, fmt.Sprintf("%s: %.0f %% in use", name, 100*share))
		}
	}
	return lines
}

// division says how much each part of the process may take.
func (s *Status) division() string {
	all, parts := 0.0, []string(nil)
	for _, name := range slices.Sorted(maps.Keys(s.Memory)) {
		all += s.Memory[name]
		if s.Memory[name] > 0 {
			parts = append(parts, bytesOf(s.Memory[name])+" "+name)
		}
	}
	return fmt.Sprintf("at most %s: %s", bytesOf(all), strings.Join(parts, ", "))
}

func (s *Status) load() (lines []string) {
	for _, p := range s.Protocols {
		line := fmt.Sprintf("%-13s %s, %.0f requests/s", p.Name, counted(int64(p.Connections), "connection", "connections"),
			p.PerSecond)
		if p.P99 > 0 {
			line += fmt.Sprintf(", p50 %s, p99 %s at most", duration(p.P50), duration(p.P99))
		}
		if p.Failed+p.Refused > 0 {
			line += fmt.Sprintf("; since the start %s failed, %s refused", output.Thousands(int64(p.Failed)),
				output.Thousands(int64(p.Refused)))
		}
		lines = append(lines, line)
	}
	for _, effect := range slices.Sorted(maps.Keys(s.Throttled)) {
		lines = append(lines, fmt.Sprintf("%-13s since the start %s over the throughput of their tables, %s", "throttled",
			counted(int64(s.Throttled[effect]), "read or write", "reads and writes"), effect))
	}
	return lines
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Microsecond).String()
}

func (g *Gateway) lines() []string {
	if g == nil {
		return nil
	}
	return []string{fmt.Sprintf("its lease was renewed %.1f s ago; it does for all: %s", g.LeaseAge,
		cmp.Or(strings.Join(g.Works, ", "), "nothing"))}
}

func (s *Status) behind() (lines []string) {
	for _, l := range s.Lags {
		lines = append(lines, fmt.Sprintf("%s: %.1f s", l.What, l.Seconds))
	}
	if debt := s.Gauges["compactionDebtBytes"]; debt > 0 {
		lines = append(lines, "compaction: "+bytesOf(debt))
	}
	return orNone(lines)
}

func (s *Status) working() (lines []string) {
	for _, w := range s.Work {
		line := w.Kind
		if w.Table != "" {
			line += " of " + named(w.Database, w.Table)
		}
		line += prefixed(", ", w.Object) + ", " + w.State
		if w.Rows > 0 {
			line += ": " + counted(w.Rows, "row", "rows")
		}
		if w.Expected > 0 {
			line += " of about " + output.Thousands(w.Expected)
		}
		if w.Bytes > 0 {
			line += ", " + bytesOf(float64(w.Bytes)) + " done"
		}
		lines = append(lines, line)
	}
	return orNone(lines)
}

func (s *Status) found() (lines []string) {
	for _, f := range s.Findings {
		if f.Kind == "even" {
			continue // all is well
		}
		level := "note"
		if f.Warning {
			level = "WARNING"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s%s: %s", level, f.Kind, f.Table, prefixed(" ", f.Index), f.Text))
	}
	if len(lines) > 0 {
		lines = append(lines[:min(len(lines), listMax)], "weft hot says what to do")
	}
	return orNone(lines)
}

func orNone(lines []string) []string {
	if len(lines) == 0 {
		return []string{"none"}
	}
	return lines
}

// counted is a number with its noun.
func counted[N int | int64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return output.Thousands(int64(n)) + " " + more
}

// bytesOf writes a number of bytes in the unit that suits it.
func bytesOf(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for len(units) > 1 && n >= 1024 {
		n, units = n/1024, units[1:]
	}
	if n < 10 && units[0] != "B" {
		return fmt.Sprintf("%.1f %s", n, units[0])
	}
	return fmt.Sprintf("%.0f %s", n, units[0])
}
