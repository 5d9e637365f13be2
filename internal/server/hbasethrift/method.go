// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// method is a call of a version. S carries out the version's calls, and A holds all arguments that any of them has.
type method[S, A any] struct {
	name   string
	takes  []argument[A] // by their numbers less one
	gives  string        // in the words of the IDL
	throws []string      // the names of its exceptions there, by their numbers less one
	do     func(S, context.Context, *A, *thriftwire.Writer) error
}

// argument is one that a call takes. Without a name it is a number that is not used.
type argument[A any] struct {
	name string
	kind string // in the words of the IDL
	wire thriftwire.Type
	read func(*A, *thriftwire.Reader)

	isRequired bool
	preset     func(*A) // the argument where the client leaves it out; nil: zero
}

// taking is the argument of a name and a kind.
func taking[A any](name, kind string, read func(*A, *thriftwire.Reader)) argument[A] {
	return argument[A]{name: name, kind: kind, wire: typeOf(kind), read: read}
}

// required is the argument where the call can't do without it.
func (a argument[A]) required() argument[A] {
	a.isRequired = true
	return a
}

// or returns the argument with the default for clients that leave it out.
func (a argument[A]) or(preset func(*A)) argument[A] {
	a.preset = preset
	return a
}

// answer is the result of a call.
type answer[R any] struct {
	kind  string // in the words of the IDL
	write func(*thriftwire.Writer, R)
}

// giving is the method that gives an answer.
func giving[S, A, R any](name string, gives answer[R], throws []string, do func(S, context.Context, *A) (R, error),
	takes ...argument[A]) method[S, A] {
	return method[S, A]{name, takes, gives.kind, throws,
		func(s S, ctx context.Context, a *A, w *thriftwire.Writer) error {
			r, err := do(s, ctx, a)
			if err == nil {
				gives.write(w, r)
			}
			return err
		}}
}

// doing is the method that gives nothing.
func doing[S, A any](name string, throws []string, do func(S, context.Context, *A) error,
	takes ...argument[A]) method[S, A] {
	return method[S, A]{name, takes, "void", throws,
		func(s S, ctx context.Context, a *A, _ *thriftwire.Writer) error { return do(s, ctx, a) }}
}

// function answers a message whose head was read. An error says that its arguments can't be read, and nothing was
// written then.
type function func(ctx context.Context, head thriftwire.Message, r *thriftwire.Reader, w *thriftwire.Writer) error

// functionsOf are a version's functions by their names. isShared says of which names the other version has a call, too.
func functionsOf[S, A any](service S, c calls, methods []method[S, A],
	isShared func(name string) bool) map[string]function {
	functions := make(map[string]function, len(methods))
	for i := range methods {
		m := &methods[i]
		functions[m.name] = func(ctx context.Context, head thriftwire.Message, r *thriftwire.Reader,
			w *thriftwire.Writer) error {
			a := new(A)
			if m.read(a, r, isShared(m.name)); r.Err() != nil {
				return r.Err()
			}
			begin := w.Len()
			head.Kind = thriftwire.Reply
			w.Message(head)
			outer := w.Open()
			if err := m.do(service, ctx, a, w); err != nil {
				f := c.fail(ctx, err)
				w.Truncate(begin)
				w.Message(head)
				writeFailure(w, f, m.throws)
			}
			w.Close(outer)
			return nil
		}
	}
	return functions
}

// errArgument is the refusal of an argument that the version has not got, or has with another type: without it the
// call would do something else.
var errArgument = errors.New("they are those of another version")

// read reads the arguments, which are a structure.
func (m *method[S, A]) read(a *A, r *thriftwire.Reader, isShared bool) {
	for i := range m.takes {
		if preset := m.takes[i].preset; preset != nil {
			preset(a)
		}
	}
	seen := uint32(0)
	for f := (thriftwire.Field{}); r.Field(&f); {
		i := int(f.ID) - 1
		switch {
		case i >= 0 && i < len(m.takes) && m.takes[i].wire == f.Type:
			m.takes[i].read(a, r)
			seen |= 1 << i
		case isShared:
			r.Fail(errArgument)
		default:
			r.Skip(f)
		}
	}
	for i := range m.takes {
		if m.takes[i].isRequired && seen&(1<<i) == 0 {
			r.Fail(fmt.Errorf("%s is missing", m.takes[i].name))
		}
	}
}

