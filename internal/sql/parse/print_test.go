// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// statementText is a statement as the parser reads it back: keywords in upper case, names in backticks where they
// need them. The product prints queries and expressions alone, so the rest of the dialect is printed here.
func statementText(s tree.Statement) string {
	switch x := s.(type) {
	case tree.Query:
		return string(tree.AppendQuery(nil, x))
	case *tree.Insert:
		return insertText(x)
	case *tree.Update:
		return withText(x.With) + "UPDATE " + hintsText(x.Hints) + when(x.Ignore, "IGNORE ") +
			tablesText(x.Tables, x.Table, x.Alias) + " SET " + assignmentsText(x.Set) +
			restText(x.Where, x.OrderBy, x.Limit)
	case *tree.Delete:
		targets := ""
		if x.Tables != nil {
			targets = listText(x.Targets, nameText) + " "
		}
		return withText(x.With) + "DELETE " + hintsText(x.Hints) + when(x.Ignore, "IGNORE ") + targets + "FROM " +
			tablesText(x.Tables, x.From, x.Alias) + restText(x.Where, x.OrderBy, x.Limit)
	case *tree.Explain:
		return "EXPLAIN " + when(x.Analyze, "ANALYZE ") +
			when(x.Format != "", "FORMAT = "+strings.ToUpper(x.Format)+" ") + statementText(x.Of)
	}
	if text := definitionText(s); text != "" {
		return text
	}
	if text := accountText(s); text != "" {
		return text
	}
	return sessionText(s)
}

// when is a text under a condition.
func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// listText joins the texts of elements with commas.
func listText[T any](list []T, text func(T) string) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = text(x)
	}
	return strings.Join(texts, ", ")
}

func nameText(n tree.Name) string {
	return when(n.Database != "", tree.QuoteIfNeeded(n.Database)+".") + tree.QuoteIfNeeded(n.Name)
}

func namesText(names []string) string { return listText(names, tree.QuoteIfNeeded) }

func quoted(text string) string { return string(tree.AppendText(nil, text)) }

func expressionText(e tree.Expression) string { return string(tree.AppendExpression(nil, e)) }

// selectText is a SELECT without its first word: with clauses of a writing statement, it prints these.
func selectText(s tree.Select) string {
	return strings.TrimPrefix(string(tree.AppendQuery(nil, &s)), "SELECT ")
}

func withText(w *tree.With) string {
	return strings.TrimSuffix(selectText(tree.Select{With: w}), "SELECT ")
}

func hintsText(hints []tree.Hint) string { return selectText(tree.Select{Hints: hints}) }

// tablesText is what FROM would have, which is one table where there are no tables.
func tablesText(tables tree.TableExpression, one tree.Name, alias string) string {
	return strings.TrimPrefix(selectText(tree.Select{Tables: tables, From: &one, Alias: alias}), " FROM ")
}

func restText(where tree.Expression, orders []tree.Order, limit tree.Expression) string {
	return selectText(tree.Select{Where: where, OrderBy: orders, Limit: limit})
}

func insertText(x *tree.Insert) string {
	verb := map[tree.DuplicateRule]string{tree.ReplaceRow: "REPLACE ", tree.Overwrite: "UPSERT "}[x.Rule]
	if verb == "" {
		verb = "INSERT "
	}
	text := verb + hintsText(x.Hints) + "INTO " + nameText(x.Into) +
		when(len(x.Columns) > 0, " ("+namesText(x.Columns)+")")
	switch _, plain := x.Query.(*tree.Select); {
	case plain:
		text += " " + statementText(x.Query)
	case x.Query != nil: // VALUES without brackets would be rows
		text += " (" + statementText(x.Query) + ")"
	default:
		text += " VALUES " + listText(x.Rows, func(row []tree.Expression) string {
			return "(" + listText(row, expressionText) + ")"
		})
	}
	switch x.Rule {
	case tree.DuplicateIgnore:
		return text + " ON DUPLICATE KEY IGNORE"
	case tree.DuplicateError:
		return text + " ON DUPLICATE KEY ERROR"
	case tree.DuplicateUpdate:
		return text + " ON DUPLICATE KEY UPDATE " + assignmentsText(x.Updates)
	}
	return text
}

func assignmentsText(list []tree.Assignment) string {
	return listText(list, func(a tree.Assignment) string {
		return when(a.Table != "", tree.QuoteIfNeeded(a.Table)+".") + tree.QuoteIfNeeded(a.Column) +
			" = " + expressionText(a.Value)
	})
}

