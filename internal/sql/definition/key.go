// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/zorder/codec"
)

// primaryKey finds the elements of the primary key, which stand behind the columns or behind the one column that is the
// key; nil if there is none.
func primaryKey(statement *tree.CreateTable) ([]tree.KeyElement, error) {
	elements := statement.PrimaryKey
	for i := range statement.Columns {
		if !statement.Columns[i].PrimaryKey {
			continue
		}
		if len(elements) > 0 {
			return nil, fault.New(fault.KeyTwice)
		}
		elements = []tree.KeyElement{{Column: statement.Columns[i].Name, At: statement.Columns[i].At}}
	}
	return elements, nil
}

// primaryParts are the parts of the primary key.
func (l Limits) primaryParts(t *Table, elements []tree.KeyElement) ([]schema.KeyPart, error) {
	held := map[string]bool{}
	if err := wholeKey(t, elements); err != nil {
		return nil, err
	}
	for i := range elements {
		e := &elements[i]
		if e.Expression != nil {
			return nil, refusal("the primary key can't contain %s: only an index can contain an expression",
				expressionText(e.Expression))
		}
		if isHash(e.Function) && i > 0 {
			return nil, refusal("%s must come first in the primary key", expression(e))
		}
		if !isHash(e.Function) {
			held[columnOf(e)] = true
		}
	}
	parts, err := l.parts(t, elements)
	for i := range elements {
		if err == nil && elements[i].Function == functionZOrder {
			parts[i], err = primaryCurve(t, &elements[i])
		}
	}
	if err != nil {
		return nil, err
	}
	for _, name := range elements[0].Arguments {
		if isHash(elements[0].Function) && !held[name] {
			return nil, fault.Message(fault.KeyColumnUnknown,
				"Key column '%s' of %s must also be a key column of its own, because hashes do not identify rows", name,
				expression(&elements[0]))
		}
	}
	return parts, nil
}

// primaryCurve is ZORDER(..) in a primary key, which has no NULLs. Its columns follow behind the key's other parts, so
// that they tell rows apart.
func primaryCurve(t *Table, e *tree.KeyElement) (schema.KeyPart, error) {
	for _, name := range e.Arguments {
		if c, ok := t.Column(name); ok && (c.Type.IsText() || c.Type.IsBinary()) {
			return schema.KeyPart{}, refusal(
				"%s: '%s' has no place on the curve of a primary key, which can't be learned again as the data change; write it behind ZORDER, or make an index of it", expression(e), name)
		}
	}
	return curvePart(t, e.Arguments, false)
}

// columnOf is the column that an element holds: itself, or the argument of reverse(..).
func columnOf(e *tree.KeyElement) string {
	if e.Column == "" && len(e.Arguments) == 1 {
		return e.Arguments[0]
	}
	return e.Column
}

const (
	functionReverse = "reverse"
	functionZOrder  = "zorder"
)

func isHash(function string) bool {
	return function == "hash8" || function == "hash32" || function == "hash64"
}

// expression writes an element as it is written in DDL.
func expression(e *tree.KeyElement) string {
	if e.Function == "" {
		return e.Column
	}
	return e.Function + "(" + strings.Join(e.Arguments, ",") + ")"
}

