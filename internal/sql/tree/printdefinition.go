// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

// append writes one column, key or index a line, as SHOW CREATE TABLE does.
func (s *CreateTable) append(dst []byte) []byte {
	dst = append(append(dst, "CREATE "...), ifWord("", s.Temporary, "TEMPORARY ")...)
	dst = s.Table.append(append(dst, ifWord("TABLE ", s.IfNotExists, "IF NOT EXISTS ")...))
	if s.Like != nil {
		return s.Like.append(append(dst, " LIKE "...))
	}
	separator, end := " (\n  ", "\n)"
	if len(s.Columns)+len(s.PrimaryKey)+len(s.Indexes)+len(s.ForeignKeys)+len(s.Checks) == 0 {
		end = ""
	}
	for i := range s.Columns {
		dst = AppendColumn(append(dst, separator...), &s.Columns[i])
		separator = ",\n  "
	}
	if len(s.PrimaryKey) > 0 {
		dst = appendKey(append(append(dst, separator...), "PRIMARY KEY "...), s.PrimaryKey)
		separator = ",\n  "
	}
	for i := range s.Indexes {
		dst = s.Indexes[i].append(append(dst, separator...))
		separator = ",\n  "
	}
	for i := range s.ForeignKeys {
		dst = s.ForeignKeys[i].append(append(dst, separator...))
		separator = ",\n  "
	}
	for i := range s.Checks {
		dst = s.Checks[i].append(append(dst, separator...))
		separator = ",\n  "
	}
	dst = appendOptions(append(dst, end...), s.Options)
	if s.Query == nil {
		return dst
	}
	return appendQuery(append(dst, map[DuplicateRule]string{DuplicateError: " AS ", DuplicateIgnore: " IGNORE AS ", ReplaceRow: " REPLACE AS "}[s.Rule]...), s.Query)
}

// append appends a foreign key as CREATE TABLE has it.
func (f *ForeignKey) append(dst []byte) []byte {
	dst = appendConstraint(dst, f.Name)
	dst = append(appendNames(append(dst, "FOREIGN KEY ("...), f.Columns), ')', ' ')
	return f.appendReference(dst)
}

func (f *ForeignKey) appendReference(dst []byte) []byte {
	dst = f.Table.append(append(dst, "REFERENCES "...))
	if len(f.References) > 0 {
		dst = append(appendNames(append(dst, " ("...), f.References), ')')
	}
	if f.OnDelete != "" {
		dst = append(append(dst, " ON DELETE "...), f.OnDelete...)
	}
	if f.OnUpdate != "" {
		dst = append(append(dst, " ON UPDATE "...), f.OnUpdate...)
	}
	return dst
}

func appendConstraint(dst []byte, name string) []byte {
	if name == "" {
		return dst
	}
	return append(AppendName(append(dst, "CONSTRAINT "...), name), ' ')
}

// append appends a check as CREATE TABLE has it.
func (c *Check) append(dst []byte) []byte {
	dst = append(appendConstraint(dst, c.Name), "CHECK ("...)
	return append(appendExpression(dst, c.Condition), ifWord(")", c.NotEnforced, " NOT ENFORCED")...)
}

// ifWord is a word with or without another behind it.
func ifWord(word string, more bool, with string) string {
	if more {
		return word + with
	}
	return word
}

// AppendColumn appends a column as CREATE TABLE and ADD COLUMN have it.
func AppendColumn(dst []byte, c *ColumnDefinition) []byte {
	dst = append(append(AppendName(dst, c.Name), ' '), c.Type.String()...)
	if c.Generated != nil {
		dst = append(appendExpression(append(dst, " GENERATED ALWAYS AS ("...), c.Generated), ifWord(")", !c.Virtual, " STORED")...)
	}
	if c.NotNull {
		dst = append(dst, " NOT NULL"...)
	}
	if c.Default != nil {
		dst = appendBracketed(append(dst, " DEFAULT "...), c.Default, bindUnary)
	}
	if c.OnUpdate != nil {
		dst = appendBracketed(append(dst, " ON UPDATE "...), c.OnUpdate, bindUnary)
	}
	if c.AutoIncrement {
		dst = append(dst, " AUTO_INCREMENT"...)
	}
	if c.Unique {
		dst = append(dst, " UNIQUE"...)
	}
	if c.PrimaryKey {
		dst = append(dst, " PRIMARY KEY"...)
	}
	if c.Comment != "" {
		dst = AppendText(append(dst, " COMMENT "...), c.Comment)
	}
	if c.References != nil {
		dst = c.References.appendReference(append(dst, ' '))
	}
	for i := range c.Checks {
		dst = c.Checks[i].append(append(dst, ' '))
	}
	return dst
}

