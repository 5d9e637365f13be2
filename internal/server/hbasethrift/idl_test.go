// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/server/thriftwire"
)

// service is what a file of the folder idl says.
type service struct {
	enums   map[string]map[string]int32
	structs map[string][]field // unions and exceptions, too
	methods map[string]procedure
}

// field is one of a structure, an argument, or a result.
type field struct {
	id         int16
	name, kind string
	need       string // "required", "optional" or ""
	preset     string
}

// procedure is a call of a service.
type procedure struct {
	gives         string
	takes, throws []field
}

// results are the fields of the structure that answers a call.
func (p *procedure) results() (list []field) {
	if p.gives != "void" {
		list = append(list, field{id: 0, name: "success", kind: p.gives})
	}
	return append(list, p.throws...)
}

var (
	blockLine  = regexp.MustCompile(`^(enum|struct|union|exception) (\w+) \{$`)
	valueLine  = regexp.MustCompile(`^(\w+) = (\d+),?$`)
	fieldText  = regexp.MustCompile(`(\d+): (?:(required|optional) )?((?:list|map)<[\w, ]+>|\w+) (\w+)(?: = ([\w."]+))?`)
	methodLine = regexp.MustCompile(`^((?:list|map)<[\w, ]+>|\w+) (\w+)\((.*?)\)(?: throws \((.*)\))?$`)
)

// readService parses a file of the folder idl.
func readService(t testing.TB, version Version) *service {
	t.Helper()
	text, err := os.ReadFile(map[Version]string{One: "idl/hbase1.thrift", Two: "idl/hbase2.thrift"}[version])
	if err != nil {
		t.Fatal(err)
	}
	s := &service{map[string]map[string]int32{}, map[string][]field{}, map[string]procedure{}}
	block, name := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := blockLine.FindStringSubmatch(line); m != nil {
			if block, name = m[1], m[2]; block == "enum" {
				s.enums[name] = map[string]int32{}
			}
			continue
		}
		switch {
		case line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "namespace "):
		case line == "}":
			block = ""
		case strings.HasPrefix(line, "service "):
			block = "service"
		case block == "enum":
			m := valueLine.FindStringSubmatch(line)
			n, err := strconv.ParseInt(m[2], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			s.enums[name][m[1]] = int32(n)
		case block == "service":
			m := methodLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("no method: %s", line)
			}
			s.methods[m[2]] = procedure{m[1], fieldsOf(t, m[3]), fieldsOf(t, m[4])}
		default:
			list := fieldsOf(t, line)
			if len(list) != 1 {
				t.Fatalf("no field: %s", line)
			}
			if block == "union" {
				list[0].need = "optional"
			}
			s.structs[name] = append(s.structs[name], list[0])
		}
	}
	return s
}

func fieldsOf(t testing.TB, text string) (list []field) {
	for _, m := range fieldText.FindAllStringSubmatch(text, -1) {
		id, err := strconv.ParseInt(m[1], 10, 16)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, field{int16(id), m[4], m[3], m[2], m[5]})
	}
	return list
}

// wire is the type of a kind.
func (s *service) wire(kind string) thriftwire.Type {
	if _, ok := s.enums[kind]; ok {
		return thriftwire.I32
	}
	switch kind {
	case "i8":
		return thriftwire.Byte
	case "i16":
		return thriftwire.I16
	}
	return typeOf(kind)
}

func elementOf(kind string) string {
	return strings.TrimSuffix(strings.TrimPrefix(kind, "list<"), ">")
}

func pairOf(kind string) (key, value string) {
	key, value, _ = strings.Cut(strings.TrimSuffix(strings.TrimPrefix(kind, "map<"), ">"), ", ")
	return key, value
}

// fields are a structure's values by their names: texts as string, numbers as int64, lists as []any, maps as []pair,
// structures as fields.
type fields = map[string]any

type pair struct{ key, value any }

