// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"errors"

	"github.com/weftdb/weft/internal/data/value"
)

// CheckItem reads an item for its syntax and its types alone, not for the rules of values: the error is a *SyntaxError
// or a *TypeError. DynamoDB judges values when all of a body has the right types; so this is for the parts of a body
// that come after a faulty value.
func (r *Reader) CheckItem() error {
	if err := r.beginValues(); err != nil {
		return err
	}
	for {
		if _, ok, err := r.NextKey(); !ok || err != nil {
			return err
		}
		if err := r.CheckValue(); err != nil {
			return err
		}
	}
}

// CheckValue is CheckItem for one attribute value.
func (r *Reader) CheckValue() error {
	if null, err := r.Null(); null || err != nil {
		return err
	}
	if err := r.beginValue(); err != nil {
		return err
	}
	for {
		key, ok, err := r.NextMember()
		if !ok || err != nil {
			return err
		}
		if err := r.checkPayload(kindOf(key)); err != nil {
			return err
		}
	}
}

func (r *Reader) checkPayload(kind value.Kind) error {
	switch kind {
	case value.Missing:
		return r.Skip()
	case value.Bool, value.Null:
		_, err := r.Bool()
		return err
	case value.Map:
		return r.checkLevel((*Reader).CheckItem)
	case value.List:
		return r.checkLevel(func(r *Reader) error { return r.checkElements((*Reader).CheckValue) })
	case value.StringSet, value.NumberSet, value.BinarySet:
		member := kind.MemberKind()
		return r.checkElements(func(r *Reader) error { return r.checkScalar(member) })
	}
	return r.checkScalar(kind)
}

// checkLevel checks a list or a map.
func (r *Reader) checkLevel(one func(*Reader) error) error {
	r.levels++
	r.deepest = max(r.deepest, r.levels)
	err := one(r)
	r.levels--
	return err
}

func (r *Reader) checkElements(one func(*Reader) error) error {
	if err := r.BeginArray(); err != nil {
		return err
	}
	for {
		if ok, err := r.NextElement(); !ok || err != nil {
			return err
		}
		if err := one(r); err != nil {
			return err
		}
	}
}

func (r *Reader) checkScalar(kind value.Kind) error {
	text, err := r.scalarText(kind)
	if err == nil && kind == value.Binary {
		_, err = r.appendBinary(nil, text)
	}
	return err
}

// beginValue reads the opening of an attribute value.
func (r *Reader) beginValue() error {
	if r.next() != '{' {
		return r.Expect(Element("AttributeValue"))
	}
	return r.BeginObject()
}

// beginValues reads the opening of a map of attribute values.
func (r *Reader) beginValues() error {
	if r.next() != '{' {
		return r.Expect(MapOf("AttributeValue"))
	}
	return r.BeginObject()
}

// mark is a place in the body to return to.
type mark struct {
	pos, depth int
	fresh      bool
}

func (r *Reader) mark() mark { return mark{r.pos, r.depth, r.fresh} }

func (r *Reader) rewind(to mark) { r.pos, r.depth, r.fresh = to.pos, to.depth, to.fresh }

// preferType returns what check finds from a place on, or else err, the fault of a value that was found from there on.
func (r *Reader) preferType(err error, from mark, check func(*Reader) error) error {
	if _, ok := errors.AsType[*ValueError](err); !ok {
		return err
	}
	r.rewind(from)
	if fault := check(r); fault != nil {
		return fault
	}
	return err
}