// definitionText is a statement of DDL, "" for others.
func definitionText(s tree.Statement) string {
	switch x := s.(type) {
	case *tree.CreateTable:
		return createTableText(x)
	case *tree.AlterTable:
		return "ALTER TABLE " + nameText(x.Table) + " " + listText(x.Actions, actionText)
	case *tree.CreateIndex:
		return "CREATE " + when(x.Index.Unique, "UNIQUE ") +
			when(x.Index.Kind == tree.IndexFullText, "FULLTEXT ") + "INDEX " +
			when(x.IfNotExists, "IF NOT EXISTS ") + when(x.Index.Name != "", tree.QuoteIfNeeded(x.Index.Name)+" ") +
			usingText(&x.Index) + "ON " + nameText(x.Table) + " " + keyText(x.Index.Key) + indexEnd(&x.Index)
	case *tree.CreateView:
		verb := "CREATE "
		if x.Alter {
			verb = "ALTER "
		}
		return verb + when(!x.Alter && x.OrReplace, "OR REPLACE ") + "VIEW " + nameText(x.View) +
			when(len(x.Columns) > 0, " ("+namesText(x.Columns)+")") + " AS " + statementText(x.Query)
	case *tree.DropView:
		return "DROP VIEW " + when(x.IfExists, "IF EXISTS ") + listText(x.Views, nameText)
	case *tree.DropTable:
		return "DROP " + when(x.Temporary, "TEMPORARY ") + "TABLE " + when(x.IfExists, "IF EXISTS ") +
			listText(x.Tables, nameText)
	case *tree.RenameTable:
		pairs := make([]string, len(x.From))
		for i := range x.From {
			pairs[i] = nameText(x.From[i]) + " TO " + nameText(x.To[i])
		}
		return "RENAME TABLE " + strings.Join(pairs, ", ")
	case *tree.Maintain:
		return strings.ToUpper(x.Verb) + " TABLE " + listText(x.Tables, nameText)
	case *tree.TruncateTable:
		return "TRUNCATE TABLE " + nameText(x.Table)
	case *tree.DropIndex:
		return "DROP INDEX " + when(x.IfExists, "IF EXISTS ") + tree.QuoteIfNeeded(x.Index) + " ON " +
			nameText(x.Table)
	case *tree.BuildIndex:
		verb := "BUILD INDEX"
		if x.Alter != "" {
			verb = "ALTER INDEX"
		}
		return verb + when(x.Index != "", " "+tree.QuoteIfNeeded(x.Index)) + " ON " + nameText(x.Table) +
			when(x.Alter != "", " "+x.Alter) + when(len(x.Fields) > 0, " COLUMNS "+keyText(x.Fields)) +
			when(len(x.Options) > 0, " "+optionsText(x.Options))
	case *tree.CreateDatabase:
		return "CREATE DATABASE " + when(x.IfNotExists, "IF NOT EXISTS ") +
			tree.QuoteIfNeeded(x.Database) + withOptions(x.Options)
	case *tree.AlterDatabase:
		return "ALTER DATABASE " + tree.QuoteIfNeeded(x.Database) + withOptions(x.Options)
	case *tree.DropDatabase:
		return "DROP DATABASE " + when(x.IfExists, "IF EXISTS ") + tree.QuoteIfNeeded(x.Database)
	}
	return ""
}

// createTableText has one column, key or index a line, as SHOW CREATE TABLE does.
func createTableText(x *tree.CreateTable) string {
	text := "CREATE " + when(x.Temporary, "TEMPORARY ") + "TABLE " +
		when(x.IfNotExists, "IF NOT EXISTS ") + nameText(x.Table)
	if x.Like != nil {
		return text + " LIKE " + nameText(*x.Like)
	}
	var lines []string
	for i := range x.Columns {
		lines = append(lines, columnText(&x.Columns[i]))
	}
	if len(x.PrimaryKey) > 0 {
		lines = append(lines, "PRIMARY KEY "+keyText(x.PrimaryKey))
	}
	for i := range x.Indexes {
		lines = append(lines, indexText(&x.Indexes[i]))
	}
	for i := range x.ForeignKeys {
		lines = append(lines, foreignKeyText(&x.ForeignKeys[i]))
	}
	for i := range x.Checks {
		lines = append(lines, checkText(&x.Checks[i]))
	}
	text += when(len(lines) > 0, " (\n  "+strings.Join(lines, ",\n  ")+"\n)") + withOptions(x.Options)
	if x.Query == nil {
		return text
	}
	rules := map[tree.DuplicateRule]string{tree.DuplicateIgnore: " IGNORE AS ", tree.ReplaceRow: " REPLACE AS "}
	rule, ok := rules[x.Rule]
	if !ok {
		rule = " AS "
	}
	return text + rule + statementText(x.Query)
}

