// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Unmarshal reads a filter that HBase's Java client has serialized: a message Filter of HBase's Filter.proto. An error
// is an *Error.
func Unmarshal(message []byte) (Filter, error) {
	if len(message) > textMax {
		return nil, refuse("the filter has %d bytes, more than %d", len(message), textMax)
	}
	n, err := unmarshal(message, 0)
	if err != nil {
		return nil, err
	}
	return filter{n}, nil
}

// fields are the fields of a message by their numbers, those of bytes and those of numbers.
type fields struct {
	texts   map[protowire.Number][][]byte
	numbers map[protowire.Number][]int64
}

func fieldsOf(message []byte) (fields, error) {
	f := fields{texts: map[protowire.Number][][]byte{}, numbers: map[protowire.Number][]int64{}}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return f, refuse("the serialized filter is damaged")
		}
		message = message[n:]
		switch kind {
		case protowire.BytesType:
			var text []byte
			text, n = protowire.ConsumeBytes(message)
			f.texts[number] = append(f.texts[number], text)
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(message)
			f.numbers[number] = append(f.numbers[number], int64(v))
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			f.numbers[number] = append(f.numbers[number], int64(v))
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return f, refuse("the serialized filter is damaged")
		}
		message = message[n:]
	}
	return f, nil
}

