// SPDX-License-Identifier: Apache-2.0

// Package tablepage is how tables lie, as pages of the admin port: their keys and indexes, and the regions of each.
//
// Knows: the pages of weft indexes and weft regions, as text and as JSON.
// Never: how a page is asked for, engines.
package tablepage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// shownIndex is one index, or the table's own key, as `weft indexes` shows it.
type shownIndex struct {
	Name       string           `json:"name"` // empty for the table's own key
	Key        []string         `json:"key"`
	State      string           `json:"state"`
	Percent    *int             `json:"percent,omitempty"` // of a build
	Entries    int64            `json:"entries"`           // estimated
	Bytes      int64            `json:"bytes"`             // estimated
	Attributes []shownAttribute `json:"attributes,omitempty"`
	Partition  int              `json:"partition"`         // how many leading parts of the key are its partition key
	Columns    []shownColumn    `json:"columns,omitempty"` // of the table that the key is made of
	Kind       string           `json:"kind,omitempty"`    // zorder or search; empty for ordered indexes
	// which attributes its entries have: ALL, KEYS_ONLY or INCLUDE
	Projection string   `json:"projection"`
	Include    []string `json:"include,omitempty"`
	Local      bool     `json:"local,omitempty"`
	Unique     bool     `json:"unique,omitempty"`
}

// shownAttribute is an attribute of a Z-order index.
type shownAttribute struct {
	Name          string  `json:"name"`
	Codec         string  `json:"codec"`
	Bits          int     `json:"bits"`
	Version       uint32  `json:"version"`
	SampleRows    int64   `json:"sampleRows,omitempty"`
	Skew          float64 `json:"skew"`
	ClampedShare  float64 `json:"clampedShare"`
	RebuildIsDue  bool    `json:"rebuildIsDue"`
	NullsInSample int     `json:"nullsInSample"`
}

// IndexesPage is GET /indexes?table=NAME on the admin port.
func IndexesPage(r *http.Request, db *database.DB, asJSON bool) ([]byte, error) {
	return page(r, db, asJSON, showIndexes, printIndexes)
}

// page describes the table that a request names, as JSON or printed.
func page[T any](r *http.Request, db *database.DB, asJSON bool,
	show func(ctx context.Context, db *database.DB, table string) ([]T, error), text func([]T) []byte) ([]byte, error) {
	list, err := show(r.Context(), db, r.FormValue("table"))
	if err != nil {
		return nil, err
	}
	if asJSON {
		return json.Marshal(list)
	}
	return text(list), nil
}

// showIndexes describes the table named [DATABASE.]NAME.
func showIndexes(ctx context.Context, db *database.DB, name string) ([]shownIndex, error) {
	p, err := pinNamed(db, name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	return showAllIndexes(ctx, p)
}

// showAllIndexes describes a table's own key and its indexes.
func showAllIndexes(ctx context.Context, p database.Pinned) ([]shownIndex, error) {
	own, err := showIndex(ctx, p, &p.Descriptor().Primary)
	list := []shownIndex{own}
	for i := range p.Descriptor().Indexes {
		x := &p.Descriptor().Indexes[i]
		if x.Internal || err != nil {
			continue
		}
		own, err = showIndex(ctx, p, x)
		list = append(list, own)
	}
	return list, err
}

func showIndex(ctx context.Context, p database.Pinned, x *schema.Index) (shownIndex, error) {
	shown := shownIndex{
		Name: x.Name, State: x.State.String(), Partition: x.PartitionParts, Columns: columnsOf(x), Kind: kindOf(x),
		Projection: x.Projection.String(), Include: x.Include, Local: x.Local, Unique: x.Unique,
	}
	for i := range x.Key {
		if x.Key[i].Hidden || x.Key[i].Identity {
			continue
		}
		part := x.Key[i].Name
		if x.Key[i].Descending && !strings.HasPrefix(part, "desc(") { // the name may say it
			part += " DESC"
		}
		shown.Key = append(shown.Key, part)
	}
	progress, building, err := p.BuildProgress(ctx, x.Name)
	if err != nil {
		return shown, err
	}
	if building {
		percent := progress.Percent()
		shown.Percent = &percent
	}
	estimate, err := p.Estimate(ctx, x.Name)
	if err != nil {
		return shown, err
	}
	shown.Entries, shown.Bytes = estimate.Rows, estimate.Bytes
	attributes, err := p.CurveOf(ctx, x.Name)
	if err != nil && database.KindOf(err) == database.KindBusy { // it is still being built
		return shown, nil
	}
	for _, a := range attributes {
		shown.Attributes = append(shown.Attributes,
			shownAttribute{Name: a.Name, Codec: a.Codec, Bits: a.Bits, Version: a.Version, SampleRows: a.SampleRows,
				Skew: a.Skew.Ratio, ClampedShare: a.Skew.ClampedShare, RebuildIsDue: a.Skew.Due,
				NullsInSample: a.Skew.Nulls})
	}
	return shown, err
}

func printIndexes(list []shownIndex) []byte {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "INDEX\tKEY\tSTATE\tENTRIES, ABOUT\tBYTES, ABOUT")
	for i := range list {
		x := &list[i]
		name, state := x.Name, x.State
		name = cmp.Or(name, "(the table)")
		if x.Percent != nil {
			state = fmt.Sprintf("%s %d %%", state, *x.Percent)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, strings.Join(x.Key, ", "), state, output.About(x.Entries),
			output.About(x.Bytes))
	}
	_ = w.Flush() // a buffer takes all
	for i := range list {
		printAttributes(&text, &list[i])
	}
	return text.Bytes()
}

func printAttributes(text *bytes.Buffer, x *shownIndex) {
	if len(x.Attributes) == 0 {
		return
	}
	fmt.Fprintf(text, "\nZ-order of %s:\n", x.Name)
	w := tabwriter.NewWriter(text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ATTRIBUTE\tCODEC\tBITS\tVERSION\tLEARNED FROM\tSKEW\tCLAMPED\tREBUILD")
	for _, a := range x.Attributes {
		learned, rebuild := "-", "-"
		if a.SampleRows > 0 {
			learned = fmt.Sprintf("%d rows", a.SampleRows)
		}
		if a.RebuildIsDue {
			rebuild = "due"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%.2f\t%.2f %%\t%s\n", a.Name, a.Codec, a.Bits, a.Version, learned, a.Skew,
			100*a.ClampedShare, rebuild)
	}
	_ = w.Flush() // a buffer takes all
}
