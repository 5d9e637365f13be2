// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// showIndex answers SHOW INDEX with LindormTable's columns, a line for each index; of a table that was made as MySQL's
// are, as SHOW KEYS does.
func (c *call) showIndex(st *tree.Show) (*answer, error) {
	if c.isView(tableOf(st)) {
		return c.showKeys(st)
	}
	p, err := c.pin(tableOf(st))
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if p.InsertFails {
		return c.showKeys(st)
	}
	lag, err := c.lagOf(p.at)
	if err != nil {
		return nil, err
	}
	a := &answer{columns: long(texts("TABLE_SCHEMA", "DATA_TABLE", "INDEX_NAME", "INDEX_STATE", "INDEX_PROGRESS",
		"INDEX_TYPE", "INDEX_COVERED", "INDEX_COLUMN",
		"INDEX_TTL", "INDEX_DESCRIPTION"), 7, 9), by: 2}
	for i := range p.Indexes {
		x := &p.Indexes[i]
		state, progress, err := c.stateOf(p.at, x.Schema)
		if err != nil {
			return nil, err
		}
		covered := "FALSE"
		kind, columns := "SECONDARY", p.KeyText(x.Schema)
		if x.Schema.Projection == schema.ProjectAll {
			covered = "TRUE"
		}
		if x.Schema.Search {
			kind, covered, columns = "SEARCH", "NA", strings.Join(definition.FieldTexts(x.Schema), ",")
		}
		a.add(p.Database, p.Name, x.Name, state, progress, kind, covered, plain(columns),
			x.Options[definition.OptionTTL],
			joined(description(x), lag(x.Schema)))
	}
	return a, nil
}

// lagOf words how far the asynchronous indexes of a table are behind; the result is for any of its indexes, and "" for
// those that are not asynchronous.
func (c *call) lagOf(p database.Pinned) (func(x *schema.Index) string, error) {
	lag, _, err := p.Lag(c.ctx)
	return func(x *schema.Index) string {
		if x.Async == nil || !x.State.Readable() {
			return ""
		}
		return "ASYNC: " + lag.String()
	}, err
}

// joined are notes one after the other.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
}

// faultRunesMax is the number of characters shown of a failed build's reason.
const faultRunesMax = 256

// stateOf words how far the build of an index is.
func (c *call) stateOf(p database.Pinned, x *schema.Index) (state, progress string, err error) {
	if x.State.Readable() {
		return "ACTIVE", "100%", nil
	}
	built, building, err := p.BuildProgress(c.ctx, x.Name)
	if err != nil || !building {
		return "BUILDING", "WAITING", err
	}
	if built.Misfit {
		why := []rune(faultText(built.Fault))
		return "INACTIVE", "FAILED " + string(why[:min(faultRunesMax, len(why))]), nil
	}
	return "BUILDING", fmt.Sprintf("EXECUTING %d.00%%", built.Percent()), nil
}

// description says what the other columns do not.
func description(x *definition.Index) string {
	var list []string
	if len(x.Include) > 0 {
		list = append(list, "INCLUDE("+strings.Join(x.Include, ",")+")")
	}
	if x.Covers != "" {
		list = append(list, x.Covers)
	}
	if !x.Schema.KeepNulls {
		list = append(list, "SPARSE")
	}
	if x.Schema.Partial {
		list = append(list, "PARTIAL: rows that did not fit when it was built are not in it")
	}
	for i := range x.Schema.Key {
		if p := &x.Schema.Key[i]; p.Function == schema.ZOrder {
			list = append(list, p.Name)
		}
	}
	if s := x.Schema.Sample; s != nil {
		list = append(list, "codes learned from "+strconv.FormatInt(s.Rows, 10)+" rows")
	}
	return strings.Join(list, "; ")
}

// showRegions answers with the regions of a table and its indexes, in the order of their keys.
func (c *call) showRegions(st *tree.Show) (*answer, error) {
	p, err := c.pin(tableOf(st))
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if c.Warnings != nil {
		for _, warning := range c.Warnings(p.Name) {
			c.session.Warn(fault.Refused, warning)
		}
	}
	a := &answer{columns: number(long(texts("REGION_ID", "TABLE_SCHEMA", "TABLE_NAME", "INDEX_NAME", "START_KEY",
		"END_KEY", "ROWS", "BYTES", "FIRST_KEY", "LAST_KEY",
		"READS_PER_SECOND", "WRITES_PER_SECOND", "LEADER", "PEERS", "NOTE"), 4, 5, 8, 9, 13, 14), 6, 7, 10, 11), by: 3}
	if err := c.addRegions(a, p, &p.Descriptor.Primary); err != nil {
		return nil, err
	}
	for i := range p.Indexes {
		if err := c.addRegions(a, p, p.Indexes[i].Schema); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (c *call) addRegions(a *answer, p heldDefinition, x *schema.Index) error {
	name := x.Name
	if x.IsPrimary() {
		name = definition.PrimaryName
	}
	regions, err := p.at.Regions(c.ctx, x.Name)
	for i := range regions {
		r := &regions[i]
		var first, last any
		if r.First != nil && x.State.Readable() {
			first, last = tupleOf(p, x, r.First), tupleOf(p, x, r.Last)
		}
		a.add(r.ID, p.Database, p.Name, name, borderOf(p, x, r.Start), borderOf(p, x, r.End), r.Rows, r.Bytes, first,
			last,
			int64(math.Round(r.Reads)), int64(math.Round(r.Writes)), r.Leader, strings.Join(r.Peers, ","), noteOf(r))
	}
	return err
}

// noteOf returns remarks about a region besides its figures.
func noteOf(r *database.Region) string {
	var list []string
	if r.Preset {
		list = append(list, "preset")
	}
	if r.Least {
		list = append(list, "at least so many rows")
	}
	if r.Fault != "" {
		list = append(list, "busy, but not split: "+r.Fault)
	}
	return strings.Join(list, "; ")
}

// borderOf writes a key at which a region begins as a tuple of the parts that it holds; "" for the end of the index.
func borderOf(p heldDefinition, x *schema.Index, key []database.KeyValue) string {
	if len(key) == 0 {
		return ""
	}
	list := make([]string, 0, len(key))
	visible := x.Visible()
	for _, part := range key {
		if part.Hidden {
			list = append(list, fmt.Sprintf("hash %x", part.Value.Bytes()))
			continue
		}
		value, ok := datum.FromValue(part.Value, p.TypeOfPart(&visible[0]))
		visible = visible[1:]
		switch {
		case !ok:
			list = append(list, part.Value.String())
		case value.IsNull():
			list = append(list, "NULL")
		case value.Kind() == datum.KindBinary:
			list = append(list, fmt.Sprintf("x'%x'", value.Bytes()))
		default:
			list = append(list, string(value.AppendText(nil)))
		}
	}
	return "(" + strings.Join(list, ",") + ")"
}

// tupleOf writes the columns of a row that an index's key is made of, each once.
func tupleOf(p heldDefinition, x *schema.Index, row value.Row) string {
	var list []string
	seen := map[string]bool{}
	for _, part := range x.Visible() {
		for _, a := range part.Args {
			if a.Column == "" || seen[a.Column] {
				continue
			}
			seen[a.Column] = true
			stored, _ := row.Get(p.at.Names(), []byte(a.Column))
			column, _ := p.Column(a.Column)
			value, ok := datum.FromValue(stored, column.Type)
			text := "NULL"
			if ok && !value.IsNull() {
				text = string(value.AppendText(nil))
			}
			list = append(list, text)
		}
	}
	return "(" + strings.Join(list, ",") + ")"
}
