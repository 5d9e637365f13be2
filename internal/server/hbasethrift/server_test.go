// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/thriftwire"
	"github.com/weftdb/weft/kv/mem"
)

// serve starts a server on a new database with table t of the families f and g, and returns it with its address.
func serve(t *testing.T, o Options) (*Server, string) {
	t.Helper()
	store := mem.Open(mem.Options{})
	db, err := database.Open(t.Context(), store,
		database.Options{Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	o.API = &hbase.API{DB: db}
	table := &hbase.Table{TableName: hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"},
		Families: []hbase.Family{{Name: "f", Versions: 3}, {Name: "g", Versions: 1}}}
	if err := o.API.CreateTable(t.Context(), table, [][]byte{[]byte("m")}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Addr = listener.Addr().String()
	s := New(o)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(s.Shutdown(ctx), <-ended, db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, o.Addr
}

// TestTransports puts, gets and scans in each way; what one writes, all read.
func TestTransports(t *testing.T) {
	_, addr := serve(t, Options{})
	for _, way := range ways() {
		t.Run(way, func(t *testing.T) {
			client := connect(t, addr, way, Two)
			for i := range 3 {
				row := fmt.Sprintf("%s %d", way, i)
				if _, err := client.call("put", putOf("t", row, cellOf("f", "q", row))); err != nil {
					t.Fatal(err)
				}
				got, err := client.call("get", getOf("t", row))
				if err != nil || len(cellsOf(got)) != 1 || cellsOf(got)[0].(fields)["value"] != row {
					t.Fatalf("%v, %v", got, err)
				}
			}
			missing, err := client.call("get", getOf("t", "nobody"))
			if err != nil || len(cellsOf(missing)) != 0 || missing.(fields)["row"] != nil {
				t.Errorf("a missing row is %v, %v", missing, err)
			}
			scan := fields{"startRow": way + " ", "stopRow": way + "!"}
			rows, err := client.call("getScannerResults", fields{"table": "t", "tscan": scan, "numRows": 10})
			if err != nil || len(rows.([]any)) != 3 {
				t.Errorf("%v, %v", rows, err)
			}
			_, err = client.call("get", getOf("none", "r"))
			if refusal, ok := errors.AsType[*thrown](err); !ok || refusal.kind != "TIOError" ||
				!strings.Contains(refusal.Error(), "TableNotFoundException") {
				t.Errorf("a table that is not there is %v", err)
			}
		})
	}
}

// TestWrongVersion speaks to each version's port as a client of the other one.
func TestWrongVersion(t *testing.T) {
	_, two := serve(t, Options{OtherAddr: "db.example:9090"})
	_, one := serve(t, Options{Version: One, OtherAddr: "db.example:9190"})
	tput := fields{"row": "r", "columnValues": []any{}}
	for _, way := range ways() {
		for name, arguments := range map[string]fields{"getTableNames": {},
			"get": {"tableName": "t", "row": "r", "column": "f:q"}} {
			_, err := connect(t, two, way, One).call(name, arguments)
			wantRefusal(t, way, err, "Thrift1 (Hbase) is on db.example:9090")
		}
		for name, arguments := range map[string]fields{ // all but the first are of names that both versions have
			"listNamespaces": {},
			"get":            getOf("t", "r"),
			"mutateRow":      {"table": "t", "trowMutations": fields{"row": "r", "mutations": []any{}}},
			"checkAndPut":    {"table": "t", "row": "r", "family": "f", "qualifier": "q", "tput": tput},
			"deleteTable":    {"tableName": fields{"qualifier": "t"}},
		} {
			_, err := connect(t, one, way, Two).call(name, arguments)
			wantRefusal(t, way, err, "Thrift2 (THBaseService) is on db.example:9190")
		}
	}
}

// TestOwnExceptions wants Thrift's own exceptions, with their numbers, for messages that are no calls of the version.
func TestOwnExceptions(t *testing.T) {
	_, addr := serve(t, Options{})
	for _, way := range ways() {
		c := connect(t, addr, way, Two)
		message := func(name string, kind thriftwire.Kind) []byte {
			w := thriftwire.NewWriter(c.protocol)
			w.Message(thriftwire.Message{Name: name, Kind: kind, Seq: 7})
			w.Close(w.Open())
			return w.Bytes()
		}
		for want, m := range map[int64][]byte{
			unknownMethod: message("bogus", thriftwire.Call), invalidMessageType: message("get",
				thriftwire.Reply), protocolError: message("get", thriftwire.Call),
		} {
			answer, err := connect(t, addr, way, Two).exchange(m)
			if err != nil {
				t.Fatal(err)
			}
			if got := reply(t, c.service, answer); got["type"] != want || got["kind"] != thriftwire.Exception ||
				got["seq"] != int32(7) {
				t.Errorf("%s: the answer is %v, not an exception of type %d", way, got, want)
			}
		}
	}
}

func wantRefusal(t *testing.T, name string, err error, text string) {
	t.Helper()
	if refusal, ok := errors.AsType[*broken](err); !ok || !strings.Contains(refusal.Error(), text) {
		t.Errorf("%s: the answer is %v, not an exception with %q", name, err, text)
	}
}

// TestScanners reads a scan in pages, and after its end, and with the number of another user's scanner.
func TestScanners(t *testing.T) {
	_, addr := serve(t, Options{})
	client := connect(t, addr, "framed binary", Two)
	for i := range 25 {
		if _, err := client.call("put", putOf("t", fmt.Sprintf("r%02d", i), cellOf("f", "q", "v"))); err != nil {
			t.Fatal(err)
		}
	}
	id, err := client.call("openScanner", fields{"table": "t", "tscan": fields{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{10, 10, 5, 0, 0} {
		rows, err := client.call("getScannerRows", fields{"scannerId": id, "numRows": 10})
		if err != nil || len(rows.([]any)) != want {
			t.Errorf("a page is %v, not %d rows: %v", rows, want, err)
		}
	}
	if _, err := client.call("closeScanner", fields{"scannerId": id}); err != nil {
		t.Error(err)
	}
	_, err = client.call("getScannerRows", fields{"scannerId": id, "numRows": 10})
	if refusal, ok := errors.AsType[*thrown](err); !ok || refusal.kind != "TIllegalArgument" {
		t.Errorf("a closed scanner is %v", err)
	}
}

// TestHostile sends what no client would. The connection ends or gets an error; others go on, and little memory is
// taken.
func TestHostile(t *testing.T) {
	budget := memory.New(64 << 20)
	_, addr := serve(t, Options{Memory: NewMemory(budget), HeaderTimeout: time.Second,
		TransferGrace: 200 * time.Millisecond, MessageBytesMax: 1 << 15})
	get := append([]byte{0x80, 1, 0, 1, 0, 0, 0, 3}, "get\x00\x00\x00\x01"...)
	length := func(n uint32, rest ...byte) []byte { return append(binary.BigEndian.AppendUint32(nil, n), rest...) }
	list := func(size uint32) []byte { // a list of structures as field 2
		return append(append([]byte{0x80, 1, 0, 1, 0, 0, 0, 11},
			"getMultiple\x00\x00\x00\x01\x0b\x00\x01\x00\x00\x00\x01t\x0f\x00\x02\x0c"...), length(size)...)
	}
	for name, message := range map[string][]byte{
		"frame of 2 GB": length(0x7fffffff, 0x80, 1, 0, 1),
		"frame of 4 GB": length(0xffffffff, 0x80, 1, 0, 1),
		"text of 2 GB":  append(get, "\x0b\x00\x01\x7f\xff\xff\xff"...),
		"name of 2 GB":  {0x80, 1, 0, 1, 0x7f, 0xff, 0xff, 0xff, 'g'},
		"negative name": {0x80, 1, 0, 1, 0xff, 0xff, 0xff, 0xff, 'g'},
		"list of 2 G":   list(0x7fffffff),
		"list of 1 M":   list(1 << 20), "list of 30 K": list(30_000),
		"deep structures":  append(get, bytes.Repeat([]byte{0x0c, 0, 9}, 10_000)...),
		"deep lists":       append(append(get, 0x0f, 0, 9), bytes.Repeat([]byte{0x0f, 0, 0, 0, 1}, 6_000)...),
		"frame cut off":    length(100, get...),
		"empty frame":      length(0, 0x80),
		"zeros":            make([]byte, 100),
		"no protocol":      []byte("\xff\xff\xff\xff\xff\xff\xff\xff"),
		"compact varint":   append([]byte{0x82, 0x21}, bytes.Repeat([]byte{0xff}, 100)...),
		"HTTP without end": []byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2147483647\r\n\r\n"),
		"HTTP, chunk of 2 GB": []byte(
			"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n\x80\x01"),
		"HTTP, negative length": []byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
		"TLS":                   []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = conn.Write(message) // it may be cut off before the end
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			answer, err := io.ReadAll(io.LimitReader(conn, 1<<16))
			if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
				t.Errorf("the connection goes on after %q", answer)
			}
		})
	}
	if _, err := connect(t, addr, "framed binary", Two).call("get", getOf("t", "r")); err != nil {
		t.Error(err)
	}
}

// TestWeb refuses requests that no client of HBase's makes.
func TestWeb(t *testing.T) {
	signIn := func(_ context.Context, user, password, _ string) (string, error) {
		if user == "ann" && password == "secret" {
			return user, nil
		}
		return "", errors.New("sign in")
	}
	_, addr := serve(t, Options{SignIn: signIn,
		Hosts: func(host string) bool { return strings.HasPrefix(host, "127.0.0.1") }})
	ask := func(change func(r *http.Request)) (int, string) {
		t.Helper()
		body := append([]byte{0x80, 1, 0, 1, 0, 0, 0, 14}, "listNamespaces\x00\x00\x00\x01\x00"...)
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(userHeader, "ann")
		r.Header.Set(passwordHeader, "secret")
		change(r)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	for _, c := range []struct {
		name   string
		want   int
		change func(r *http.Request)
	}{
		{"headers", 200, func(*http.Request) {}},
		{"basic", 200, func(r *http.Request) { r.Header = http.Header{}; r.SetBasicAuth("ann", "secret") }},
		{"wrong password", 401, func(r *http.Request) { r.Header.Set(passwordHeader, "no") }},
		{"nobody", 401, func(r *http.Request) { r.Header = http.Header{} }},
		{"web page", 403, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }},
		{"other name", 403, func(r *http.Request) { r.Host = "evil.example" }},
		{"GET", 405, func(r *http.Request) { r.Method = http.MethodGet; r.Body = nil; r.ContentLength = 0 }},
		{"no message", 400, func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("hello"))
			r.ContentLength = 5
		}},
		{"empty", 400, func(r *http.Request) { r.Body = nil; r.ContentLength = 0 }},
	} {
		if status, text := ask(c.change); status != c.want {
			t.Errorf("%s: %d %q, not %d", c.name, status, text, c.want)
		}
	}
	for _, way := range ways() {
		if strings.HasPrefix(way, "http") {
			continue
		}
		_, err := connect(t, addr, way, Two).call("listNamespaces", fields{})
		wantRefusal(t, way, err, "sign in")
	}
}

// TestSlow cuts off clients that send or say nothing.
func TestSlow(t *testing.T) {
	_, addr := serve(t, Options{HeaderTimeout: 50 * time.Millisecond, IdleTimeout: 50 * time.Millisecond,
		TransferGrace: 50 * time.Millisecond, MessageBytesMax: 1 << 10})
	for _, message := range []string{"", "P", "POST / HTTP/1.1\r\nHost: loc", "\x80\x01", "\x00\x00\x00\x64\x80\x01"} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(message))
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		_, err = io.ReadAll(conn)
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			t.Errorf("a client that says %q stays connected", message)
		}
		conn.Close()
	}
}