// appendKey appends the elements of a key, in brackets.
func appendKey(dst []byte, key []KeyElement) []byte {
	dst = append(dst, '(')
	for i := range key {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendKeyElement(dst, &key[i])
	}
	return append(dst, ')')
}

// AppendKeyElement appends one element of a key or an index.
func AppendKeyElement(dst []byte, k *KeyElement) []byte {
	switch {
	case k.Expression != nil:
		dst = append(appendExpression(append(dst, '('), k.Expression), ')')
	case k.Function != "":
		dst = append(appendNames(append(AppendName(dst, k.Function), '('), k.Arguments), ')')
	case k.Column == "*":
		dst = append(dst, '*')
	default:
		dst = AppendName(dst, k.Column)
	}
	if k.Prefix > 0 {
		dst = append(strconv.AppendInt(append(dst, '('), int64(k.Prefix), 10), ')')
	}
	if len(k.Options) > 0 {
		list := make([]string, len(k.Options))
		for i, o := range k.Options {
			list[i] = o.Name + "=" + o.Value
		}
		dst = append(append(append(dst, '('), strings.Join(list, ", ")...), ')')
	}
	if k.Descending {
		dst = append(dst, " DESC"...)
	}
	return dst
}

// using is the clause that names the kind of an index.
func (i *IndexDefinition) using() string {
	return [...]string{IndexKV: "", IndexSearch: " USING SEARCH", IndexColumnar: " USING COLUMNAR", IndexFullText: ""}[i.Kind]
}

// fullText is the word that begins a FULLTEXT index.
func (i *IndexDefinition) fullText() string { return ifWord("", i.Kind == IndexFullText, "FULLTEXT ") }

// append appends an index as CREATE TABLE has it.
func (i *IndexDefinition) append(dst []byte) []byte {
	dst = append(dst, ifWord("", i.Unique, "UNIQUE ")+i.fullText()+"INDEX "...)
	if i.Name != "" {
		dst = append(AppendName(dst, i.Name), ifWord("", i.using() == "", " ")...)
	}
	if i.using() != "" {
		dst = append(append(dst, strings.TrimPrefix(i.using(), ifWord(" ", i.Name != "", " "))...), ' ')
	}
	return i.appendTail(appendKey(dst, i.Key))
}

func (i *IndexDefinition) appendTail(dst []byte) []byte {
	if len(i.Include) > 0 {
		dst = append(appendNames(append(dst, " INCLUDE ("...), i.Include), ')')
	}
	switch {
	case i.Async:
		dst = append(dst, " ASYNC"...)
	case i.Sync:
		dst = append(dst, " SYNC"...)
	}
	return appendOptions(dst, i.Options)
}

// appendOptions appends WITH (NAME = 'value', ..).
func appendOptions(dst []byte, options []Option) []byte {
	if len(options) == 0 {
		return dst
	}
	return append(appendOptionList(append(dst, " WITH ("...), options), ')')
}

func appendOptionList(dst []byte, options []Option) []byte {
	for i, o := range options {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if plainName(o.Name) {
			dst = append(dst, o.Name...)
		} else {
			dst = AppendText(dst, o.Name)
		}
		dst = AppendText(append(dst, " = "...), o.Value)
	}
	return dst
}

func (s *CreateIndex) append(dst []byte) []byte {
	dst = append(dst, "CREATE "+ifWord("", s.Index.Unique, "UNIQUE ")+s.Index.fullText()+ifWord("INDEX ", s.IfNotExists, "IF NOT EXISTS ")...)
	if s.Index.Name != "" {
		dst = append(AppendName(dst, s.Index.Name), ' ')
	}
	dst = append(dst, strings.TrimPrefix(s.Index.using()+" ON ", " ")...)
	return s.Index.appendTail(appendKey(append(s.Table.append(dst), ' '), s.Index.Key))
}

func (p Place) append(dst []byte) []byte {
	switch {
	case p.First:
		return append(dst, " FIRST"...)
	case p.After != "":
		return AppendName(append(dst, " AFTER "...), p.After)
	}
	return dst
}