func constraintText(name string) string {
	return when(name != "", "CONSTRAINT "+tree.QuoteIfNeeded(name)+" ")
}

func foreignKeyText(f *tree.ForeignKey) string {
	return constraintText(f.Name) + "FOREIGN KEY (" + namesText(f.Columns) + ") " + referenceText(f)
}

func referenceText(f *tree.ForeignKey) string {
	return "REFERENCES " + nameText(f.Table) + when(len(f.References) > 0, " ("+namesText(f.References)+")") +
		when(f.OnDelete != "", " ON DELETE "+f.OnDelete) + when(f.OnUpdate != "", " ON UPDATE "+f.OnUpdate)
}

func checkText(c *tree.Check) string {
	return constraintText(c.Name) + "CHECK (" + expressionText(c.Condition) + ")" +
		when(c.NotEnforced, " NOT ENFORCED")
}

// operandText has brackets around what an operator may be in.
func operandText(e tree.Expression) string {
	switch e.(type) {
	case *tree.Literal, *tree.Call, *tree.Parameter, *tree.Unary, *tree.Column, *tree.Variable,
		*tree.Cast, *tree.Case:
		return expressionText(e)
	}
	return "(" + expressionText(e) + ")"
}

func columnText(c *tree.ColumnDefinition) string {
	text := tree.QuoteIfNeeded(c.Name) + " " + c.Type.String()
	if c.Generated != nil {
		text += " GENERATED ALWAYS AS (" + expressionText(c.Generated) + ")" + when(!c.Virtual, " STORED")
	}
	text += when(c.NotNull, " NOT NULL")
	if c.Default != nil {
		text += " DEFAULT " + operandText(c.Default)
	}
	if c.OnUpdate != nil {
		text += " ON UPDATE " + operandText(c.OnUpdate)
	}
	text += when(c.AutoIncrement, " AUTO_INCREMENT") + when(c.Unique, " UNIQUE") +
		when(c.PrimaryKey, " PRIMARY KEY") +
		when(c.Comment != "", " COMMENT "+quoted(c.Comment))
	if c.References != nil {
		text += " " + referenceText(c.References)
	}
	for i := range c.Checks {
		text += " " + checkText(&c.Checks[i])
	}
	return text
}

func keyText(key []tree.KeyElement) string { return "(" + listText(key, elementText) + ")" }

func elementText(k tree.KeyElement) string {
	text := tree.QuoteIfNeeded(k.Column)
	switch {
	case k.Expression != nil:
		text = "(" + expressionText(k.Expression) + ")"
	case k.Function != "":
		text = tree.QuoteIfNeeded(k.Function) + "(" + namesText(k.Arguments) + ")"
	case k.Column == "*":
		text = "*"
	}
	options := listText(k.Options, func(o tree.Option) string { return o.Name + "=" + o.Value })
	return text + when(k.Prefix > 0, "("+strconv.Itoa(k.Prefix)+")") + when(options != "", "("+options+")") +
		when(k.Descending, " DESC")
}

// usingText is the clause that names the kind of an index, with a space behind it.
func usingText(x *tree.IndexDefinition) string {
	return map[tree.IndexKind]string{tree.IndexSearch: "USING SEARCH ", tree.IndexColumnar: "USING COLUMNAR "}[x.Kind]
}

func indexText(x *tree.IndexDefinition) string {
	return when(x.Unique, "UNIQUE ") + when(x.Kind == tree.IndexFullText, "FULLTEXT ") + "INDEX " +
		when(x.Name != "", tree.QuoteIfNeeded(x.Name)+" ") + usingText(x) + keyText(x.Key) + indexEnd(x)
}

// indexEnd is what follows the key of an index.
func indexEnd(x *tree.IndexDefinition) string {
	return when(len(x.Include) > 0, " INCLUDE ("+namesText(x.Include)+")") + when(x.Async, " ASYNC") +
		when(x.Sync && !x.Async, " SYNC") + withOptions(x.Options)
}

func withOptions(options []tree.Option) string {
	return when(len(options) > 0, " WITH ("+optionsText(options)+")")
}

func optionsText(options []tree.Option) string {
	return listText(options, func(o tree.Option) string {
		name := o.Name
		if tree.QuoteIfNeeded(name) != name {
			name = quoted(name)
		}
		return name + " = " + quoted(o.Value)
	})
}