// parts makes the parts of a key.
func (l Limits) parts(t *Table, elements []tree.KeyElement) ([]schema.KeyPart, error) {
	if most := l.withDefaults().KeyColumnsMax; len(elements) > most {
		return nil, fault.New(fault.TooManyKeyParts, most)
	}
	seen := map[string]bool{}
	parts := make([]schema.KeyPart, 0, len(elements))
	for i := range elements {
		if name := expression(&elements[i]); seen[name] {
			return nil, fault.New(fault.ColumnTwice, name)
		}
		seen[expression(&elements[i])] = true
		part, err := keyPart(t, &elements[i])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func keyPart(t *Table, e *tree.KeyElement) (schema.KeyPart, error) {
	switch {
	case e.Function == "":
		return columnPart(t, e)
	case e.Descending:
		return schema.KeyPart{}, refusal("%s DESC is refused: only columns descend", expression(e))
	case e.Function == functionZOrder:
		return curvePart(t, e.Arguments, true)
	case isHash(e.Function):
		return computedPart(t, e, schema.Binary)
	case e.Function == functionReverse:
		return reversePart(t, e)
	}
	return schema.KeyPart{}, refusal("%s is no function of keys: write a column, hash8(..), hash32(..), hash64(..), reverse(..) or zorder(..)", expression(e))
}

// keyColumn finds a declared column that may stand in a key, and the type that it has there.
func keyColumn(t *Table, name string) (c Column, typed schema.Type, err error) {
	at, declared := t.byName[name]
	if !declared {
		if _, ok := t.Column(name); ok && t.Families != nil {
			return c, typed, fault.Message(fault.KeyColumnUnknown,
				"Key column '%s' is not mapped: first say how its bytes are read, with ALTER TABLE %s MAP DYNAMIC COLUMN %s %s", name, tree.Quote(t.Name), tree.Quote(name), mappedTypes)
		} else if ok && t.Descriptor != nil {
			return c, typed, fault.Message(fault.KeyColumnUnknown,
				"Key column '%s' doesn't exist in table: first declare its type with ALTER TABLE %s ADD COLUMN %s type",
				name, t.Name, name)
		}
		return c, typed, fault.New(fault.KeyColumnUnknown, name).Meant(name, t.Names())
	}
	c = t.Columns[at]
	typed, ok := KeyType(c.Type)
	if !ok {
		return c, typed, refusal("column '%s' of type %s can't be used in a key", name, typeOr(c.Type, "any"))
	}
	return c, typed, nil
}

func typeOr(t datum.Type, otherwise string) string {
	if name := TypeName(t); name != "" {
		return name
	}
	return otherwise
}

// prefixedMax is the largest length, in characters, of texts of which an index is to hold the beginning: it holds them
// whole.
const prefixedMax = 1024

// wholeKey refuses beginnings of columns in a key whose values differ.
func wholeKey(t *Table, elements []tree.KeyElement) error {
	for i := range elements {
		if at, ok := t.byName[elements[i].Column]; ok && elements[i].Prefix > 0 &&
			elements[i].Prefix < t.Columns[at].Type.Length {
			return refusal("a unique key contains whole columns: omit the length after %s", elements[i].Column)
		}
	}
	return nil
}

// columnPart is a plain part. It is put together here rather than parsed, so that a name which reads like an expression
// stays a name.
func columnPart(t *Table, e *tree.KeyElement) (schema.KeyPart, error) {
	c, typed, err := keyColumn(t, e.Column)
	if err == nil && e.Prefix > 0 && (c.Type.Length == 0 || c.Type.Length > prefixedMax) {
		return schema.KeyPart{}, refusal(
			"column '%s' can't be indexed by a prefix: an index contains whole values, and those of %s may be too long; declare VARCHAR(%d) or less", e.Column, TypeName(c.Type), prefixedMax)
	}
	part := schema.KeyPart{Name: e.Column, Type: typed, Descending: e.Descending,
		Args: []schema.Argument{{Column: e.Column, Type: typed, Codec: c.Type.Codec()}}}
	if e.Descending {
		part.Name = "desc(" + quoteArgument(e.Column) + ")"
	}
	return part, err
}

// computedPart is hash8|32|64(..): its arguments have the types of the columns, so that all types can be hashed.
func computedPart(t *Table, e *tree.KeyElement, typed schema.Type) (schema.KeyPart, error) {
	names := make([]string, len(e.Arguments))
	arguments := make([]schema.Argument, len(e.Arguments))
	for i, name := range e.Arguments {
		c, typed, err := keyColumn(t, name)
		if err != nil {
			return schema.KeyPart{}, err
		}
		names[i], arguments[i] = quoteArgument(name), schema.Argument{Column: name, Type: typed, Codec: c.Type.Codec()}
	}
	part, err := database.Part(e.Function+"("+strings.Join(names, ",")+")", typed)
	if err != nil {
		return part, fault.Message(fault.Syntax, "%s: %v", expression(e), err)
	}
	part.Args = arguments
	return part, nil
}

func reversePart(t *Table, e *tree.KeyElement) (schema.KeyPart, error) {
	if len(e.Arguments) != 1 {
		return schema.KeyPart{}, refusal("reverse takes one column")
	}
	c, typed, err := keyColumn(t, e.Arguments[0])
	if err != nil {
		return schema.KeyPart{}, err
	}
	own := typed
	switch {
	case typed == schema.String:
	case typed == schema.Int, c.Type.Base == datum.BigIntUnsigned, c.Type.Base == datum.DecimalBase &&
		c.Type.Scale == 0:
		typed = schema.Number
	default:
		return schema.KeyPart{}, refusal("reverse(%s): only texts and integers can be reversed, but '%s' is %s", c.Name,
			c.Name, typeOr(c.Type, "any"))
	}
	part, err := database.Part("reverse("+quoteArgument(c.Name)+")", typed)
	if err != nil {
		return part, fault.Message(fault.Syntax, "%s: %v", expression(e), err)
	}
	part.Args[0].Type, part.Args[0].Codec = own, c.Type.Codec()
	return part, nil
}

// quoteArgument is a name as an argument of a key function.
func quoteArgument(name string) string {
	if strings.ContainsAny(name, `,()'" `) {
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return name
}

// curvePart is zorder(..), whose codecs follow from the declared types. With nulls it has a code for missing values,
// too: an index made in SQL holds NULLs unless it is sparse.
func curvePart(t *Table, names []string, nulls bool) (schema.KeyPart, error) {
	attributes, codecs := make([]codec.Attribute, len(names)), make([]value.Codec, len(names))
	for i, name := range names {
		c, _, err := keyColumn(t, name)
		if err != nil {
			return schema.KeyPart{}, err
		}
		if slices.Contains(names[:i], name) {
			return schema.KeyPart{}, fault.New(fault.ColumnTwice, name)
		}
		codecs[i] = c.Type.Codec()
		typed, choice := curveType(c.Type)
		attributes[i] = codec.Attribute{Name: name, Type: typed, Codec: choice}
		if nulls {
			attributes[i].Nulls = codec.NullsFirst
		}
	}
	part, err := database.ZOrder(attributes...)
	if err != nil {
		return part, fault.Message(fault.NotSupported, "ZORDER(%s): %v", strings.Join(names, ", "), err)
	}
	for i := range part.Args {
		part.Args[i].Codec = codecs[i]
	}
	return part, nil
}

// curveType is how values of a SQL type are coded on a curve. Texts of any length are coded by their order in a sample
// once there is one.
func curveType(t datum.Type) (codec.Type, codec.Choice) {
	switch t.Base {
	case datum.Boolean:
		return codec.Type{Kind: codec.Boolean}, 0
	case datum.TinyInt:
		return codec.Type{Kind: codec.I8}, 0
	case datum.SmallInt:
		return codec.Type{Kind: codec.I16}, 0
	case datum.Integer, datum.Date:
		return codec.Type{Kind: codec.I32}, 0
	case datum.Time:
		if t.TimeUnit() == 1 { // more than 32 bits
			return codec.Type{Kind: codec.I64}, 0
		}
		return codec.Type{Kind: codec.I32}, 0
	case datum.BigInt:
		return codec.Type{Kind: codec.I64}, 0
	case datum.BigIntUnsigned:
		return codec.Type{Kind: codec.U64}, 0
	case datum.Float:
		return codec.Type{Kind: codec.F32}, 0
	case datum.Double:
		return codec.Type{Kind: codec.F64}, 0
	case datum.Timestamp:
		if t.TimeUnit() == 1 {
			return codec.Type{Kind: codec.Timestamp, Unit: codec.Microsecond}, 0
		}
		return codec.Type{Kind: codec.Timestamp, Unit: codec.Millisecond}, 0
	case datum.Char, datum.Varchar:
		return codec.Type{Kind: codec.UTF8}, codec.ChoiceQuantile
	case datum.BinaryBase, datum.Varbinary:
		return codec.Type{Kind: codec.Bytes}, codec.ChoiceQuantile
	}
	return codec.Type{Kind: codec.Decimal}, 0
}