// typeOf is the type of a kind of the IDL. Kinds that it has not got are structures.
func typeOf(kind string) thriftwire.Type {
	switch kind {
	case "binary", "string":
		return thriftwire.Bytes
	case "bool":
		return thriftwire.Bool
	case "i32", "TCompareOp":
		return thriftwire.I32
	case "i64":
		return thriftwire.I64
	}
	switch {
	case strings.HasPrefix(kind, "list<"):
		return thriftwire.List
	case strings.HasPrefix(kind, "map<"):
		return thriftwire.Map
	}
	return thriftwire.Struct
}

// The exceptions of both versions by the order of their numbers. A version may call them otherwise. immutable
var (
	throwsNothing []string
	throwsIO      = []string{"io"}
	throwsIllegal = []string{"io", "ia"}
	throwsExists  = []string{"io", "ia", "exist"}
)

// The numbers of the exceptions among a call's results.
const (
	fieldIO      = 1
	fieldIllegal = 2
	fieldExists  = 3
)

// writeFailure writes the exception of a call that tells of a failure best. All have the message as field 1, and that
// of I/O reports whether to try again.
func writeFailure(w *thriftwire.Writer, f failure, throws []string) {
	id := int16(fieldIO)
	switch {
	case f.isExisting && len(throws) >= fieldExists:
		id = fieldExists
	case f.isIllegal && len(throws) >= fieldIllegal:
		id = fieldIllegal
	}
	outer := w.Struct(id)
	w.Text(1, f.message)
	if id == fieldIO {
		w.Bool(2, f.canRetry)
	}
	w.Close(outer)
}

// The answers that both versions have. immutable
var (
	givesTruth  = answer[bool]{"bool", func(w *thriftwire.Writer, v bool) { w.Bool(0, v) }}
	givesNumber = answer[int32]{"i32", func(w *thriftwire.Writer, v int32) { w.I32(0, v) }}
	givesServer = answer[Version]{"TThriftServerType",
		func(w *thriftwire.Writer, v Version) { w.I32(0, int32(v.other())+1) }}
)

// listOf is the answer with a list of structures.
func listOf[R any](kind string, write func(*thriftwire.Writer, *R)) answer[[]R] {
	return answer[[]R]{"list<" + kind + ">", func(w *thriftwire.Writer, list []R) {
		w.List(0, thriftwire.Struct, len(list))
		for i := range list {
			write(w, &list[i])
		}
	}}
}

// structOf is the answer with a structure.
func structOf[R any](kind string, write func(*thriftwire.Writer, *R)) answer[R] {
	return answer[R]{kind, func(w *thriftwire.Writer, v R) {
		w.Field(thriftwire.Struct, 0)
		write(w, &v)
	}}
}

// readList reads a list. Room is made as its elements turn out to be there.
func readList[T any](r *thriftwire.Reader, of thriftwire.Type, read func(*thriftwire.Reader) T) []T {
	const atOnce = 256
	n := r.List(of)
	list := make([]T, 0, min(n, atOnce))
	for ; n > 0 && r.Err() == nil; n-- {
		list = append(list, read(r))
	}
	return list
}

// readBytesList reads a list of bytes.
func readBytesList(r *thriftwire.Reader) [][]byte {
	return readList(r, thriftwire.Bytes, (*thriftwire.Reader).Bytes)
}

// readPairs reads a map of texts, pair by pair.
func readPairs(r *thriftwire.Reader, take func(key, value []byte)) {
	for n := r.Map(thriftwire.Bytes, thriftwire.Bytes); n > 0 && r.Err() == nil; n-- {
		take(r.Bytes(), r.Bytes())
	}
}

// lifetime is the life of the cells of a write, as its attributes have it.
type lifetime struct {
	ms  int64
	err error
}

func (l *lifetime) read(r *thriftwire.Reader) {
	readPairs(r, func(key, value []byte) {
		if string(key) == lifeAttribute {
			l.ms, l.err = lifeOf(value)
		}
	})
}

// namedTable does something with a table's name.
func namedTable(table []byte, do func(name hbase.TableName) error) error {
	name, err := hbase.ParseTableName(table)
	if err != nil {
		return err
	}
	return do(name)
}
