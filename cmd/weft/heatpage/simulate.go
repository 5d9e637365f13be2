// SPDX-License-Identifier: Apache-2.0

package heatpage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/advice/heat/heatmap"
	"github.com/weftdb/weft/internal/advice/heat/workload"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv/mem"
)

// simulatedMinutes is for how long a made-up load runs, on a clock of its own.
const simulatedMinutes = 20

// SimulateCommand is `weft simulate`. It prints to out.
func SimulateCommand(out io.Writer) *cobra.Command {
	p := &simulator{out: out}
	var seed uint64
	var statements bool
	var names []string
	var says strings.Builder
	for _, l := range workload.All() {
		names = append(names, l.Name)
		fmt.Fprintf(&says, "  %-20s %s\n", l.Name, l.Says)
	}
	command := &cobra.Command{
		Use:   "simulate [LOAD...]",
		Short: "Run synthetic loads on a temporary database and show the findings of weft hot",
		Long: "Run synthetic loads on a temporary database, each on its own table and for twenty simulated minutes, and show what weft hot\n" +
			"reports. Without arguments all loads run:\n\n" + says.String(),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = names
			}
			return p.simulate(c.Context(), args, seed, statements)
		},
	}
	command.Flags().Uint64Var(&seed, "seed", 1, "seed of the random numbers")
	command.Flags().BoolVar(&p.asMap, "map", false,
		"print the heat map of the writes instead, as GET /api/heat answers it, a line for each load")
	command.Flags().BoolVar(&statements, "statements", false, "also print the statements that apply the remedy")
	return command
}

type simulator struct {
	out   io.Writer
	asMap bool
}

func (p *simulator) simulate(ctx context.Context, names []string, seed uint64, statements bool) error {
	wrong := 0
	for _, name := range names {
		l, ok := workload.Find(name)
		if !ok {
			return commandline.Usage(fmt.Errorf("there is no load %q; see weft simulate --help", name))
		}
		ok, err := p.simulateLoad(ctx, l, seed, statements)
		if err != nil {
			return err
		}
		if !ok {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d loads were not classified as expected", wrong)
	}
	return nil
}

// simulateLoad sends one load to a store of its own, in memory; ok is false if it is found to be something else.
func (p *simulator) simulateLoad(ctx context.Context, l workload.Load, seed uint64, statements bool) (ok bool,
	err error) {
	quiet := slog.New(slog.DiscardHandler)
	store := mem.Open(mem.Options{})
	defer func() { err = errors.Join(err, store.Close()) }()
	counts := heat.New(heat.Options{})
	db, err := database.Open(ctx, heat.Wrap(store, counts), database.Options{Logger: quiet})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := runLoad(ctx, db, counts, l, seed); err != nil {
		return false, err
	}
	pictures, found := diagnoseHeat(counts, db)
	if p.asMap {
		text, err := drawMap(counts, db, &askedHeat{to: (simulatedMinutes + 2) * 60_000, measure: heatmap.Writes},
			pictures, found)
		fmt.Fprintf(p.out, "%s\n", text)
		return true, err
	}
	fmt.Fprintf(p.out, "%s: %s\n", l.Name, l.Says)
	for i := range found {
		if found[i].Table == tableOf(l) {
			ok = ok || found[i].Kind == l.Finding
			var text bytes.Buffer
			printFinding(&text, &found[i], statements)
			fmt.Fprint(p.out, text.String())
		}
	}
	fmt.Fprintln(p.out)
	return ok, nil
}

// tableOf names the table of a load.
func tableOf(l workload.Load) string { return strings.ReplaceAll(l.Name, "-", "_") }

// runLoad makes the load's table and sends the requests, telling the heat that a minute is over after each minute's.
func runLoad(ctx context.Context, db *database.DB, counts *heat.Map, l workload.Load, seed uint64) error {
	var columns []any
	for _, c := range l.Columns {
		kind := schema.Int
		if c.Text {
			kind = schema.String
		}
		columns = append(columns, c.Name, kind)
	}
	_, err := db.CreateTable(ctx, database.TableSpec{Name: tableOf(l), Key: database.Columns(columns...),
		PartitionParts: 1})
	if err != nil {
		return err
	}
	run := l.Start(seed)
	for minute := range simulatedMinutes {
		counts.Tick(int64(minute+1) * 60_000)
		if err := sendMinute(ctx, db, l, run.Minute(minute)); err != nil {
			return err
		}
	}
	counts.Tick((simulatedMinutes + 1) * 60_000)
	return nil
}

// batchRows is the number of rows a transaction of a simulation writes.
const batchRows = 100

func sendMinute(ctx context.Context, db *database.DB, l workload.Load, requests []workload.Request) error {
	for len(requests) > 0 {
		n := min(batchRows, len(requests))
		if err := db.Update(ctx, func(tx *database.Tx) error {
			for _, r := range requests[:n] {
				if err := sendOne(ctx, tx, l, r); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		requests = requests[n:]
	}
	return nil
}

func sendOne(ctx context.Context, tx *database.Tx, l workload.Load, r workload.Request) error {
	item := map[string]any{}
	for i, c := range l.Columns {
		if c.Text {
			item[c.Name] = r.Key[i].Text
		} else {
			item[c.Name] = r.Key[i].Number
		}
	}
	if r.Write {
		item["note"] = "made up"
	}
	pin, err := tx.PinIn("", tableOf(l))
	if err != nil {
		return err
	}
	row, err := database.AppendRow(nil, pin.Names(), item)
	switch {
	case err != nil:
		return err
	case r.Write:
		return tx.Write(ctx, pin, &database.Write{Op: database.OpPut, Row: row}, new(database.WriteResult))
	}
	_, _, err = tx.GetGuarded(ctx, pin, row)
	return err
}
