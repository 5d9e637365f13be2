// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"strings"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/legacy"
)

// member is a member of a request's body.
type member interface {
	// read reads the value that comes next in the body; it is not null.
	read(r *request) error
	// IsGiven reports whether the body has the member.
	IsGiven() bool
}

// part is a member that its request reads itself.
type part struct {
	reads func() error
	gives func() bool
}

func (p part) read(*request) error { return p.reads() }
func (p part) IsGiven() bool       { return p.gives() }

// text is a string.
type text struct {
	value string
	has   bool
}

func (t *text) read(r *request) error {
	b, err := r.reader.String()
	t.value, t.has = commonWord(b), true
	return err
}

func (t *text) IsGiven() bool { return t.has }

// source is the text of an expression.
func (t *text) source() string { return t.value }

// commonWords are the texts that most requests have. // immutable
var commonWords = [...]string{"NONE", "TOTAL", "INDEXES", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "COUNT",
	"SIZE"}

// commonWord is a string of b, without a copy of the usual values of enumerations.
func commonWord(b []byte) string {
	for _, word := range commonWords {
		if string(b) == word {
			return word
		}
	}
	return string(b)
}

// flag is a truth value.
type flag struct{ on, has bool }

func (f *flag) read(r *request) (err error) {
	f.on, err = r.reader.Bool()
	f.has = true
	return err
}

func (f *flag) IsGiven() bool { return f.has }

// integer is a number that Amazon's model has in 32 bits.
type integer struct {
	n   int64
	has bool
}

func (i *integer) read(r *request) (err error) {
	i.n, err = r.reader.Int()
	i.has = true
	if fault, ok := err.(*attributejson.TypeError); ok {
		fault.Expected = "Integer"
	}
	return err
}

func (i *integer) IsGiven() bool { return i.has }

// Lengths of names in requests, in characters. A table may be named by its ARN.
const (
	tableNameMax = 1024
	indexNameMax = 255
	tokenMax     = 36
)

// tableName is the name of a table or its ARN.
type tableName struct{ text }

// constrain judges the name by itself. One of one or two letters is as good as any if there is such a table: SQL and
// the Go API make them.
func (t *tableName) constrain(r *request, c *exception.Constraints, name string) {
	switch {
	case t.value == "" || len(t.value) > tableNameMax:
		c.Length(true, t.value, name, tableNameMax)
	case !strings.HasPrefix(t.value, "arn:"):
		c.TableName(t.value, name, r.api.hasTable(t.value))
	}
}

// hasTable reports whether there is a table with a short name; of a long one it says yes without a look.
func (a *API) hasTable(name string) bool {
	if len(name) >= exception.TableNameMin {
		return true
	}
	pin, err := a.space().Pin(name)
	if err == nil {
		pin.Release()
	}
	return database.KindOf(err) != database.KindNotFound
}

// The enumerations that the code asks about.
type (
	returnConsumedCapacity      struct{ text }
	returnItemCollectionMetrics struct{ text }
	returnOnFailure             struct{ text }
)

// isWanted reports whether the answer has a ConsumedCapacity.
func (m *returnConsumedCapacity) isWanted() bool { return isCapacityWanted(m.value) }

// isWanted reports whether the answer has ItemCollectionMetrics.
func (m *returnItemCollectionMetrics) isWanted() bool { return m.value == "SIZE" }

// wantsItem reports whether a failed condition is answered with the item.
func (m *returnOnFailure) wantsItem() bool { return m.value == "ALL_OLD" }

// attributes is an item or a key. Its text is read once, into the request's builder, before it is known whose item it
// is.
type attributes struct {
	has   bool
	fault error // a faulty value, or a name that comes twice
}

func (a *attributes) read(r *request) (err error) {
	r.builder.Reset(nil)
	a.has = true
	a.fault, err = r.reader.TakeItem(&r.builder)
	return err
}

func (a *attributes) IsGiven() bool { return a.has }

// nameMap is ExpressionAttributeNames.
type nameMap struct{ has, empty bool }

func (m *nameMap) IsGiven() bool { return m.has }

func (m *nameMap) read(r *request) error {
	m.has, m.empty = true, true
	return readMap(r.reader, attributejson.MapOfTexts(), func(placeholder string) error {
		m.empty = false
		name, err := r.reader.String()
		if err == nil {
			r.placeholders.AddName(placeholder, string(name))
		}
		return err
	})
}

// valueMap is ExpressionAttributeValues. A faulty value is reported later, when all of the body is known to have the
// right types; the contents of none are kept then.
type valueMap struct {
	has, empty bool
	faulty     string // the placeholder of the fault
	fault      *attributejson.ValueError
}

func (m *valueMap) IsGiven() bool { return m.has }

func (m *valueMap) read(r *request) error {
	m.has, m.empty = true, true
	return readMap(r.reader, attributejson.MapOf("AttributeValue"), func(placeholder string) (err error) {
		m.empty = false
		start := len(r.arena)
		if m.fault != nil {
			err = r.reader.CheckValue()
		} else {
			r.arena, err = r.reader.Value(r.arena)
		}
		if fault, ok := err.(*attributejson.ValueError); ok {
			if m.fault == nil {
				m.faulty, m.fault = placeholder, fault
			}
			err = nil
			r.arena = r.arena[:start]
			r.placeholders.DropValues()
		}
		r.placeholders.AddValue(placeholder, value.Value(r.arena[start:len(r.arena):len(r.arena)]))
		return err
	})
}

// readMap reads an object of a shape: one reads the value of each key.
func readMap(r *attributejson.Reader, shape attributejson.Shape, one func(key string) error) error {
	if err := r.Expect(shape); err != nil {
		return err
	}
	if err := r.BeginObject(); err != nil {
		return err
	}
	for {
		key, ok, err := r.NextKey()
		if err != nil || !ok {
			return err
		}
		if err := one(string(key)); err != nil {
			return err
		}
	}
}

// The parameters that there were before expressions.
type (
	attributesToGet  struct{ legacy.Names }
	attributeUpdates struct{ legacy.Updates }
	expected         struct{ legacy.Conditions }
	legacyFilter     struct{ legacy.Conditions } // QueryFilter or ScanFilter
	keyConditions    struct{ legacy.Conditions }
)

func (n *attributesToGet) read(r *request) error  { return n.Read(r.reader) }
func (u *attributeUpdates) read(r *request) error { return u.Read(r.reader) }
func (e *expected) read(r *request) error         { return e.ReadExpected(r.reader) }
func (f *legacyFilter) read(r *request) error     { return f.Read(r.reader) }
func (k *keyConditions) read(r *request) error    { return k.Read(r.reader) }
