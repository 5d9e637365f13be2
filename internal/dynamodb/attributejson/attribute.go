// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
)

// Value reads an attribute value, such as {"S":"x"}, and appends it to dst in package value's encoding. Lists and maps
// nest value.NestingMax deep. The same name twice in a map is a SyntaxError.
//
// Of several faults, one of syntax or of a type comes before one of a value, wherever they stand in the attribute
// value. After one of a value, a *ValueError, the reader goes on behind the attribute value.
func (r *Reader) Value(dst []byte) ([]byte, error) {
	from := r.mark()
	dst, err := r.value(dst, 0)
	if err != nil {
		err = r.preferType(err, from, (*Reader).CheckValue)
	}
	return dst, err
}

// Item reads an item, {"name":{"S":"x"},...}, into b, which the caller has Reset. The same name twice is a SyntaxError.
// Faults come in the order that they do for Value.
func (r *Reader) Item(b *value.RowBuilder) error {
	from := r.mark()
	if err := r.item(b); err != nil {
		return r.preferType(err, from, (*Reader).CheckItem)
	}
	return nil
}

// TakeItem is Item for callers that judge values later: fault is about a value, or about a name that comes twice, and
// the reader goes on behind the item; err is about the JSON or its types, and ends the reading.
func (r *Reader) TakeItem(b *value.RowBuilder) (fault, err error) {
	from := r.mark()
	if fault = r.item(b); fault == nil {
		return nil, nil
	}
	r.rewind(from)
	return fault, r.CheckItem()
}

func (r *Reader) item(b *value.RowBuilder) error {
	if err := r.beginValues(); err != nil {
		return err
	}
	for {
		name, ok, err := r.NextKey()
		if !ok || err != nil {
			return err
		}
		if text := NameFault(name); text != "" {
			return r.valueError(text)
		}
		b.Begin(name)
		r.size = 0
		if b.Buf, err = r.value(b.Buf, 0); err != nil {
			return err
		}
		if err := b.EndSized(r.size); err != nil {
			return r.documentError(err)
		}
	}
}

// value reads an attribute value that stands inside outer lists and maps.
func (r *Reader) value(dst []byte, outer int) ([]byte, error) {
	if kind := r.shortType(); kind != value.Missing {
		dst, err := r.payload(dst, kind, outer)
		if err != nil {
			return dst, err
		}
		if r.next() == '}' {
			r.pos++
			r.fresh = false
			return dst, nil
		}
		r.depth++ // go on inside of the object that shortType stepped into
		return r.members(dst, outer, true)
	}
	if null, err := r.Null(); err != nil {
		return dst, err
	} else if null {
		return dst, r.valueError(textEmpty)
	}
	if err := r.beginValue(); err != nil {
		return dst, err
	}
	return r.members(dst, outer, false)
}

// shortTypes are the types of one letter. // immutable
var shortTypes = [256]value.Kind{'S': value.String, 'N': value.Number, 'B': value.Binary, 'M': value.Map,
	'L': value.List}

// shortType steps over the beginning of an attribute value of the commonest forms, {"S": and the other types of one
// letter without white space, and returns the type's kind. It returns Missing and steps over nothing if the value is
// not so.
func (r *Reader) shortType() value.Kind {
	r.next()
	const size = len(`{"S":`)
	if len(r.body)-r.pos <= size {
		return value.Missing
	}
	b := r.body[r.pos : r.pos+size+1]
	if b[0] != '{' || b[1] != '"' || b[3] != '"' || b[4] != ':' || b[5] == 'n' {
		return value.Missing // in front of null, a member counts as absent
	}
	kind := shortTypes[b[2]]
	if kind != value.Missing {
		r.pos += size
	}
	return kind
}

// members reads the members of an attribute value's object to its end. found says that its type was read already. A
// second type is refused only if nothing is wrong with what stands behind it.
func (r *Reader) members(dst []byte, outer int, found bool) ([]byte, error) {
	several := false
	for {
		key, ok, err := r.NextMember()
		if err != nil {
			return dst, err
		}
		if !ok {
			switch {
			case !found:
				return dst, r.valueError(textEmpty)
			case several:
				return dst, r.valueError(textSeveral)
			}
			return dst, nil
		}
		kind := kindOf(key)
		if kind == value.Missing { // not a type that there is: as if it were not there
			if err := r.Skip(); err != nil {
				return dst, err
			}
			continue
		}
		several = found
		found = true
		if dst, err = r.payload(dst, kind, outer); err != nil {
			return dst, err
		}
	}
}