func (f fields) text(number protowire.Number) []byte {
	if list := f.texts[number]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

func (f fields) number(number protowire.Number) int64 {
	if list := f.numbers[number]; len(list) > 0 {
		return list[len(list)-1]
	}
	return 0
}

// unmarshal reads a message Filter: 1 is the class, 2 the message of that class.
func unmarshal(message []byte, depth int) (node, error) {
	if depth > depthMax {
		return nil, refuse("the filter has more than %d levels", depthMax)
	}
	outer, err := fieldsOf(message)
	if err != nil {
		return nil, err
	}
	f, err := fieldsOf(outer.text(2))
	if err != nil {
		return nil, err
	}
	class := string(outer.text(1))
	switch name := class[strings.LastIndexByte(class, '.')+1:]; name {
	case "FilterList", "FilterListWithAND", "FilterListWithOR":
		return unmarshalList(f, depth)
	case "SkipFilter", "WhileMatchFilter":
		inner, err := unmarshal(f.text(1), depth+1)
		return &wrap{while: name == "WhileMatchFilter", inner: inner}, err
	case "FilterWrapper":
		return unmarshal(f.text(1), depth+1)
	default:
		l := &leaf{name: name}
		if l.args, err = arguments(name, f); err != nil {
			return nil, err
		}
		return l, l.build()
	}
}

// unmarshalList reads a message FilterList: 1 is 1 for AND and 2 for OR, 2 are the filters.
func unmarshalList(f fields, depth int) (node, error) {
	j := &junction{or: f.number(1) == 2}
	for _, one := range f.texts[2] {
		part, err := unmarshal(one, depth+1)
		if err != nil {
			return nil, err
		}
		j.parts = append(j.parts, part)
	}
	switch len(j.parts) {
	case 0: // passes everything
		l := &leaf{name: "RowFilter", args: []argument{word(">="), quoted([]byte("binary:"))}}
		return l, l.build()
	case 1:
		return j.parts[0], nil
	}
	return j, nil
}

func quoted(text []byte) argument { return argument{text: text, isQuoted: true} }

func word(text string) argument { return argument{text: []byte(text)} }

func numeral(n int64) argument { return word(strconv.FormatInt(n, 10)) }

func truth(is bool) argument { return word(strconv.FormatBool(is)) }

// arguments returns the filter's arguments from the message of its class.
func arguments(name string, f fields) (list []argument, err error) {
	switch name {
	case "PrefixFilter", "InclusiveStopFilter", "ColumnPrefixFilter":
		return []argument{quoted(f.text(1))}, nil
	case "MultipleColumnPrefixFilter":
		for _, prefix := range f.texts[1] {
			list = append(list, quoted(prefix))
		}
		return list, nil
	case "KeyOnlyFilter":
		return []argument{truth(f.number(1) != 0)}, nil
	case "PageFilter", "ColumnCountGetFilter":
		return []argument{numeral(f.number(1))}, nil
	case "ColumnPaginationFilter":
		if f.texts[3] != nil {
			return []argument{numeral(f.number(1)), quoted(f.text(3))}, nil
		}
		return []argument{numeral(f.number(1)), numeral(f.number(2))}, nil
	case "ColumnRangeFilter":
		return []argument{quoted(f.text(1)), truth(f.number(2) != 0), quoted(f.text(3)), truth(f.number(4) != 0)}, nil
	case "TimestampsFilter":
		return timesOf(f)
	case "FuzzyRowFilter":
		return fuzzyArguments(f)
	case "RowFilter", "FamilyFilter", "QualifierFilter", "ValueFilter":
		return comparisonOf(f.text(1))
	case "DependentColumnFilter":
		list = []argument{quoted(f.text(2)), quoted(f.text(3)), truth(f.number(4) != 0)}
		compare, err := comparisonOf(f.text(1))
		return append(list, compare...), err
	case "ColumnValueFilter":
		compare, err := comparatorOf(f.number(3), f.text(4))
		return append([]argument{quoted(f.text(1)), quoted(f.text(2))}, compare...), err
	case "MultiRowRangeFilter":
		for _, one := range f.texts[1] {
			r, err := fieldsOf(one)
			if err != nil {
				return nil, err
			}
			list = append(list, quoted(r.text(1)), truth(r.number(2) != 0), quoted(r.text(3)), truth(r.number(4) != 0))
		}
		return list, nil
	case "RandomRowFilter":
		chance := math.Float32frombits(uint32(f.number(1)))
		return []argument{word(strconv.FormatFloat(float64(chance), 'g', -1, 32))}, nil
	case "FirstKeyValueMatchingQualifiersFilter":
		for _, qualifier := range f.texts[1] {
			list = append(list, quoted(qualifier))
		}
		return list, nil
	case "SingleColumnValueExcludeFilter":
		if f, err = fieldsOf(f.text(1)); err != nil {
			return nil, err
		}
		fallthrough
	case "SingleColumnValueFilter":
		compare, err := comparatorOf(f.number(3), f.text(4))
		list = append([]argument{quoted(f.text(1)), quoted(f.text(2))}, compare...)
		newest := f.numbers[6] == nil || f.number(6) != 0
		return append(list, truth(f.number(5) != 0), truth(newest)), err
	}
	return nil, nil
}

func timesOf(f fields) (list []argument, err error) {
	all := f.numbers[1]
	for _, packed := range f.texts[1] {
		for len(packed) > 0 {
			v, n := protowire.ConsumeVarint(packed)
			if n < 0 {
				return nil, refuse("the serialized filter is damaged")
			}
			all, packed = append(all, int64(v)), packed[n:]
		}
	}
	for _, ms := range all {
		list = append(list, numeral(ms))
	}
	return list, nil
}

// fuzzyArguments are pairs of a key and a mask. HBase's client writes masks as 0 and 1, or prepared for its own use as
// 255 and 2.
func fuzzyArguments(f fields) (list []argument, err error) {
	for _, pair := range f.texts[1] {
		p, err := fieldsOf(pair)
		if err != nil {
			return nil, err
		}
		mask := make([]byte, len(p.text(2)))
		for i, b := range p.text(2) {
			if mask[i] = '1'; b == 0 || b == math.MaxUint8 {
				mask[i] = '0'
			}
		}
		list = append(list, quoted(p.text(1)), quoted(mask))
	}
	return list, nil
}

// comparisonOf reads a message CompareFilter: 1 is the operator, 2 the comparator.
func comparisonOf(message []byte) ([]argument, error) {
	f, err := fieldsOf(message)
	if err != nil || f.texts[2] == nil {
		return nil, err
	}
	return comparatorOf(f.number(1), f.text(2))
}

// comparatorOf reads a message Comparator: 1 is the class, 2 the message of that class.
func comparatorOf(number int64, message []byte) ([]argument, error) {
	names := [...]string{"<", "<=", "=", "!=", ">=", ">"}
	if number < 0 || number >= int64(len(names)) {
		return nil, refuse("the comparison NO_OP is not supported")
	}
	outer, err := fieldsOf(message)
	if err != nil {
		return nil, err
	}
	f, err := fieldsOf(outer.text(2))
	if err != nil {
		return nil, err
	}
	class := string(outer.text(1))
	var text []byte
	switch name := class[strings.LastIndexByte(class, '.')+1:]; name {
	case "BinaryComparator", "BinaryPrefixComparator":
		inner, err := fieldsOf(f.text(1))
		if err != nil {
			return nil, err
		}
		kind := "binary:"
		if name == "BinaryPrefixComparator" {
			kind = "binaryprefix:"
		}
		text = append([]byte(kind), inner.text(1)...)
	case "RegexStringComparator":
		if text, err = patternOf(f); err != nil {
			return nil, err
		}
	case "SubstringComparator":
		text = append([]byte("substring:"), f.text(1)...)
	default:
		if text, err = javaComparator(name, f); err != nil {
			return nil, err
		}
	}
	return []argument{word(names[number]), quoted(text)}, nil
}

// patternOf reads a message RegexStringComparator: 1 is the pattern, 2 are the flags of java.util.regex.Pattern.
func patternOf(f fields) ([]byte, error) {
	const noCase, dotAll = 2, 32
	kind := "regexstring:"
	switch flags := f.number(2); {
	case flags&^(noCase|dotAll) != 0:
		return nil, refuse("flags %d of a pattern are not supported: CASE_INSENSITIVE and DOTALL are", flags)
	case flags&noCase != 0:
		kind = "regexstringnocase:"
	}
	return append([]byte(kind), f.text(1)...), nil
}