// FuzzMessage answers any bytes as a message, in each way, without a panic and without much memory.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		"\x80\x01\x00\x01\x00\x00\x00\x0elistNamespaces\x00\x00\x00\x01\x00", "\x82\x21\x01\x0elistNamespaces\x00",
		"\x00\x00\x00\x1d\x80\x01\x00\x01\x00\x00\x00\x0elistNamespaces\x00\x00\x00\x01\x00",
		"\x80\x01\x00\x01\x00\x00\x00\x03get\x00\x00\x00\x01\x0b\x00\x01\x00\x00\x00\x01t\x0c\x00\x02\x0b\x00\x01\x00\x00\x00\x01r\x00\x00",
		"\x80\x01\x00\x01\x00\x00\x00\x0bgetMultiple\x00\x00\x00\x01\x0b\x00\x01\x00\x00\x00\x01t\x0f\x00\x02\x0c\x7f\xff\xff\xff",
	} {
		f.Add([]byte(seed))
	}
	store := mem.Open(mem.Options{})
	db, err := database.Open(f.Context(), store,
		database.Options{Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = errors.Join(db.Close(), store.Close()) })
	servers := []*Server{New(Options{API: &hbase.API{DB: db}, MessageBytesMax: 1 << 16}),
		New(Options{API: &hbase.API{DB: db}, Version: One, MessageBytesMax: 1 << 16})}
	f.Fuzz(func(t *testing.T, message []byte) {
		for _, s := range servers {
			ours, theirs := net.Pipe()
			done := make(chan struct{})
			go func() { defer close(done); _, _ = io.Copy(io.Discard, theirs) }()
			s.accept(ours)
			_ = theirs.SetWriteDeadline(time.Now().Add(time.Minute))
			_, _ = theirs.Write(message)
			_ = theirs.Close()
			<-done
		}
	})
}

