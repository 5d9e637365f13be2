// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// definitions lists the types of the attributes of keys, each once.
func (s *study) definitions(keys ...design.Key) []report.Definition {
	var list []report.Definition
	for _, key := range keys {
		for _, name := range key {
			if !slices.ContainsFunc(list, func(d report.Definition) bool { return d.AttributeName == name }) {
				list = append(list, report.Definition{AttributeName: name, AttributeType: s.keyType(name)})
			}
		}
	}
	return list
}

// createIndex is the request that makes an index.
func (s *study) createIndex(name string, key design.Key) report.Statement {
	if s.Table.SQL {
		return report.Statement{SQL: fmt.Sprintf("CREATE INDEX %s ON %s (%s);", quote(name), s.quotedTable(),
			strings.Join(spellSQL(key), ", "))}
	}
	return report.CreateIndex(s.Table.Name, s.definitions(key), report.NewIndex{Name: name, Key: key})
}

// dropIndex is the request that removes an index. DynamoDB's API has none for search indexes.
func (s *study) dropIndex(k namedKey) report.Statement {
	if s.Table.SQL || k.parts == nil {
		return report.Statement{SQL: fmt.Sprintf("DROP INDEX %s ON %s;", quote(k.index.Name), s.quotedTable())}
	}
	return report.DropIndex(s.Table.Name, k.index.Name)
}

// makeIndex is the proposal of a finding: an index, in place of another one if that is not nil. Where the table may
// have no more of its kind, those that earlier findings ask for among them, one goes first.
func (s *study) makeIndex(f *report.Finding, made report.Statement, search bool, instead *namedKey) {
	list, most, kind := s.replaceable(search), s.Table.IndexesMax, 0
	if search {
		most, kind = s.Table.SearchesMax, 1
	}
	over := -1 // how many of the list have to go before
	if most > 0 {
		over = len(list) + s.planned[kind] - most
	}
	f.Statements = []report.Statement{made}
	if instead == nil {
		s.planned[kind]++
		if over < 0 || over >= len(list) {
			return
		}
		instead = &list[over]
		f.Remedy += fmt.Sprintf(" A table may have %d of these at most: first drop one that you can do without, such as %s", most, instead.index.Name)
		if s.Complete {
			f.Remedy += ", which serves the fewest queries"
		}
		f.Remedy += "."
	}
	f.Statements = append(f.Statements, s.dropIndex(*instead))
	if over >= 0 {
		slices.Reverse(f.Statements)
	}
}

// replaceable lists the indexes of a kind that can be dropped, the least used first.
func (s *study) replaceable(search bool) (list []namedKey) {
	all := s.Table.Indexes
	if search {
		all = s.Table.Searches
	}
	for i := range all {
		if k := (namedKey{index: &all[i]}); !all[i].Local {
			if !search {
				k.parts = all[i].Key.Parts()
			}
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b namedKey) int { return cmp.Compare(a.index.Queries, b.index.Queries) })
	return list
}

// quotedTable is the table's name in SQL, with its database if it has another than the default one.
func (s *study) quotedTable() string {
	database, table, ok := strings.Cut(s.Table.Name, ".")
	if !ok || !s.Table.SQL {
		return quote(s.Table.Name)
	}
	return quote(database) + "." + quote(table)
}

// spellSQL spells the parts of an index's key in SQL, which learns the types and codecs of a curve by itself.
func spellSQL(key design.Key) (list []string) {
	for _, p := range key.Parts() {
		var names []string
		for _, name := range p.Attributes() {
			names = append(names, quote(name))
		}
		switch p.Function {
		case "":
			list = append(list, names[0])
		case "desc":
			list = append(list, names[0]+" DESC")
		default:
			list = append(list, strings.ToUpper(p.Function)+"("+strings.Join(names, ", ")+")")
		}
	}
	return list
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// createTable makes a copy of the table with another key. Its name is the table's with -2 behind it. Local indexes keep
// their sort keys. A table made in SQL gets no statement: SHOW CREATE TABLE has its columns and options.
func (s *study) createTable(key design.Key, hashed bool) []report.Statement {
	if s.Table.SQL {
		return nil
	}
	t := report.NewTable{Name: s.Table.Name + "-2", Key: key, Hashed: hashed}
	keys := []design.Key{key}
	for _, x := range s.Table.Indexes {
		of := slices.Clone(x.Key)
		if x.Local {
			of[0] = key[0]
			t.Local = append(t.Local, report.NewIndex{Name: x.Name, Key: of})
		} else {
			t.Global = append(t.Global, report.NewIndex{Name: x.Name, Key: of})
		}
		keys = append(keys, of)
	}
	t.Definitions = s.definitions(keys...)
	return []report.Statement{report.CreateTable(t)}
}

// indexName makes a name for an index out of its key, of the characters and the length that DynamoDB allows, unlike the
// names there are.
func (s *study) indexName(c *candidate) string {
	const bytesMax = 60
	name := "by-" + strings.Join(c.key.Attributes(), "-")
	if c.curve {
		name = "z-" + strings.Join(c.key.Attributes(), "-")
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r) {
			return r
		}
		return '_'
	}, name)
	name = name[:min(len(name), bytesMax)]
	for n := 2; slices.ContainsFunc(s.Table.Indexes, func(x design.Index) bool { return x.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", strings.TrimRight(name, "-0123456789"), n)
	}
	return name
}
