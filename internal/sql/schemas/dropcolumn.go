// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/tree"
)

// leaveIndexes takes columns that are dropped out of the indexes of a MySQL-style table, as MySQL does. An index that
// has no other columns is dropped, and others are to be built anew without them: p.gone.
func (c *call) leaveIndexes(name tree.Name, p *parts) error {
	var gone []string
	for _, action := range p.others {
		if a, ok := action.(*tree.DropColumn); ok {
			gone = append(gone, a.Name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	pin, err := c.pin(name)
	if err != nil {
		return err
	}
	defer pin.Release()
	if !pin.InsertFails {
		return nil
	}
	beginnings := pin.Beginnings(gone)
	for _, column := range beginnings {
		p.others = slices.Insert(p.others, 0, tree.AlterAction(&tree.DropColumn{IfExists: true, Name: column}))
	}
	gone = append(gone, beginnings...)
	for i := range pin.Indexes {
		x := &pin.Indexes[i]
		named := func(d *tree.DropIndex) bool { return d.Index == x.Name }
		switch {
		case x.Schema.Search && !isWhole(x, gone) || slices.ContainsFunc(p.dropped, named):
		case isWhole(x, gone):
			p.dropped = append(p.dropped, &tree.DropIndex{Index: x.Name, Table: name})
		case definition.Holds(x, gone):
			p.gone = gone
		}
	}
	return nil
}

// isWhole reports whether all columns of an index are among those that go.
func isWhole(x *definition.Index, gone []string) bool {
	stays := func(a schema.Argument) bool { return !slices.Contains(gone, a.Column) }
	return !slices.ContainsFunc(x.Schema.Visible(), func(part schema.KeyPart) bool {
		return slices.ContainsFunc(part.Args, stays)
	})
}

// replaced are the names of columns that are dropped and added by one statement.
func (p *parts) replaced() (names []string) {
	for _, action := range p.others {
		a, ok := action.(*tree.DropColumn)
		if ok && slices.Contains(p.newNames(), a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// dropReplaced drops the columns whose names other columns get, and waits until no row has them.
func (c *call) dropReplaced(name tree.Name, table *database.Table, p *parts) error {
	names := p.replaced()
	if len(names) == 0 {
		return nil
	}
	var drops, rest []tree.AlterAction
	for _, action := range p.others {
		if a, ok := action.(*tree.DropColumn); ok && slices.Contains(names, a.Name) {
			drops = append(drops, action)
		} else {
			rest = append(rest, action)
		}
	}
	if plain, err := c.isPlain(name); err != nil || !plain {
		return err // COMPACT frees the names
	}
	if err := c.alter(name, table, drops); err != nil {
		return err
	}
	p.others = rest
	return c.free(name, table, p)
}