// kindOf returns the kind that a type name of DynamoDB's stands for, and Missing if it is none.
func kindOf(name []byte) value.Kind {
	switch string(name) {
	case "S":
		return value.String
	case "N":
		return value.Number
	case "B":
		return value.Binary
	case "M":
		return value.Map
	case "L":
		return value.List
	case "BOOL":
		return value.Bool
	case "NULL":
		return value.Null
	case "SS":
		return value.StringSet
	case "NS":
		return value.NumberSet
	case "BS":
		return value.BinarySet
	}
	return value.Missing
}

// payload reads what stands behind a type's name.
func (r *Reader) payload(dst []byte, kind value.Kind, outer int) ([]byte, error) {
	switch kind {
	case value.Bool:
		r.size++
		truth, err := r.Bool()
		return value.AppendBool(dst, truth), err
	case value.Null:
		r.size++
		truth, err := r.Bool()
		if err == nil && !truth {
			err = r.valueError(textNull)
		}
		return value.AppendNull(dst), err
	case value.Map, value.List:
		if outer == value.NestingMax {
			return dst, r.valueError(textNesting)
		}
		r.size += value.DocumentOverhead
		if kind == value.Map {
			return r.fields(dst, outer+1)
		}
		return r.list(dst, outer+1)
	case value.StringSet, value.NumberSet, value.BinarySet:
		return r.set(dst, kind)
	}
	return r.scalar(dst, kind)
}

// scalar reads what stands behind S, N or B, and in their sets: a string.
func (r *Reader) scalar(dst []byte, kind value.Kind) ([]byte, error) {
	text, err := r.scalarText(kind)
	if err != nil {
		return dst, err
	}
	switch kind {
	case value.Number:
		d, err := parseNumber(text)
		if err != nil {
			return dst, r.numberError(text, err)
		}
		r.size += value.DecimalSize(d)
		return value.AppendNumber(dst, d), nil
	case value.Binary:
		return r.appendBinary(dst, text)
	}
	r.size += len(text)
	return value.AppendString(dst, text), nil
}

// scalarText reads the string behind S, N or B.
func (r *Reader) scalarText(kind value.Kind) ([]byte, error) {
	if r.next() == '"' {
		return r.readString()
	}
	if kind == value.Binary {
		return nil, r.typeError("Blob")
	}
	return nil, r.typeError("String")
}

// appendBinary appends the bytes that text is the base64 of: the standard alphabet, with padding.
func (r *Reader) appendBinary(dst, text []byte) ([]byte, error) {
	if len(text)%4 != 0 {
		return dst, r.blobError(fmt.Sprintf("Base64 encoded length is expected a multiple of 4 bytes but found: %d",
			len(text)))
	}
	size := base64.StdEncoding.DecodedLen(len(text))
	for i := len(text); i > 0 && i > len(text)-2 && text[i-1] == '='; i-- {
		size--
	}
	start := len(dst)
	dst = slices.Grow(value.BeginBinary(dst, size), size+2) // the decoder wants room for padding, too
	before := len(dst)
	dst, err := base64.StdEncoding.Strict().AppendDecode(dst, text)
	if err != nil || len(dst)-before != size { // the decoder passes over line ends; then the size differs
		return dst[:start], r.blobError(base64Fault(text))
	}
	r.size += size
	return dst, nil
}

// base64Fault says why text, of a length that base64 can have, is none.
func base64Fault(text []byte) string {
	end := len(text)
	for end > 0 && end > len(text)-2 && text[end-1] == '=' {
		end--
	}
	const digits = "+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, c := range string(text[:end]) {
		if c != '=' && !strings.ContainsRune(digits, c) {
			return "Invalid base 64 character: '" + string(c) + "'"
		}
	}
	return "Invalid last non-pad Base64 character dectected" // as AWS spells it
}

