// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// maintain answers ANALYZE, CHECK, CHECKSUM, OPTIMIZE and REPAIR TABLE. CHECK reads all rows and index entries and
// compares them, CHECKSUM reads all rows. The others have nothing to do: statistics are counted when they are asked
// for, and space is freed in the background.
func (c *call) maintain(st *tree.Maintain) error {
	a := &answer{columns: long(texts("Table", "Op", "Msg_type", "Msg_text"), 3)}
	if st.Verb == "checksum" {
		a = &answer{columns: number(texts("Table", "Checksum"), 1)}
	}
	for _, name := range st.Tables {
		if err := c.maintainOne(a, st.Verb, name); err != nil {
			return err
		}
	}
	return c.send(a, nil, nil)
}

func (c *call) maintainOne(a *answer, verb string, name tree.Name) error {
	table, resolved, err := c.table(name)
	shown := resolved.Database + "." + resolved.Name
	refused, isFault := fault.Of(err)
	switch {
	case isFault && verb != "checksum" && c.isView(resolved):
		a.add(shown, verb, "status", "OK")
		return nil
	case isFault && verb == "checksum":
		a.add(shown, nil)
		return nil
	case isFault:
		a.add(shown, verb, "Error", refused.Message)
		a.add(shown, verb, "status", "Operation failed")
		return nil
	case err != nil:
		return err
	case verb == "checksum":
		sum, err := c.checksum(resolved)
		a.add(shown, int64(sum))
		return err
	case verb == "check":
		return c.check(a, shown, table)
	}
	a.add(shown, verb, "status", "OK")
	return nil
}

// check compares the rows of a table with its index entries.
func (c *call) check(a *answer, shown string, table *database.Table) error {
	report, err := table.Verify(c.ctx)
	if err != nil {
		return err
	}
	for _, text := range report.Faults {
		a.add(shown, "check", "error", text)
	}
	if len(report.Faults) > 0 {
		a.add(shown, "check", "error", "Corrupt")
		return nil
	}
	a.add(shown, "check", "status", "OK")
	return nil
}

// checksum is the same for tables with the same rows, whatever the order in which their columns were declared.
func (c *call) checksum(name tree.Name) (sum uint32, err error) {
	p, err := c.pin(name)
	if err != nil {
		return 0, err
	}
	defer p.Release()
	view, err := c.DB.View(c.ctx)
	if err != nil {
		return 0, err
	}
	defer view.Close()
	err = view.Stored(c.ctx, p.at, func(row value.Row) error {
		var total uint32
		attributes := row.Attributes(p.at.Names())
		for attributes.Next() {
			total += crc32.Update(crc32.ChecksumIEEE(attributes.Name()), crc32.IEEETable, attributes.Value())
		}
		sum += crc32.ChecksumIEEE(binary.BigEndian.AppendUint32(nil, total))
		return attributes.Err()
	})
	return sum, err
}
