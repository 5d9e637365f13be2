// SPDX-License-Identifier: Apache-2.0

package heatpage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/advice/heat/diagnosis"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/metric"
)

// Printer prints a page of the admin port of a server that runs.
type Printer func(ctx context.Context, addr, page string, query url.Values) error

// Command is `weft hot`.
func Command(printPage Printer) *cobra.Command {
	var admin string
	var asJSON, statements bool
	command := &cobra.Command{
		Use:   "hot [TABLE]",
		Short: "Show hot rows, hot ranges and growing keys in the requests of the last minutes",
		Long: `Classify the requests of the last minutes to a server, for one table or for all: a hot row, a hot range, a growing key (all new
values go to its end), a periodic load, or an even one. Each finding comes with its evidence and a remedy. Then show the most
frequent keys, and a warning for each resource that is near its limit.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			query := url.Values{}
			if len(args) == 1 {
				query.Set("table", args[0])
			}
			if asJSON {
				query.Set("format", "json")
			}
			if statements {
				query.Set("statements", "1")
			}
			return printPage(c.Context(), admin, "/hot", query)
		},
	}
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.Flags().BoolVar(&statements, "statements", false, "also print the statements that apply the remedy")
	return command
}

// shownHeat is the content of `weft hot`.
type shownHeat struct {
	Findings []diagnosis.Finding `json:"findings"`
	Objects  []shownObject       `json:"objects"`
	Keys     []shownKey          `json:"keys"`
	Watched  []metric.Watch      `json:"watched"`
	Dead     []metric.Dead       `json:"dead"`
}

type shownObject struct {
	Table  string  `json:"table"`
	Index  string  `json:"index"`
	Reads  float64 `json:"reads"` // a second
	Writes float64 `json:"writes"`
}

type shownKey struct {
	Table     string  `json:"table"`
	Index     string  `json:"index"`
	Key       string  `json:"key"`
	Direction string  `json:"direction"` // reads, writes, conflicts or throttles
	Count     float64 `json:"count"`     // in the last minutes
	Share     float64 `json:"share"`     // of all of that kind
}

// Page is GET /hot?table=NAME on the admin port.
func (w *Watch) Page(r *http.Request, db *database.DB, asJSON bool) ([]byte, error) {
	table := strings.TrimPrefix(r.FormValue("table"), database.DefaultDatabase+".")
	if table != "" {
		if err := exists(db, table); err != nil {
			return nil, err
		}
	}
	pictures, findings := w.diagnose(db)
	shown := showHeat(pictures, findings, table)
	shown.Watched = w.Watched()
	if w.options.Dead != nil {
		shown.Dead = w.options.Dead()
	}
	if asJSON {
		return json.Marshal(shown)
	}
	return shown.print(r.FormValue("statements") != ""), nil
}

// exists reports whether there is a table [DATABASE.]NAME.
func exists(db *database.DB, name string) error {
	p, err := db.PinIn("", name)
	if database, table, found := strings.Cut(name, "."); found && err != nil {
		p, err = db.PinIn(database, table)
	}
	if err == nil {
		p.Release()
	}
	return err
}

// keysShown is the number of keys of a table or index that are shown for each direction; rarer ones are left to chance.
const (
	keysShown  = 5
	shareShown = 0.01
	countShown = 50
	throttles  = "throttles" // all are counted, so that none is too rare
)

func showHeat(pictures []diagnosis.Object, findings []diagnosis.Finding, table string) shownHeat {
	shown := shownHeat{Findings: []diagnosis.Finding{}, Objects: []shownObject{}, Keys: []shownKey{}}
	for _, f := range findings {
		if table == "" || f.Table == table {
			shown.Findings = append(shown.Findings, f)
		}
	}
	for i := range pictures {
		o := &pictures[i]
		if table != "" && o.Table != table {
			continue
		}
		reads, writes := ratesOf(o)
		shown.Objects = append(shown.Objects, shownObject{o.Table, o.Index, reads, writes})
		for d, direction := range [...]string{"reads", "writes", "conflicts", throttles} {
			shown.Keys = append(shown.Keys, topKeys(o, d, direction)...)
		}
	}
	return shown
}

// topKeys sums up the most frequent keys of the last minutes.
func topKeys(o *diagnosis.Object, d int, direction string) []shownKey {
	sums, all := map[string]*shownKey{}, 0.0
	var keys []*shownKey
	for i := range o.Moments {
		all += o.Moments[i].Counted[d]
		for _, t := range o.Moments[i].Tops[d] {
			k := sums[t.Key.Bytes]
			if k == nil {
				k = &shownKey{Table: o.Table, Index: o.Index, Key: t.Key.String(), Direction: direction}
				sums[t.Key.Bytes] = k
				keys = append(keys, k)
			}
			k.Count += t.Count - t.Over
		}
	}
	slices.SortStableFunc(keys, func(a, b *shownKey) int { return int(b.Count - a.Count) })
	var list []shownKey
	for _, k := range keys[:min(keysShown, len(keys))] {
		if k.Share = k.Count / max(1, all); k.Share >= shareShown && (k.Count >= countShown || direction == throttles) {
			list = append(list, *k)
		}
	}
	return list
}

// Top shows each of the keys of a table of the default database, or of one of its indexes, that were asked for most in
// the last minutes: its text, whether by "reads", "writes", "conflicts" or "throttles", how often, and its share of all
// of these.
func (w *Watch) Top(db *database.DB, table, index string, show func(key, direction string, count, share float64)) {
	pictures, _ := w.diagnose(db)
	for _, k := range showHeat(pictures, nil, table).Keys {
		if k.Index == index {
			show(k.Key, k.Direction, k.Count, k.Share)
		}
	}
}

func (h *shownHeat) print(statements bool) []byte {
	var text bytes.Buffer
	switch {
	case len(h.Findings) > 0:
	case len(h.Keys) > 0:
		text.WriteString("The requests of the last minutes show no pattern yet. These are the most frequent keys:\n")
	default:
		text.WriteString("There were too few requests in the last minutes to report anything.\n")
	}
	for i := range h.Findings {
		printFinding(&text, &h.Findings[i], statements)
	}
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if len(h.Objects) > 0 {
		fmt.Fprintln(w, "\nTABLE\tINDEX\tENTRIES READ/S\tWRITTEN/S")
	}
	for _, o := range h.Objects {
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\n", o.Table, o.Index, o.Reads, o.Writes)
	}
	_ = w.Flush() // a buffer takes all
	if len(h.Keys) > 0 {
		fmt.Fprintln(w, "\nKEY\tOF\tWHAT\tSHARE\tTIMES, ABOUT")
	}
	for _, k := range h.Keys {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.0f %%\t%.0f\n", k.Key, strings.TrimSuffix(k.Table+"/"+k.Index, "/"), k.Direction,
			100*k.Share, k.Count)
	}
	_ = w.Flush()
	h.printWatched(&text)
	return text.Bytes()
}

func printFinding(text *bytes.Buffer, f *diagnosis.Finding, statements bool) {
	mark := ""
	if f.Warning {
		mark = "warning: "
	}
	fmt.Fprintf(text, "%s%s: %s\n", mark, f.Kind, f.Text)
	if f.Cure != "" {
		fmt.Fprintf(text, "  %s\n", f.Cure)
	}
	for _, e := range f.Evidence {
		fmt.Fprintf(text, "  - %s\n", e)
	}
	for _, s := range f.Statements {
		if statements {
			fmt.Fprintf(text, "  %s: %s\n", s.Dialect, strings.ReplaceAll(s.Text, "\n", "\n  "))
		}
	}
}

// printWatched prints what is near its limit, and what stands in the way of walks.
func (h *shownHeat) printWatched(text *bytes.Buffer) {
	for _, warning := range warningsOf(h.Watched, h.Dead) {
		fmt.Fprintf(text, "\n%s\n", warning)
	}
}

// warningsOf says what is near its limit, and what stands in the way of walks.
func warningsOf(watched []metric.Watch, dead []metric.Dead) (list []string) {
	for _, w := range watched {
		if w.Level > metric.Fine {
			list = append(list, fmt.Sprintf("%s: %s is at %.0f %% of its limit. %s", w.Level, w.What, 100*w.Ratio,
				cureOf(w.What)))
		}
	}
	for _, d := range dead {
		if d.PerLive() >= 1 && d.Dead >= 100 {
			list = append(list, fmt.Sprintf(
				"warning: scans of %s passed %.1f dead entries for each live one. Give the table a TTL, shorten COMPACTION_MAJOR_PERIOD, or compact it.",
				strings.TrimSuffix(d.Table+"/"+d.Index, "/"), d.PerLive()))
		}
	}
	return list
}

// Warnings returns warnings about the machine, the engine and a table: limits that are near, and obstacles to walks.
func (w *Watch) Warnings(table string) []string {
	var dead []metric.Dead
	if w.options.Dead != nil {
		dead = slices.DeleteFunc(w.options.Dead(), func(d metric.Dead) bool { return d.Table != table })
	}
	return warningsOf(w.Watched(), dead)
}

// cureOf says what to do about a thing that is short.
func cureOf(what string) string {
	switch what {
	case "cpu":
		return "Add a node, or look for full scans (weft advise)."
	case "network":
		return "Return fewer attributes, or add a gateway."
	case "disk":
		return "Free or add space: above 95 % the store refuses all writes, including deletes."
	case "files":
		return "Compaction is behind: write less for a while, or use a faster disk."
	case "compaction":
		return "Compaction is behind: if this grows, the disk is too slow for the writes."
	}
	return ""
}
