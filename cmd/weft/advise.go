// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/advisor"
	"github.com/weftdb/weft/internal/advisor/design"
	"github.com/weftdb/weft/internal/survey"
)

// adviceFlags are what `weft advise` takes beside the table's name.
type adviceFlags struct {
	admin, data, patterns string
	json, statements      bool
}

// adviseCommand is `weft advise`.
func (p *program) adviseCommand() *cobra.Command {
	var f adviceFlags
	command := &cobra.Command{
		Use:   "advise [TABLE]",
		Short: "Judge the keys and indexes of a table, and propose better ones",
		Long: `Judge the keys and indexes of a table by its schema, a sample of its rows and the queries that it is asked, and propose better ones: each
finding with its evidence, what it costs before and after, and the requests that would change it.

A server that runs is asked at its admin port and knows its own queries since it started. --data reads a folder that is not being served;
--patterns reads queries, with rates and cardinalities, from a JSON file, and the table, too, if no TABLE is named.`,
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
	flags.StringVar(&f.admin, "admin-addr", "127.0.0.1:8080", "the admin port of the server")
	flags.StringVar(&f.data, "data", "", "a data `FOLDER` that is not being served")
	flags.StringVar(&f.patterns, "patterns", "", "a JSON `FILE` of access patterns")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.statements, "statements", false, "print the requests that would do it, too")
	return command
}

func (p *program) advise(ctx context.Context, table string, f *adviceFlags) error {
	switch {
	case f.patterns != "":
		return p.advisePatterns(ctx, table, f)
	case table == "":
		return usageError{errors.New("name the table, or a file of patterns with --patterns; see weft advise --help")}
	case f.data != "":
		d, err := p.surveyFolder(ctx, f.data, table)
		if err != nil {
			return err
		}
		return p.printAdvice(d, f)
	}
	return p.adviseLive(ctx, table, f)
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
	if table != "" && f.data != "" {
		found, err := p.surveyFolder(ctx, f.data, table)
		if err != nil {
			return err
		}
		d.Table, d.Sample = found.Table, found.Sample
	}
	return p.printAdvice(d, f)
}

func (p *program) printAdvice(d *design.Design, f *adviceFlags) error {
	_, err := p.stdout.Write(reportOf(advisor.Advise(d), f.json, f.statements))
	return err
}

func reportOf(report *advisor.Report, asJSON, statements bool) []byte {
	if asJSON {
		return report.JSON()
	}
	return []byte(report.Text(statements))
}

// surveyFolder opens a folder with all doors shut.
func (p *program) surveyFolder(ctx context.Context, folder, table string) (d *design.Design, err error) {
	conf, _, err := resolve(inputs{map[string]string{"data": folder, "dynamodb-addr": off, "mysql-addr": off, "admin-addr": off}, p.environ, p.readFile})
	if err != nil {
		return nil, err
	}
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	if err := s.Open(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return survey.Of(ctx, s.database.(*openedDatabase).db, table)
}

// adviseLive asks a server that runs.
func (p *program) adviseLive(ctx context.Context, table string, f *adviceFlags) error {
	query := url.Values{"table": {table}}
	if f.json {
		query.Set("format", "json")
	}
	if f.statements {
		query.Set("statements", "1")
	}
	return p.printPage(ctx, f.admin, "/advise", query)
}

// advicePage is GET /advise?table=NAME on the admin port.
func (s *server) advicePage(r *http.Request, db *weft.DB, asJSON bool) ([]byte, error) {
	table := r.FormValue("table")
	d, err := survey.Of(r.Context(), db, table)
	if err != nil {
		return nil, err
	}
	d.Shapes = s.queries.Shapes(table)
	report := advisor.Advise(d)
	s.heat.Advise(db, report)
	return reportOf(report, asJSON, r.FormValue("statements") != ""), nil
}