func (s *AlterTable) append(dst []byte) []byte {
	dst = append(s.Table.append(append(dst, "ALTER TABLE "...)), ' ')
	for i, action := range s.Actions {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		switch a := action.(type) {
		case *AddColumn:
			dst = AppendColumn(append(dst, ifWord("ADD COLUMN ", a.IfNotExists, "IF NOT EXISTS ")...), &a.Column)
			dst = a.Place.append(dst)
		case *ModifyColumn:
			dst = AppendColumn(append(AppendName(append(dst, "CHANGE COLUMN "...), a.Name), ' '), &a.Column)
			dst = a.Place.append(dst)
		case *RenameColumn:
			dst = AppendName(append(AppendName(append(dst, "RENAME COLUMN "...), a.From), " TO "...), a.To)
		case *RenameIndex:
			dst = AppendName(append(AppendName(append(dst, "RENAME INDEX "...), a.From), " TO "...), a.To)
		case *AlterDefault:
			dst = AppendName(append(dst, "ALTER COLUMN "...), a.Name)
			if a.Default == nil {
				dst = append(dst, " DROP DEFAULT"...)
			} else {
				dst = appendBracketed(append(dst, " SET DEFAULT "...), a.Default, bindUnary)
			}
		case *DropColumn:
			dst = AppendName(append(dst, ifWord("DROP COLUMN ", a.IfExists, "IF EXISTS ")...), a.Name)
		case *SetOptions:
			dst = appendOptionList(append(dst, "SET "...), a.Options)
		case *AddForeignKey:
			dst = a.append(append(dst, "ADD "...))
		case *AddCheck:
			dst = a.append(append(dst, "ADD "...))
		case *DropConstraint:
			dst = AppendName(append(dst, ifWord("DROP "+a.Kind+" ", a.IfExists, "IF EXISTS ")...), a.Name)
		case *Compact:
			dst = append(dst, "COMPACT"...)
		case *CreateIndex:
			dst = a.Index.append(append(dst, "ADD "...))
		case *DropIndex:
			dst = AppendName(append(dst, ifWord("DROP INDEX ", a.IfExists, "IF EXISTS ")...), a.Index)
		case *MapColumn:
			if a.Type.Base == datum.Untyped {
				dst = AppendName(append(dst, "UNMAP DYNAMIC COLUMN "...), a.Name)
				break
			}
			dst = AppendName(append(dst, "MAP DYNAMIC COLUMN "...), a.Name)
			dst = append(append(dst, ' '), a.Type.String()...)
		case *RefusedAlter:
			dst = append(dst, a.What...)
		}
	}
	return dst
}

// appendDefinition appends what remains of DDL.
func appendDefinition(dst []byte, s Statement) (printed []byte, ok bool) {
	switch x := s.(type) {
	case *DropTable:
		dst = append(append(dst, "DROP "...), ifWord("", x.Temporary, "TEMPORARY ")...)
		dst = append(dst, ifWord("TABLE ", x.IfExists, "IF EXISTS ")...)
		for i, table := range x.Tables {
			dst = table.append(append(dst, ifWord("", i > 0, ", ")...))
		}
	case *RenameTable:
		for i := range x.From {
			dst = x.From[i].append(append(dst, [2]string{"RENAME TABLE ", ", "}[min(i, 1)]...))
			dst = x.To[i].append(append(dst, " TO "...))
		}
	case *Maintain:
		for i := range x.Tables {
			dst = x.Tables[i].append(append(dst, [2]string{strings.ToUpper(x.Verb) + " TABLE ", ", "}[min(i, 1)]...))
		}
	case *TruncateTable:
		dst = x.Table.append(append(dst, "TRUNCATE TABLE "...))
	case *DropIndex:
		dst = AppendName(append(dst, ifWord("DROP INDEX ", x.IfExists, "IF EXISTS ")...), x.Index)
		dst = x.Table.append(append(dst, " ON "...))
	case *BuildIndex:
		dst = append(dst, ifWord("BUILD INDEX", x.Alter != "", "")...)
		if x.Alter != "" {
			dst = append(dst[:len(dst)-len("BUILD INDEX")], "ALTER INDEX"...)
		}
		if x.Index != "" {
			dst = AppendName(append(dst, ' '), x.Index)
		}
		dst = append(x.Table.append(append(dst, " ON "...)), ifWord("", x.Alter != "", " "+x.Alter)...)
		if len(x.Fields) > 0 {
			dst = appendKey(append(dst, " COLUMNS "...), x.Fields)
		}
		if len(x.Options) > 0 {
			dst = appendOptionList(append(dst, ' '), x.Options)
		}
	case *CreateDatabase:
		dst = AppendName(append(dst, ifWord("CREATE DATABASE ", x.IfNotExists, "IF NOT EXISTS ")...), x.Database)
		dst = appendOptions(dst, x.Options)
	case *AlterDatabase:
		dst = appendOptions(AppendName(append(dst, "ALTER DATABASE "...), x.Database), x.Options)
	case *DropDatabase:
		dst = AppendName(append(dst, ifWord("DROP DATABASE ", x.IfExists, "IF EXISTS ")...), x.Database)
	default:
		return dst, false
	}
	return dst, true
}