func placeText(p tree.Place) string {
	return when(p.First, " FIRST") + when(p.After != "", " AFTER "+tree.QuoteIfNeeded(p.After))
}

// actionText is one action of ALTER TABLE.
func actionText(action tree.AlterAction) string {
	switch a := action.(type) {
	case *tree.AddColumn:
		return "ADD COLUMN " + when(a.IfNotExists, "IF NOT EXISTS ") + columnText(&a.Column) + placeText(a.Place)
	case *tree.ModifyColumn:
		return "CHANGE COLUMN " + tree.QuoteIfNeeded(a.Name) + " " + columnText(&a.Column) + placeText(a.Place)
	case *tree.RenameColumn:
		return "RENAME COLUMN " + tree.QuoteIfNeeded(a.From) + " TO " + tree.QuoteIfNeeded(a.To)
	case *tree.RenameIndex:
		return "RENAME INDEX " + tree.QuoteIfNeeded(a.From) + " TO " + tree.QuoteIfNeeded(a.To)
	case *tree.AlterDefault:
		if a.Default == nil {
			return "ALTER COLUMN " + tree.QuoteIfNeeded(a.Name) + " DROP DEFAULT"
		}
		return "ALTER COLUMN " + tree.QuoteIfNeeded(a.Name) + " SET DEFAULT " + operandText(a.Default)
	case *tree.DropColumn:
		return "DROP COLUMN " + when(a.IfExists, "IF EXISTS ") + tree.QuoteIfNeeded(a.Name)
	case *tree.SetOptions:
		return "SET " + optionsText(a.Options)
	case *tree.AddForeignKey:
		return "ADD " + foreignKeyText(&a.ForeignKey)
	case *tree.AddCheck:
		return "ADD " + checkText(&a.Check)
	case *tree.DropConstraint:
		return "DROP " + a.Kind + " " + when(a.IfExists, "IF EXISTS ") + tree.QuoteIfNeeded(a.Name)
	case *tree.Compact:
		return "COMPACT"
	case *tree.CreateIndex:
		return "ADD " + indexText(&a.Index)
	case *tree.DropIndex:
		return "DROP INDEX " + when(a.IfExists, "IF EXISTS ") + tree.QuoteIfNeeded(a.Index)
	case *tree.MapColumn:
		if a.Type.Base == datum.Untyped {
			return "UNMAP DYNAMIC COLUMN " + tree.QuoteIfNeeded(a.Name)
		}
		return "MAP DYNAMIC COLUMN " + tree.QuoteIfNeeded(a.Name) + " " + a.Type.String()
	case *tree.AddPrimaryKey:
		return "ADD PRIMARY KEY " + keyText(a.Key)
	case *tree.DropPrimaryKey:
		return "DROP PRIMARY KEY"
	case *tree.RefusedAlter:
		return a.What
	}
	return ""
}

// accountText is a statement about users, "" for others.
func accountText(s tree.Statement) string {
	switch x := s.(type) {
	case *tree.ChangeUsers:
		not := when(strings.HasPrefix(x.What, "create"), "NOT ")
		return strings.ToUpper(x.What) + " " + when(x.IfExists, "IF "+not+"EXISTS ") +
			listText(x.Users, func(u tree.User) string {
				password := strings.HasSuffix(x.What, "user") && x.What != "drop user"
				return userText(u.Name) + when(password, " IDENTIFIED BY "+quoted(u.Password))
			})
	case *tree.Grant:
		return grantText(x)
	case *tree.SetRole:
		users := listText(x.Users, userText)
		return "SET " + when(users != "", "DEFAULT ") + "ROLE " + x.Which +
			listText(x.Roles, userText) + when(users != "", " TO "+users)
	}
	return ""
}

func userText(name string) string {
	if name == "" {
		return "CURRENT_USER()"
	}
	return quoted(name)
}

func grantText(x *tree.Grant) string {
	what := listText(x.Privileges, privilegeText) + " ON " + levelText(x.On)
	switch {
	case x.Everywhere:
		what = "ALL PRIVILEGES, GRANT OPTION"
	case len(x.Roles) > 0:
		what = listText(x.Roles, userText)
	}
	users := listText(x.Users, userText)
	if x.Revoke {
		return "REVOKE " + when(x.IfExists, "IF EXISTS ") + what + " FROM " + users
	}
	return "GRANT " + what + " TO " + users + when(x.Option, " WITH GRANT OPTION")
}

// privilegeText is a word, or in quotes a text that the statement has in place of one.
func privilegeText(p string) string {
	if strings.Trim(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ ") == "" {
		return p
	}
	return quoted(p)
}

