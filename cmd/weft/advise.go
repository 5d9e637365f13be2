// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/advice/advisor"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
)

// adviceFlags are the flags of `weft advise`.
type adviceFlags struct {
	admin, data, patterns string
	json, all, statements bool
}

// adviseCommand is `weft advise`.
func (p *program) adviseCommand() *cobra.Command {
	var f adviceFlags
	command := &cobra.Command{
		Use:   "advise [TABLE]",
		Short: "Check the keys and indexes of a table and suggest better ones",
		Long: `Check the keys and indexes of a table against its schema, a sample of its rows and its queries, and suggest better ones. Each
finding comes with its evidence, its cost before and after, and the requests that make the change. Without TABLE, print one line
for each table.

By default the report comes from the admin port of a running server, which knows the queries since its start. --data reads a
folder that no server has open. --patterns reads queries with their rates and cardinalities from a JSON file, and also the table
if no TABLE is given.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			table := ""
			if len(args) == 1 {
				table = args[0]
			}
			return p.advise(c.Context(), table, &f)
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	flags.StringVar(&f.data, "data", "", "a data `FOLDER` that no server has open")
	flags.StringVar(&f.patterns, "patterns", "", "a JSON `FILE` of access patterns")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.all, "all", false, "print all findings, not only the first screen")
	flags.BoolVar(&f.statements, "statements", false, "also print the requests that make the change")
	return command
}

func (p *program) advise(ctx context.Context, table string, f *adviceFlags) error {
	switch {
	case f.patterns != "":
		return p.advisePatterns(ctx, table, f)
	case f.data == "":
		return p.adviseLive(ctx, table, f)
	case table == "":
		return p.withFolder(ctx, f.data, func(db *database.DB) error {
			body, err := overview(ctx, db, judgeStored, f.json)
			return errors.Join(err, p.print(body))
		})
	}
	return p.withFolder(ctx, f.data, func(db *database.DB) error {
		r, err := judgeStored(ctx, db, table)
		if database.KindOf(err) == database.KindNotFound {
			return commandline.NoTable(table, survey.Tables(db))
		}
		if err != nil {
			return err
		}
		return p.print(f.render(r))
	})
}

// describe describes a table, with how many indexes it may have.
func describe(ctx context.Context, db *database.DB, table string) (*design.Design, error) {
	d, err := survey.Of(ctx, db, table)
	if err != nil {
		return nil, err
	}
	pin, err := db.PinIn("", table)
	if before, after, ok := strings.Cut(table, "."); ok && database.KindOf(err) == database.KindNotFound {
		pin, err = db.PinIn(before, after)
	}
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	t, err := definition.Of(pin.Descriptor())
	if err != nil {
		return nil, err
	}
	_, d.Table.SearchesMax = definition.Limits{}.IndexesOf(t, true)
	if d.Table.SQL {
		_, d.Table.IndexesMax = definition.Limits{}.IndexesOf(t, false)
	}
	return d, nil
}

// judgeStored judges a table by its schema and its rows alone.
func judgeStored(ctx context.Context, db *database.DB, table string) (*report.Report, error) {
	d, err := describe(ctx, db, table)
	if err != nil {
		return nil, err
	}
	return advisor.Advise(d), nil
}

// advisePatterns judges the queries of a file, on the table of the file or on one in a folder.
func (p *program) advisePatterns(ctx context.Context, table string, f *adviceFlags) error {
	text, err := p.readFile(f.patterns)
	if err != nil {
		return err
	}
	d, err := design.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", f.patterns, err)
	}
	if table == "" || f.data == "" {
		return p.print(f.render(advisor.Advise(d)))
	}
	return p.withFolder(ctx, f.data, func(db *database.DB) error {
		found, err := describe(ctx, db, table)
		if database.KindOf(err) == database.KindNotFound {
			return commandline.NoTable(table, survey.Tables(db))
		}
		if err != nil {
			return err
		}
		d.Table, d.Sample = found.Table, found.Sample
		return p.print(f.render(advisor.Advise(d)))
	})
}

func (p *program) print(body []byte) error {
	_, err := p.stdout.Write(body)
	return err
}

// render is a report as the flags want it.
func (f *adviceFlags) render(r *report.Report) []byte {
	if f.json {
		return r.JSON()
	}
	return []byte(r.Text(report.TextOptions{All: f.all, Statements: f.statements}))
}

// adviseLive asks a server that runs.
func (p *program) adviseLive(ctx context.Context, table string, f *adviceFlags) error {
	query := url.Values{}
	for name, wanted := range map[string]bool{"all": f.all, "statements": f.statements} {
		if wanted {
			query.Set(name, "1")
		}
	}
	if table != "" {
		query.Set("table", table)
	}
	if f.json {
		query.Set("format", "json")
	}
	return p.printPage(ctx, f.admin, "/advise", query)
}

// advicePage is GET /advise?table=NAME on the admin port; without a name, one line for each table.
func (s *server) advicePage(r *http.Request, db *database.DB, asJSON bool) ([]byte, error) {
	f := adviceFlags{json: asJSON, all: r.FormValue("all") != "", statements: r.FormValue("statements") != ""}
	table := r.FormValue("table")
	if table == "" {
		return overview(r.Context(), db, s.judge, asJSON)
	}
	found, err := s.judge(r.Context(), db, table)
	if err != nil {
		return nil, err
	}
	return f.render(found), nil
}

// judge judges a table by its schema, its rows, and what this server was asked.
func (s *server) judge(ctx context.Context, db *database.DB, table string) (*report.Report, error) {
	d, err := describe(ctx, db, table)
	if err != nil {
		return nil, err
	}
	s.queries.Describe(d)
	r := advisor.Advise(d)
	s.heat.Advise(db, r)
	return r, nil
}

// overview judges every table, the ones with the worst findings first.
func overview(ctx context.Context, db *database.DB,
	judge func(context.Context, *database.DB, string) (*report.Report, error), asJSON bool) ([]byte, error) {
	var reports []*report.Report
	for _, name := range survey.Tables(db) {
		r, err := judge(ctx, db, name)
		if database.KindOf(err) == database.KindNotFound {
			continue // dropped meanwhile
		}
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	slices.SortStableFunc(reports, func(a, b *report.Report) int { return cmp.Compare(b.Worst(), a.Worst()) })
	if asJSON {
		return report.AllJSON(reports), nil
	}
	var b strings.Builder
	for _, r := range reports {
		b.WriteString(r.Line() + "\n")
	}
	if len(reports) == 0 {
		b.WriteString("There are no tables.\n")
	}
	return []byte(b.String()), nil
}
