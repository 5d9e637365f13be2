// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributeion"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// itemBytesMax is DynamoDB's limit for an item.
const itemBytesMax = 400 << 10

// dynamoDecoder reads {"Item":{"name":{"S":"x"}}} or the item alone.
type dynamoDecoder struct{ reader attributejson.Reader }

func (d *dynamoDecoder) decode(record []byte, b *value.RowBuilder) error {
	if err := d.item(record, b); err != nil {
		return err
	}
	return checkItemSize(b)
}

func (d *dynamoDecoder) item(record []byte, b *value.RowBuilder) error {
	d.reader.Reset(record)
	wrapped, err := d.isWrapped()
	if err != nil {
		return err
	}
	if !wrapped {
		d.reader.Reset(record)
	}
	if err := d.reader.Item(b); err != nil {
		return err
	}
	if wrapped {
		if err := d.endWrapped(); err != nil {
			return err
		}
	}
	return d.reader.End()
}

// isWrapped reports whether the record is an object whose first member is Item, and leaves the reader in front of the
// item: the form of exports. So an item alone can have no attribute Item in front.
func (d *dynamoDecoder) isWrapped() (bool, error) {
	r := &d.reader
	if err := r.BeginObject(); err != nil {
		return false, err
	}
	key, ok, err := r.NextKey()
	if !ok || err != nil {
		return false, err
	}
	switch string(key) {
	case "Item":
		return r.Peek() == attributejson.TokenObject, nil
	case "Metadata", "NewImage", "Keys":
		if r.Peek() == attributejson.TokenObject {
			return false, errors.New("this is an incremental export, which holds changes; import a full export")
		}
	}
	return false, nil
}

func (d *dynamoDecoder) endWrapped() error {
	if _, more, err := d.reader.NextKey(); err != nil || more {
		return errors.Join(err, errors.New("unexpected text after the item"))
	}
	return nil
}

// storedDecoder reads what dynamoDecoder does, as rows are stored: of any size, and with the types of SQL for the
// numbers of columns that have one.
type storedDecoder struct {
	dynamo  dynamoDecoder
	names   value.Names
	types   map[string]Type
	builder value.RowBuilder
	row     []byte
}

func (d *storedDecoder) decode(record []byte, b *value.RowBuilder) error {
	if len(d.types) == 0 {
		return d.dynamo.item(record, b)
	}
	d.builder.Reset(d.names)
	if err := d.dynamo.item(record, &d.builder); err != nil {
		return err
	}
	d.row = d.builder.AppendTo(d.row[:0])
	for a := value.Row(d.row).Attributes(d.names); a.Next(); {
		b.Begin(a.Name())
		var err error
		if b.Buf, err = appendNumeric(b.Buf, d.types[string(a.Name())], a.Value()); err == nil {
			err = b.End()
		}
		if err != nil {
			return fmt.Errorf("attribute %s: %w", a.Name(), err)
		}
	}
	return nil
}

// appendNumeric appends a value, a number as a column's type has it.
func appendNumeric(dst []byte, t Type, v value.Value) ([]byte, error) {
	switch t {
	case asInteger, asDate, asTimestamp, asTimestamp6:
		n, ok := v.Int()
		if !ok {
			return dst, errors.New("not a 64-bit integer")
		}
		if t == asTimestamp || t == asTimestamp6 {
			return value.AppendTimestamp(dst, n), nil
		}
		return value.AppendInt(dst, n), nil
	case asStored:
		if v.Kind() != value.Binary {
			return dst, errors.New("not the bytes of a value")
		}
		return appendStored(dst, v.Bytes())
	case asFloat:
		if v.Kind() == value.String { // one that no number of DynamoDB's is
			return appendTyped(dst, asFloat, v.Bytes())
		}
		x, ok := v.Float()
		if !ok {
			return dst, errors.New("not a 64-bit float")
		}
		return value.AppendFloat(dst, x), nil
	}
	return append(dst, v...), nil
}

// appendStored takes a value as it is stored.
func appendStored(dst, stored []byte) ([]byte, error) {
	if err := value.Value(stored).Validate(); err != nil {
		return dst, fmt.Errorf("not a value as Weft stores it: %w", err)
	}
	return append(dst, stored...), nil
}

// appendAttribute reads an attribute value.
func appendAttribute(dst, text []byte) ([]byte, error) {
	r := attributejson.NewReader(text)
	dst, err := r.Value(dst)
	if err == nil {
		err = r.End()
	}
	return dst, err
}

// ionDecoder reads {Item:{name:"x"}} or the item alone.
type ionDecoder struct{ reader attributeion.Reader }

func (d *ionDecoder) decode(record []byte, b *value.RowBuilder) error {
	if err := d.reader.Item(record, b); err != nil {
		return err
	}
	return checkItemSize(b)
}

func checkItemSize(b *value.RowBuilder) error {
	if b.Size() > itemBytesMax {
		return fmt.Errorf("the item has %d bytes; DynamoDB allows %d", b.Size(), itemBytesMax)
	}
	return nil
}

// plainDecoder reads an object whose members are the attributes.
type plainDecoder struct {
	reader attributejson.Reader
	types  map[string]Type
}

func (d *plainDecoder) decode(record []byte, b *value.RowBuilder) error {
	r := &d.reader
	r.Reset(record)
	if err := r.BeginObject(); err != nil {
		return err
	}
	for {
		name, ok, err := r.NextKey()
		if err != nil {
			return err
		}
		if !ok {
			return r.End()
		}
		t := d.types[string(name)]
		if t != 0 && r.Peek() == attributejson.TokenNull {
			if err := r.Skip(); err != nil {
				return err
			}
			continue // a column without a value
		}
		b.Begin(name)
		if b.Buf, err = d.value(b.Buf, t); err != nil {
			return err
		}
		if err := b.End(); err != nil {
			return err
		}
	}
}

// value reads a member: as the type of its column, if that is known and the member is a scalar.
func (d *plainDecoder) value(dst []byte, t Type) ([]byte, error) {
	r := &d.reader
	token := r.Peek()
	switch {
	case t == 0 || t == asDocument, token == attributejson.TokenObject, token == attributejson.TokenArray:
		return r.Plain(dst)
	case token == attributejson.TokenString:
		s, err := r.String()
		if err != nil {
			return dst, err
		}
		return appendTyped(dst, t, s)
	case token == attributejson.TokenNumber && t == asText, t == asBoolean && token == attributejson.TokenNumber:
		return r.Plain(dst) // refused where it does not fit
	}
	raw, err := r.Raw()
	if err != nil {
		return dst, err
	}
	return appendTyped(dst, t, raw)
}

func appendText(dst, s []byte) ([]byte, error) {
	if !utf8.Valid(s) {
		return dst, fmt.Errorf("%.40q is not UTF-8", s)
	}
	return value.AppendString(dst, s), nil
}