func (r *Reader) list(dst []byte, level int) ([]byte, error) {
	if err := r.BeginArray(); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = value.BeginList(dst)
	for {
		ok, err := r.NextElement()
		if err != nil {
			return dst, err
		}
		if !ok {
			break
		}
		r.size += value.ElementOverhead
		if dst, err = r.value(dst, level); err != nil {
			return dst, err
		}
	}
	dst, err := value.EndList(dst, start)
	return dst, r.documentError(err)
}

func (r *Reader) fields(dst []byte, level int) ([]byte, error) {
	if err := r.beginValues(); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = value.BeginMap(dst)
	for {
		name, ok, err := r.NextKey()
		if err != nil {
			return dst, err
		}
		if !ok {
			break
		}
		if text := NameFault(name); text != "" {
			return dst, r.valueError(text)
		}
		r.size += value.ElementOverhead + len(name)
		if dst, err = r.value(value.AppendName(dst, name), level); err != nil {
			return dst, err
		}
	}
	dst, err := value.EndMap(dst, start)
	return dst, r.documentError(err)
}

func (r *Reader) set(dst []byte, kind value.Kind) ([]byte, error) {
	r.next()
	begin := r.pos
	if err := r.BeginArray(); err != nil {
		return dst, err
	}
	start, memberKind := len(dst), kind.MemberKind()
	dst = value.BeginSet(dst, kind)
	for {
		ok, err := r.NextElement()
		if err != nil {
			return dst, err
		}
		if !ok {
			break
		}
		if dst, err = r.scalar(dst, memberKind); err != nil {
			return dst, err
		}
	}
	dst, err := value.EndSet(dst, start)
	switch {
	case err == nil:
		return dst, nil
	case errors.Is(err, value.ErrEmptySet):
		return dst, r.valueError(emptySetText(kind))
	case errors.Is(err, value.ErrDuplicateMember):
		return dst, r.duplicateError(r.body[begin:r.pos], kind)
	}
	return dst, r.documentError(err)
}

// duplicateError refuses a set, whose array in the request is body. It shows members up to one that comes again:
// strings as they are when all are sorted; of binaries those in front of the repeat, sorted by their bytes, and then
// that one.
func (r *Reader) duplicateError(body []byte, kind value.Kind) error {
	fault := &ValueError{Offset: r.pos, Text: invalidParameter + textDuplicates + ".", older: textDuplicates,
		Number: kind == value.NumberSet, Repeat: kind != value.NumberSet}
	if fault.Number {
		return fault
	}
	members, suffix, separator := texts(body), "", ", "
	if kind == value.BinarySet {
		suffix, separator = "of type BS", ","
	}
	const collection, duplicates = invalidParameter + "Input collection [", " contains duplicates."
	fault.older = collection + strings.Join(members, ", ") + "]" + suffix + duplicates
	if kind == value.StringSet {
		slices.Sort(members)
	}
	members = upToRepeat(members)
	if kind == value.BinarySet {
		slices.SortFunc(members[:len(members)-1], compareBase64)
	}
	quoted := make([]string, 0, len(members))
	for _, member := range members {
		quoted = append(quoted, `"`+member+`"`)
	}
	fault.Text = collection + strings.Join(quoted, separator) + "]" + suffix + duplicates
	return fault
}

// compareBase64 compares the bytes that two texts stand for.
func compareBase64(a, b string) int {
	x, _ := base64.StdEncoding.DecodeString(a) // it was read before
	y, _ := base64.StdEncoding.DecodeString(b)
	return bytes.Compare(x, y)
}

// texts are the elements of an array of strings.
func texts(array []byte) (list []string) {
	r := NewReader(array)
	if r.BeginArray() != nil {
		return nil
	}
	for {
		if ok, err := r.NextElement(); !ok || err != nil {
			return list
		}
		text, _ := r.String()
		list = append(list, string(text))
	}
}

// upToRepeat cuts a list off behind the first element that is there already.
func upToRepeat(list []string) []string {
	seen := make(map[string]bool, len(list))
	for i, text := range list {
		if seen[text] {
			return list[:i+1]
		}
		seen[text] = true
	}
	return list
}

// documentError words an error of package value.
func (r *Reader) documentError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, value.ErrDuplicateName):
		return r.syntaxError("duplicate name")
	case errors.Is(err, value.ErrNesting):
		return r.valueError(textNesting)
	}
	return err
}