// TestDocument wants the tables of the documentation to name each filter and each call of a version, and no other.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/hbase.md")
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{})
	defer func() { _ = s.Shutdown(t.Context()) }()
	for heading, want := range map[string][]string{
		"| Thrift2 |": slices.Collect(maps.Keys(s.functions)), "| Thrift1 |": slices.Collect(maps.Keys(s.others)),
		"| filter |": filter.Names(),
	} {
		slices.Sort(want)
		if got := documented(string(text), heading); !slices.Equal(got, want) {
			t.Errorf("the table %s names\n%s\nnot\n%s", heading, got, want)
		}
	}
}

// documented are the names in the first column of the table with a heading, sorted.
func documented(text, heading string) (names []string) {
	_, rest, _ := strings.Cut(text, "\n"+heading)
	table, _, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(table) {
		if first, ok := strings.CutPrefix(line, "| `"); ok {
			first, _, _ = strings.Cut(first, "` |")
			names = append(names, strings.Split(first, "`, `")...)
		}
	}
	slices.Sort(names)
	return names
}

// TestStoreLimits: HBase takes a limit of no cells for one of one, and a negative one for none.
func TestStoreLimits(t *testing.T) {
	s := readService(t, Two)
	for given, want := range map[int]int{-1: 0, 0: 1, 5: 5} {
		w := thriftwire.NewWriter(thriftwire.Binary)
		s.write(w, s.structs["TGet"], fields{"row": "r", "storeLimit": given, "storeOffset": given})
		r := thriftwire.NewReader(thriftwire.Binary, w.Bytes())
		if get := new(callArguments).readGet(&r); r.Err() != nil || get.Limit != want || get.Offset != max(0, given) {
			t.Errorf("a limit of %d is %d, offset %d: %v", given, get.Limit, get.Offset, r.Err())
		}
	}
}