// write writes a structure's fields.
func (s *service) write(w *thriftwire.Writer, list []field, values fields) {
	outer := w.Open()
	for _, f := range list {
		v, ok := values[f.name]
		if !ok {
			continue
		}
		switch s.wire(f.kind) {
		case thriftwire.Bool:
			w.Bool(f.id, v.(bool))
		case thriftwire.Byte:
			w.Byte(f.id, int8(number(v)))
		case thriftwire.I16:
			w.I16(f.id, int16(number(v)))
		case thriftwire.I32:
			w.I32(f.id, int32(number(v)))
		case thriftwire.I64:
			w.I64(f.id, number(v))
		case thriftwire.Bytes:
			w.Text(f.id, v.(string))
		case thriftwire.List:
			of := elementOf(f.kind)
			w.List(f.id, s.wire(of), len(v.([]any)))
			for _, e := range v.([]any) {
				s.writeElement(w, of, e)
			}
		case thriftwire.Map:
			key, value := pairOf(f.kind)
			w.Map(f.id, s.wire(key), s.wire(value), len(v.([]pair)))
			for _, p := range v.([]pair) {
				s.writeElement(w, key, p.key)
				s.writeElement(w, value, p.value)
			}
		default:
			w.Field(thriftwire.Struct, f.id)
			s.write(w, s.structs[f.kind], v.(fields))
		}
	}
	w.Close(outer)
}

func number(v any) int64 {
	if n, ok := v.(int); ok {
		return int64(n)
	}
	return v.(int64)
}

func (s *service) writeElement(w *thriftwire.Writer, kind string, v any) {
	switch v := v.(type) {
	case bool:
		w.PutBool(v)
	case string:
		w.PutText(v)
	default:
		s.write(w, s.structs[kind], v.(fields))
	}
}

// read reads a structure of which nothing may be unknown, and nothing that is required may be missing.
func (s *service) read(r *thriftwire.Reader, list []field) fields {
	values := fields{}
	for f := (thriftwire.Field{}); r.Field(&f); {
		i := slices.IndexFunc(list, func(known field) bool { return known.id == f.ID })
		if i < 0 || s.wire(list[i].kind) != f.Type {
			r.Fail(fmt.Errorf("field %d of type %d is not in the IDL", f.ID, f.Type))
			return nil
		}
		values[list[i].name] = s.readValue(r, list[i].kind, true)
	}
	for _, f := range list {
		if _, ok := values[f.name]; !ok && f.need == "required" {
			r.Fail(fmt.Errorf("%s is missing", f.name))
		}
	}
	return values
}

func (s *service) readValue(r *thriftwire.Reader, kind string, isField bool) any {
	switch s.wire(kind) {
	case thriftwire.Bool:
		if isField {
			return r.Bool()
		}
		return r.Byte() == 1
	case thriftwire.Byte:
		return int64(r.Byte())
	case thriftwire.I16:
		return int64(r.I16())
	case thriftwire.I32:
		return int64(r.I32())
	case thriftwire.I64:
		return r.I64()
	case thriftwire.Bytes:
		return r.Text()
	case thriftwire.List:
		list, of := []any{}, elementOf(kind)
		for range r.List(s.wire(of)) {
			list = append(list, s.readValue(r, of, false))
		}
		return list
	case thriftwire.Map:
		pairs := []pair{}
		key, value := pairOf(kind)
		for range r.Map(s.wire(key), s.wire(value)) {
			pairs = append(pairs, pair{s.readValue(r, key, false), s.readValue(r, value, false)})
		}
		slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key.(string), b.key.(string)) })
		return pairs
	}
	return s.read(r, s.structs[kind])
}