func levelText(l tree.GrantLevel) string {
	if l.All {
		return "*.*"
	}
	table := "*"
	if l.Table != "" {
		table = tree.Quote(l.Table)
	}
	return when(l.Database != "", tree.Quote(l.Database)+".") + table
}

// sessionText is a statement about the session or the server.
func sessionText(s tree.Statement) string {
	switch x := s.(type) {
	case *tree.Use:
		return "USE " + tree.QuoteIfNeeded(x.Database)
	case *tree.Show:
		return showText(x)
	case *tree.Describe:
		table := nameText(x.Table)
		switch strings.ToLower(table) {
		case "extended", "partitions", "plan", "format": // words that may stand between DESCRIBE and a statement
			table = tree.Quote(x.Table.Name)
		}
		return "DESCRIBE " + table + when(x.Column != "", " "+tree.QuoteIfNeeded(x.Column))
	case *tree.Begin:
		var how []string
		if x.ConsistentSnapshot {
			how = append(how, " WITH CONSISTENT SNAPSHOT")
		}
		if x.ReadOnly {
			how = append(how, " READ ONLY")
		}
		if x.ReadWrite {
			how = append(how, " READ WRITE")
		}
		return "START TRANSACTION" + strings.Join(how, ",")
	case *tree.Commit:
		return "COMMIT" + when(x.Chain, " AND CHAIN") + when(x.Release, " RELEASE")
	case *tree.Rollback:
		return "ROLLBACK" + when(x.Chain, " AND CHAIN") + when(x.Release, " RELEASE")
	case *tree.Savepoint:
		verbs := map[string]string{"savepoint": "SAVEPOINT ", "rollback to": "ROLLBACK TO SAVEPOINT ",
			"release": "RELEASE SAVEPOINT "}
		return verbs[x.Action] + tree.QuoteIfNeeded(x.Name)
	case *tree.Set:
		return "SET " + listText(x.Assignments, func(a tree.SetVariable) string {
			return expressionText(&a.Variable) + " = " + settingText(a.Value)
		})
	case *tree.AlterSystem:
		name := expressionText(&tree.Variable{System: true, Name: x.Name})
		return "ALTER SYSTEM SET " + strings.TrimPrefix(name, "@@") + " = " + settingText(x.Value)
	case *tree.Kill:
		if x.QueryOnly {
			return "KILL QUERY " + expressionText(x.ID)
		}
		return "KILL CONNECTION " + expressionText(x.ID)
	case *tree.Prepare:
		return "PREPARE " + tree.QuoteIfNeeded(x.Name) + " FROM " + expressionText(x.Text)
	case *tree.ExecutePrepared:
		using := listText(x.Using, variableText)
		return "EXECUTE " + tree.QuoteIfNeeded(x.Name) + when(using != "", " USING "+using)
	case *tree.SelectInto:
		if read, ok := x.Query.(*tree.Select); ok && x.Targets == nil {
			return "DO " + selectText(*read)
		}
		return statementText(x.Query) + " INTO " + listText(x.Targets, variableText)
	case *tree.Deallocate:
		return "DEALLOCATE PREPARE " + tree.QuoteIfNeeded(x.Name)
	case *tree.Nothing:
		return strings.ToUpper(x.What)
	}
	return ""
}

func variableText(v tree.Variable) string { return expressionText(&v) }

// settingText is a value of SET, where a name by itself would be a text.
func settingText(e tree.Expression) string {
	if c, ok := e.(*tree.Column); ok && c.Table == "" {
		return "(" + expressionText(c) + ")"
	}
	return expressionText(e)
}

func showText(x *tree.Show) string {
	what := strings.ToUpper(x.What)
	if of, counts := strings.CutPrefix(what, "COUNT "); counts {
		return "SHOW " + when(x.Global, "GLOBAL ") + "COUNT(*) " + of
	}
	text := "SHOW " + when(x.Global, "GLOBAL ") + what
	switch {
	case what == "CREATE TABLE" || what == "CREATE VIEW":
		return text + " " + nameText(x.Table)
	case what == "CREATE DATABASE":
		return text + " " + tree.QuoteIfNeeded(x.Database)
	case x.User != "":
		return text + " FOR " + userText(x.User)
	case x.Table.Name != "":
		text += " FROM " + nameText(x.Table)
	case x.Database != "":
		text += " FROM " + tree.QuoteIfNeeded(x.Database)
	}
	if x.Like != nil {
		return text + " LIKE " + quoted(*x.Like)
	}
	return text + restText(x.Where, nil, nil)
}
