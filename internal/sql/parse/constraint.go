// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// constraintName reads CONSTRAINT [name]. named says that it was there.
func (p *parser) constraintName() (name string, named bool) {
	if !p.Accept("constraint") {
		return "", false
	}
	if p.IsName() {
		name = p.Name("a constraint's name")
	}
	return name, true
}

// foreignKey reads FOREIGN KEY [name] (columns) REFERENCES ..
func (p *parser) foreignKey(name string) tree.ForeignKey {
	p.Expect("foreign", "key")
	p.ifNotExists()
	f := tree.ForeignKey{Name: name}
	if p.IsName() {
		if own := p.Name("a foreign key's name"); name == "" {
			f.Name = own
		}
	}
	p.List(func() { f.Columns = append(f.Columns, p.Name("a column")) })
	p.reference(&f)
	return f
}

// reference reads REFERENCES table [(columns)] [MATCH ..] [ON DELETE ..] [ON UPDATE ..].
func (p *parser) reference(f *tree.ForeignKey) {
	p.Expect("references")
	f.Table = p.table()
	if p.Is("(") {
		p.List(func() { f.References = append(f.References, p.Name("a column")) })
	}
	if p.Accept("match") && p.AcceptAny("simple", "full", "partial") == "" {
		p.Expected("SIMPLE")
	}
	for {
		switch {
		case p.Accepts("on", "delete"):
			f.OnDelete = p.referenceAction()
		case p.Accepts("on", "update"):
			f.OnUpdate = p.referenceAction()
		default:
			return
		}
	}
}

func (p *parser) referenceAction() string {
	switch {
	case p.Accept("restrict"):
		return ""
	case p.Accept("cascade"):
		return "CASCADE"
	case p.Accepts("no", "action"):
		return "NO ACTION"
	case p.Accepts("set", "null"):
		return "SET NULL"
	case p.Accepts("set", "default"):
		p.Refuse("SET DEFAULT is not supported: write RESTRICT, CASCADE or SET NULL")
	}
	p.Expected("RESTRICT, CASCADE, SET NULL or NO ACTION")
	return ""
}

// check reads CHECK (condition) [[NOT] ENFORCED].
func (p *parser) check(name string) tree.Check {
	c := tree.Check{Name: name}
	p.Expect("check", "(")
	c.Condition = p.expression()
	p.Expect(")")
	if p.Accepts("not", "enforced") {
		c.NotEnforced = true
	} else {
		p.Accept("enforced")
	}
	return c
}

// readGenerated reads [GENERATED ALWAYS] AS (expression) [VIRTUAL | STORED | PERSISTENT].
func (p *parser) readGenerated(c *tree.ColumnDefinition) {
	if p.Accept("generated") {
		p.Expect("always")
	}
	p.Expect("as", "(")
	c.Generated = p.expression()
	p.Expect(")")
	kind := p.AcceptAny("virtual", "stored", "persistent")
	c.Virtual = kind == "" || kind == "virtual"
}

// addConstraint reads what follows ADD of a constraint; nil if it is another action.
func (p *parser) addConstraint() tree.AlterAction {
	name, _ := p.constraintName()
	switch p.At.Word {
	case "foreign":
		return &tree.AddForeignKey{ForeignKey: p.foreignKey(name)}
	case "check":
		return &tree.AddCheck{Check: p.check(name)}
	case "primary":
		return p.addPrimaryKey()
	}
	p.Expected("PRIMARY KEY, FOREIGN KEY, CHECK or UNIQUE")
	return nil
}

// addPrimaryKey reads PRIMARY KEY [USING BTREE] (elements) behind ADD.
func (p *parser) addPrimaryKey() tree.AlterAction {
	p.Expect("primary", "key")
	p.using()
	a := &tree.AddPrimaryKey{Key: p.keyElements()}
	p.using()
	return a
}

// dropConstraint reads what follows DROP of a constraint.
func (p *parser) dropConstraint() tree.AlterAction {
	d := &tree.DropConstraint{Kind: strings.ToUpper(p.AcceptAny("constraint", "foreign", "check"))}
	if d.Kind == "FOREIGN" {
		p.Expect("key")
		d.Kind = "FOREIGN KEY"
	}
	d.IfExists = p.ifExists()
	d.Name = p.Name("a constraint's name")
	return d
}