// shapes are the tables by which structures are read, by the version and the name that the IDL has.
func shapes() map[Version][]*thriftwire.Shape {
	return map[Version][]*thriftwire.Shape{
		One: {&mutationOneShape, &batchShape, &incrementOneShape, &appendOneShape, &scanOneShape, &familyOneShape},
		Two: {
			&putShape, &appendShape, &valueShape, &columnShape, &timeRangeShape, &getShape, &scanShape, &deleteShape,
			&rowMutationsShape, &mutationShape,
			&incrementShape, &amountShape, &tableNameShape, &namespaceShape, &tableShape, &familyShape,
		},
	}
}

// passed says of fields that are not read why.
var passed = map[string]string{
	"Mutation.writeToWAL":                         "every write is logged",
	"ColumnDescriptor.bloomFilterVectorSize":      "how HBase stores cells, and no attribute of its own",
	"ColumnDescriptor.bloomFilterNbHashes":        "how HBase stores cells, and no attribute of its own",
	"TScan.caching":                               "rows are fetched as they are asked for",
	"TScan.cacheBlocks":                           "caches keep what is read often",
	"TScan.attributes":                            "reads have none that change anything",
	"TScan.authorizations":                        "cells have no labels",
	"TScan.readType":                              "how HBase reads its files",
	"TScan.consistency":                           "every read is strong",
	"TScan.targetReplicaId":                       "there are no replicas to read from",
	"TGet.attributes":                             "reads have none that change anything",
	"TGet.authorizations":                         "cells have no labels",
	"TGet.consistency":                            "every read is strong",
	"TGet.targetReplicaId":                        "there are no replicas to read from",
	"TGet.cacheBlocks":                            "caches keep what is read often",
	"TGet.existence_only":                         "the call says so: exists",
	"TPut.durability":                             "every write is durable",
	"TAppend.durability":                          "every write is durable",
	"TIncrement.durability":                       "every write is durable",
	"TDelete.durability":                          "every write is durable",
	"TDelete.attributes":                          "deletes have none that change anything",
	"TColumnValue.type":                           "values of puts are put",
	"TTableDescriptor.durability":                 "every write is durable",
	"TColumnFamilyDescriptor.dfsReplication":      "storage is not HDFS",
	"TColumnFamilyDescriptor.cacheBloomsOnWrite":  "how HBase caches",
	"TColumnFamilyDescriptor.cacheDataOnWrite":    "how HBase caches",
	"TColumnFamilyDescriptor.cacheIndexesOnWrite": "how HBase caches",
	"TColumnFamilyDescriptor.compressTags":        "there are no tags",
	"TColumnFamilyDescriptor.evictBlocksOnClose":  "how HBase caches",
}

// writtenOnly are the structures of answers, which TestGolden reads by the IDL.
var writtenOnly = []string{
	"AlreadyExists", "IOError", "IllegalArgument", "TCell", "TColumn", "TRegionInfo", "TRowResult", "THRegionInfo",
	"TServerName", "THRegionLocation", "TIOError",
	"TIllegalArgument", "TResult",
}

// skippedWhole are the structures of fields that are passed over, or only noted.
var skippedWhole = []string{"TCellVisibility", "TAuthorization"}

// TestShapes compares the tables of structures with the IDL: the same numbers and types, and the same fields are
// required.
func TestShapes(t *testing.T) {
	unused := map[string]bool{}
	for name := range passed {
		unused[name] = true
	}
	for version, list := range shapes() {
		s := readService(t, version)
		isRead := map[string]bool{}
		for _, shape := range list {
			isRead[shape.Name] = true
			compareShape(t, s, shape, unused)
		}
		for name := range s.structs {
			if !isRead[name] && !slices.Contains(writtenOnly, name) && !slices.Contains(skippedWhole, name) {
				if version == One || name != "TColumn" {
					t.Errorf("%s: structure %s is not read", version, name)
				}
			}
		}
	}
	for name := range unused {
		t.Errorf("%s is read, or is not in the IDL", name)
	}
}

