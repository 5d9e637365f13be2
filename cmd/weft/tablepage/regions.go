// SPDX-License-Identifier: Apache-2.0

package tablepage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// shownRegion is one region as `weft regions` shows it.
type shownRegion struct {
	ID       string     `json:"id"`
	Database string     `json:"database"`
	Table    string     `json:"table"`
	Index    string     `json:"index"` // empty for the table's own key
	Start    []shownKey `json:"start"` // where it begins; empty: with the index
	End      []shownKey `json:"end"`   // where the next one begins; empty: with the index
	Rows     int64      `json:"rows"`  // estimated, as Bytes is
	Bytes    int64      `json:"bytes"`
	Least    bool       `json:"least,omitempty"` // there are more rows and bytes than that
	Reads    float64    `json:"readsPerSecond"`
	Writes   float64    `json:"writesPerSecond"`
	Leader   string     `json:"leader,omitempty"`
	Peers    []string   `json:"peers,omitempty"`
	Preset   bool       `json:"preset,omitempty"`    // made before there were rows
	Created  string     `json:"createdAt,omitempty"` // RFC 3339
	Fault    string     `json:"fault,omitempty"`     // why it was not split, busy as it is
	// a value of the first column at which it could be split, as SPLITKEYS has it
	SplitKey string `json:"splitKey,omitempty"`
}

// shownKey is the value of one part of a key, in the language of values: numbers as they are, texts quoted, binaries
// x"..".
type shownKey struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RegionsPage is GET /regions[?table=NAME] on the admin port.
func RegionsPage(r *http.Request, db *database.DB, asJSON bool) ([]byte, error) {
	return page(r, db, asJSON, showRegions, printRegions)
}

// showRegions describes the regions of the table named [DATABASE.]NAME, or of all tables.
func showRegions(ctx context.Context, db *database.DB, name string) (list []shownRegion, err error) {
	list = []shownRegion{}
	if name != "" {
		p, err := pinNamed(db, name)
		if err != nil {
			return nil, err
		}
		return regionsOf(ctx, p, list)
	}
	const page = 1000
	for _, dbName := range db.Databases() {
		after := ""
		for names := db.Tables(dbName, after, page); len(names) > 0; names = db.Tables(dbName, after, page) {
			for _, after = range names {
				p, err := db.PinIn(dbName, after)
				if database.KindOf(err) == database.KindNotFound && err != nil {
					continue // dropped meanwhile
				}
				if err == nil {
					list, err = regionsOf(ctx, p, list)
				}
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return list, nil
}

// pinNamed takes the table named [DATABASE.]NAME.
func pinNamed(db *database.DB, name string) (database.Pinned, error) {
	dbName, table, found := strings.Cut(name, ".")
	if !found {
		dbName, table = database.DefaultDatabase, name
	}
	p, err := db.PinIn(dbName, table)
	// names of DynamoDB's tables may have dots
	if found && err != nil && database.KindOf(err) == database.KindNotFound {
		p, err = db.PinIn(database.DefaultDatabase, name)
	}
	return p, err
}

// regionsOf adds those of one table, which it gives back.
func regionsOf(ctx context.Context, p database.Pinned, list []shownRegion) ([]shownRegion, error) {
	defer p.Release()
	names := []string{""}
	for x := range p.Descriptor().Declared() {
		names = append(names, x.Name)
	}
	for _, name := range names {
		regions, err := p.Regions(ctx, name)
		if err != nil {
			return nil, err
		}
		for i := range regions {
			r := &regions[i]
			one := shownRegion{
				ID: r.ID, Database: p.Descriptor().Database, Table: p.Descriptor().Name, Index: name,
				Start: keysOf(r.Start), End: keysOf(r.End), Rows: r.Rows, Bytes: r.Bytes,
				SplitKey: splitKeyOf(p.Descriptor(), r), Least: r.Least, Reads: r.Reads, Writes: r.Writes,
				Leader: r.Leader, Peers: r.Peers, Preset: r.Preset, Fault: r.Fault,
			}
			if r.CreatedAtMS > 0 {
				one.Created = time.UnixMilli(r.CreatedAtMS).UTC().Format(time.RFC3339)
			}
			list = append(list, one)
		}
	}
	return list, nil
}

// splitKeyOf is the value of the first column of the key that divides a region; "" if none is known, or none that
// SPLITKEYS takes.
func splitKeyOf(d *schema.Table, r *database.Region) string {
	x, ok := d.Index(r.Index)
	if !ok || x.Search || x.Key[0].Hidden || x.Key[0].Computed() || len(r.Middle) == 0 {
		return ""
	}
	text := splitText(r.Middle[0].Value)
	if strings.ContainsAny(text, ",'") || len(r.Start) > 0 && splitText(r.Start[0].Value) == text {
		return ""
	}
	return text
}

// splitText is a number or a text without quotes; "" for other values.
func splitText(v value.Value) string {
	if number, ok := v.Decimal(); ok {
		return string(number.AppendText(nil))
	}
	if v.Kind() == value.String {
		return string(v.Bytes())
	}
	return ""
}

func keysOf(key []database.KeyValue) []shownKey {
	list := make([]shownKey, len(key))
	for i, part := range key {
		list[i] = shownKey{part.Name, "null"}
		if part.Hidden {
			list[i].Name = "hash"
		}
		if !part.Value.IsMissing() {
			list[i].Value = part.Value.String()
		}
	}
	return list
}

// keyText is a key as a tuple.
func keyText(key []shownKey) string {
	if len(key) == 0 {
		return "-"
	}
	list := make([]string, len(key))
	for i, part := range key {
		list[i] = part.Value
	}
	return "(" + strings.Join(list, ",") + ")"
}

func printRegions(list []shownRegion) []byte {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "REGION\tTABLE\tINDEX\tBEGINS AT\tENDS BEFORE\tROWS, ABOUT\tBYTES, ABOUT\tENTRIES READ/S\tWRITTEN/S\tLEADER\tNOTE")
	for i := range list {
		r := &list[i]
		index, note, least := r.Index, []string{}, ""
		index = cmp.Or(index, "(the table)")
		if r.Preset {
			note = append(note, "preset")
		}
		if r.Fault != "" {
			note = append(note, "busy, but not split: "+r.Fault)
		}
		if r.Least {
			least = ">"
		}
		leader := r.Leader
		leader = cmp.Or(leader, "-")
		fmt.Fprintf(w, "%s\t%s.%s\t%s\t%s\t%s\t%s%s\t%s%s\t%.1f\t%.1f\t%s\t%s\n", r.ID, r.Database, r.Table, index,
			keyText(r.Start), keyText(r.End), least, output.About(r.Rows), least, output.About(r.Bytes),
			r.Reads, r.Writes, leader, strings.Join(note, "; "))
	}
	_ = w.Flush() // a buffer takes all
	return text.Bytes()
}
