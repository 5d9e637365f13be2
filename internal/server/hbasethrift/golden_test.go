// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/thriftwire"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv/mem"
)

// The files of testdata were written with the code that Thrift's compiler makes of the folder idl, and Apache's
// library for Go: random structures (structs.txt), what they ask package hbase for (decoded.txt), and calls with
// their answers (calls.txt).

// golden are the lines of a file of testdata.
func golden(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func protocols() []thriftwire.Protocol {
	return []thriftwire.Protocol{thriftwire.Binary, thriftwire.Compact}
}

// fieldsNamed are the fields of a structure of structs.txt, such as two.Get.Args.
func fieldsNamed(services map[string]*service, name string) (version string, list []field, call string,
	isArguments bool) {
	parts := strings.Split(name, ".")
	call = strings.ToLower(parts[1][:1]) + parts[1][1:]
	p := services[parts[0]].methods[call]
	if parts[2] == "Args" {
		return parts[0], p.takes, call, true
	}
	return parts[0], p.results(), call, false
}

// TestGoldenStructs reads and writes arguments and results of all calls.
func TestGoldenStructs(t *testing.T) {
	services := map[string]*service{"one": readService(t, One), "two": readService(t, Two)}
	one, two := map[string]*method[*one, takenOne]{}, map[string]*method[*two, callArguments]{}
	for _, m := range methodsOne() {
		one[m.name] = &m
	}
	for _, m := range methodsTwo() {
		two[m.name] = &m
	}
	for _, line := range golden(t, "structs.txt") {
		words := strings.Split(line, " ")
		version, list, call, isArguments := fieldsNamed(services, words[0])
		s := services[version]
		var values [2]fields
		for i, p := range protocols() {
			want := unhex(t, words[1+i])
			r := thriftwire.NewReader(p, want)
			if values[i] = s.read(&r, list); r.Err() != nil || r.Len() > 0 {
				t.Fatalf("%s: %v, %d bytes are left", words[0], r.Err(), r.Len())
			}
			w := thriftwire.NewWriter(p)
			if s.write(w, list, values[i]); !bytes.Equal(w.Bytes(), want) {
				t.Errorf("%s is written as\n%x, not\n%x", words[0], w.Bytes(), want)
			}
			if !isArguments {
				continue
			}
			r = thriftwire.NewReader(p, want)
			if version == "one" {
				one[call].read(new(takenOne), &r, true)
			} else {
				two[call].read(new(callArguments), &r, true)
			}
			if r.Err() != nil || r.Len() > 0 {
				t.Errorf("the arguments of %s: %v, %d bytes are left", call, r.Err(), r.Len())
			}
		}
		if !reflect.DeepEqual(values[0], values[1]) {
			t.Errorf("%s: %v in one protocol, %v in the other", words[0], values[0], values[1])
		}
	}
}

// decode reads a structure of decoded.txt as package hbase has it.
func decode(r *thriftwire.Reader, name string) (any, error) {
	a := new(callArguments)
	var v any
	switch name {
	case "TGet":
		v = a.readGet(r)
	case "TPut":
		v = a.writes.put(r)
	case "TDelete":
		v = a.readDelete(r)
	case "TScan":
		a.readScan(r)
		v = a.scan
	case "TColumnFamilyDescriptor":
		a.readColumnFamily(r)
		v = a.column
	}
	return v, a.refusal()
}

// TestGoldenRequests wants structures to ask package hbase for the same.
func TestGoldenRequests(t *testing.T) {
	lines := golden(t, "decoded.txt")
	for i := 0; i < len(lines); i += 2 {
		words := strings.Split(lines[i], " ")
		for j, p := range protocols() {
			r := thriftwire.NewReader(p, unhex(t, words[1+j]))
			v, refused := decode(&r, words[0])
			if r.Err() != nil || r.Len() > 0 {
				t.Fatalf("%s %s: %v, %d bytes are left", words[0], words[1+j], r.Err(), r.Len())
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if refused != nil {
				text = []byte("error: " + refused.Error())
			}
			if string(text) != lines[i+1] {
				t.Errorf("%s %s is\n%s, not\n%s", words[0], words[1+j], text, lines[i+1])
			}
		}
	}
}

// inMemory are servers of both versions on a new database.
func inMemory(t testing.TB) map[string]*Server {
	t.Helper()
	store := mem.Open(mem.Options{})
	db, err := database.Open(t.Context(), store,
		database.Options{Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	api := &hbase.API{DB: db}
	servers := map[string]*Server{
		"two": New(Options{API: api, Addr: "localhost:9190", OtherAddr: "db.example:9090"}),
		"one": New(Options{API: api, Version: One, Addr: "localhost:9090"}),
	}
	t.Cleanup(func() {
		for _, s := range servers {
			err = errors.Join(err, s.Shutdown(context.Background()))
		}
		if err := errors.Join(err, db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return servers
}

// answered is a server's answer to a message.
func answered(s *Server, message []byte) (answer []byte, ok bool) {
	w, share := thriftwire.NewWriter(thriftwire.Binary), memory.Share{}
	ok = s.answer(s.contextOf(context.Background(), nil, "", "", &share), w, message, nil)
	return w.Bytes(), ok
}

// TestGolden makes the calls of calls.txt and wants the same answers, byte by byte but for the order in which maps
// are written. All are as the IDL says.
func TestGolden(t *testing.T) {
	services := map[string]*service{"one": readService(t, One), "two": readService(t, Two)}
	lines, last := golden(t, "calls.txt"), thriftwire.Protocol(0)
	called := map[string]bool{}
	var servers map[string]*Server
	for i := 0; i < len(lines); i += 3 {
		words := strings.Split(lines[i], " ")
		message, want := unhex(t, lines[i+1]), unhex(t, lines[i+2])
		p := thriftwire.ProtocolOf(message[0])
		if p != last { // the file has all calls in one protocol and then in the other
			servers, last = inMemory(t), p
		}
		got, ok := answered(servers[words[0]], message)
		ours, theirs := reply(t, services[words[0]], got), reply(t, services[words[0]], want)
		if !reflect.DeepEqual(ours, theirs) || len(words) == 2 && !bytes.Equal(got, want) || len(got) != len(want) ||
			words[1] == "true" != ok {
			t.Errorf("call %d, %x: the answer is\n%v, %t, not\n%v, %s\n%x\n%x", i/3, message, ours, ok, theirs,
				words[1], got, want)
		}
		called[words[0]+"."+ours["call"].(string)] = true
	}
	for version, s := range services {
		for name := range s.methods {
			if !called[version+"."+name] {
				t.Errorf("%s.%s is not called", version, name)
			}
		}
	}
}

// applicationException is Thrift's own.
var applicationException = []field{{id: 1, name: "message", kind: "string"}, {id: 2, name: "type", kind: "i32"}}

// reply reads an answer.
func reply(t *testing.T, s *service, message []byte) fields {
	t.Helper()
	r := thriftwire.NewReader(thriftwire.ProtocolOf(message[0]), message)
	head := r.Message()
	list := applicationException
	if head.Kind == thriftwire.Reply {
		p := s.methods[head.Name]
		list = p.results()
	}
	values := s.read(&r, list)
	if r.Err() != nil || r.Len() > 0 {
		t.Fatalf("%s: %v, %d bytes are left of %x", head.Name, r.Err(), r.Len(), message)
	}
	values["call"], values["seq"], values["kind"] = head.Name, head.Seq, head.Kind
	return values
}

// TestDamaged makes calls whose arguments are random, with a byte changed and the end cut off. Whatever is wrong with
// them, no call fails of itself.
func TestDamaged(t *testing.T) {
	random := rounds.Random(t)
	services := map[string]*service{"one": readService(t, One), "two": readService(t, Two)}
	servers := inMemory(t)
	for _, line := range golden(t, "structs.txt") {
		words := strings.Split(line, " ")
		version, _, call, isArguments := fieldsNamed(services, words[0])
		if !isArguments {
			continue
		}
		for i, p := range protocols() {
			w := thriftwire.NewWriter(p)
			w.Message(thriftwire.Message{Name: call, Kind: thriftwire.Call})
			message := append(w.Bytes(), unhex(t, words[1+i])...)
			check := func(damaged []byte) {
				answer, _ := answered(servers[version], damaged)
				if got := reply(t, services[version], answer); got["kind"] == thriftwire.Exception &&
					got["type"] != int64(protocolError) {
					t.Fatalf("%s, %x: %v", call, damaged, got)
				}
			}
			for range rounds.Of(t, 4) {
				damaged := bytes.Clone(message)
				damaged[w.Len()+random.IntN(len(message)-w.Len())] = byte(random.Uint32())
				check(damaged[:len(damaged)-random.IntN(2)*random.IntN(len(damaged)-w.Len())])
			}
			for step := byte(1); step < 16; step++ { // a field of no type in the compact protocol
				check(append(bytes.Clone(w.Bytes()), step<<4, 0))
			}
		}
	}
}