func compareShape(t *testing.T, s *service, shape *thriftwire.Shape, unused map[string]bool) {
	known := map[int]bool{}
	for _, f := range s.structs[shape.Name] {
		known[int(f.id)] = true
		got := thriftwire.Stop
		if int(f.id) < len(shape.Types) {
			got = shape.Types[f.id]
		}
		name := shape.Name + "." + f.name
		switch {
		case got == thriftwire.Stop && passed[name] != "":
			delete(unused, name)
		case got != s.wire(f.kind):
			t.Errorf("%s is read as type %d, not %s", name, got, f.kind)
		}
		if isRequired := shape.Required&(1<<f.id) != 0; isRequired != (f.need == "required") {
			t.Errorf("%s: required is %t, and in the IDL it is %q", name, isRequired, f.need)
		}
	}
	for id, kind := range shape.Types {
		if kind != thriftwire.Stop && !known[id] {
			t.Errorf("%s has no field %d", shape.Name, id)
		}
	}
}

// TestMethods compares the tables of calls with the IDL: names, arguments, results and exceptions.
func TestMethods(t *testing.T) {
	compareMethods(t, Two, methodsTwo())
	compareMethods(t, One, methodsOne())
}

func compareMethods[S, A any](t *testing.T, version Version, methods []method[S, A]) {
	s := readService(t, version)
	for i := range methods {
		m := &methods[i]
		want, ok := s.methods[m.name]
		if !ok {
			t.Errorf("%s: there is no call %s", version, m.name)
			continue
		}
		delete(s.methods, m.name)
		if m.gives != want.gives {
			t.Errorf("%s gives %s, not %s", m.name, m.gives, want.gives)
		}
		var takes, throws []field
		for i, a := range m.takes {
			if a.name != "" {
				takes = append(takes, field{id: int16(i + 1), name: a.name, kind: a.kind,
					need: map[bool]string{true: "required"}[a.isRequired]})
				if a.wire != s.wire(a.kind) {
					t.Errorf("%s: %s is read as type %d", m.name, a.name, a.wire)
				}
			}
		}
		for i := range want.takes {
			want.takes[i].preset = ""
		}
		if !slices.Equal(takes, want.takes) {
			t.Errorf("%s takes %v, not %v", m.name, takes, want.takes)
		}
		kinds := map[Version][]string{One: {"IOError", "IllegalArgument", "AlreadyExists"},
			Two: {"TIOError", "TIllegalArgument"}}[version]
		for i, name := range m.throws {
			throws = append(throws, field{id: int16(i + 1), name: name, kind: kinds[i]})
		}
		if !slices.Equal(throws, want.throws) {
			t.Errorf("%s throws %v, not %v", m.name, throws, want.throws)
		}
	}
	for name := range s.methods {
		t.Errorf("%s: %s is not answered", version, name)
	}
}

// TestEnums compares the names of values with the IDL.
func TestEnums(t *testing.T) {
	s := readService(t, Two)
	for kind, names := range map[string][]string{"TBloomFilterType": bloomFilters,
		"TCompressionAlgorithm": compressions, "TDataBlockEncoding": encodings} {
		for name, value := range s.enums[kind] {
			if nameOf(names, value) != name || valueOf(names, name, "none") != value {
				t.Errorf("%s: %d is %s, not %s", kind, value, nameOf(names, value), name)
			}
		}
	}
	for name, want := range map[string]int32{"DELETE_COLUMN": 0, "DELETE_COLUMNS": 1, "DELETE_FAMILY": 2,
		"DELETE_FAMILY_VERSION": 3} {
		if s.enums["TDeleteType"][name] != want || len(s.enums["TDeleteType"]) != len(deleteKinds) {
			t.Errorf("%s is %d", name, s.enums["TDeleteType"][name])
		}
	}
	if s.enums["TCompareOp"]["NO_OP"] != 6 || s.enums["TThriftServerType"]["TWO"] != 2 ||
		s.enums["TKeepDeletedCells"]["FALSE"] != 0 {
		t.Error("values of an enum have changed")
	}
}
