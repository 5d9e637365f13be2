// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// answerMax is the time an answer may take before the test gives up.
const answerMax = 30 * time.Second

// connection is a line to the server and what reads from it.
type connection struct {
	net.Conn
	from *bufio.Reader
}

func dial(t *testing.T) *connection {
	conn, err := net.Dial("tcp", server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(answerMax))
	return &connection{conn, bufio.NewReader(conn)}
}

// said is a request and how it was answered.
type said struct {
	brief  bool
	name   string
	method string
	sent   []byte
	answer string
}

// TestWire sends the files' requests, each after the answer to the one before, and then again those that leave the
// connection open, all at once.
func TestWire(t *testing.T) {
	var all []said
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		conn := dial(t)
		defer func() { conn.Close() }()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "request" || len(d.CmdArgs) == 0 {
				d.Fatalf(t, "want: request <name>")
			}
			method, sent := request(t, d)
			answer, closed := conn.exchange(t, method, sent, d.HasArg("brief"))
			if closed {
				conn.Close()
				conn = dial(t)
			} else {
				all = append(all, said{d.HasArg("brief"), path + " " + d.CmdArgs[0].Key, method, sent, answer})
			}
			return answer
		})
	})
	t.Run("pipelined", func(t *testing.T) { pipeline(t, all) })
}

// pipeline sends everything over one connection without waiting for answers, which must be those that were given
// before.
func pipeline(t *testing.T, all []said) {
	conn := dial(t)
	defer conn.Close()
	go func() {
		for _, s := range all {
			if _, err := conn.Write(s.sent); err != nil {
				return // what is missing then shows below
			}
		}
	}()
	for _, s := range all {
		answer, closed, err := conn.read(s.method, s.brief)
		if err != nil || closed || answer != s.answer {
			t.Fatalf("%s was answered first by\n%s\nthen by\n%s%v", s.name, s.answer, answer, err)
		}
	}
}

// exchange sends a request and prints the answer.
func (c *connection) exchange(t *testing.T, method string, sent []byte, brief bool) (answer string, closed bool) {
	_ = c.SetDeadline(time.Now().Add(answerMax))
	written := make(chan struct{})
	go func() {
		_, _ = c.Write(sent) // fails if the server hangs up, which shows below
		close(written)
	}()
	answer, closed, err := c.read(method, brief)
	if err != nil {
		return "no answer: " + err.Error() + "\n", true
	}
	if !closed {
		<-written
	}
	return answer, closed
}

// read reads an answer and prints it, with what came before it.
func (c *connection) read(method string, brief bool) (answer string, closed bool, err error) {
	var out strings.Builder
	for {
		reply, err := http.ReadResponse(c.from, &http.Request{Method: method})
		if err != nil {
			return "", false, err
		}
		body, err := io.ReadAll(reply.Body)
		if err != nil {
			return "", false, err
		}
		if reply.StatusCode == http.StatusContinue {
			fmt.Fprintln(&out, "100")
			continue
		}
		printHead(&out, reply, body, method)
		if !brief {
			printBody(&out, reply, body)
		}
		return out.String(), reply.Close, nil
	}
}

// common are the headers that every answer has, with their form. The checksum and the length are compared with what has
// come.
var common = map[string]*regexp.Regexp{
	"Date":             regexp.MustCompile(`^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$`),
	"Server":           regexp.MustCompile(`^\w+$`),
	"X-Amzn-Requestid": regexp.MustCompile(`^[0-9A-Z]{52}$`),
	"X-Amz-Crc32":      regexp.MustCompile(`^\d+$`),
	"Content-Length":   regexp.MustCompile(`^\d+$`),
}

// changing is what differs from run to run in the bodies of answers: times and ids.
var changing = regexp.MustCompile(`("\w*DateTime":|"TableId":)("[^"]*"|[0-9.E]+)`)

func printHead(out *strings.Builder, reply *http.Response, body []byte, method string) {
	fmt.Fprint(out, reply.StatusCode)
	if reply.Close {
		fmt.Fprint(out, " closed")
	}
	fmt.Fprintln(out)
	for _, name := range slices.Sorted(maps.Keys(common)) {
		if got := reply.Header.Get(name); !common[name].MatchString(got) {
			fmt.Fprintf(out, "WRONG %s: %s\n", name, got)
		}
	}
	if sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); method != http.MethodHead &&
		reply.Header.Get("X-Amz-Crc32") != sum {
		fmt.Fprintf(out, "WRONG X-Amz-Crc32: not %s\n", sum)
	}
	for _, name := range slices.Sorted(maps.Keys(reply.Header)) {
		if common[name] == nil {
			fmt.Fprintf(out, "%s: %s\n", name, strings.Join(reply.Header[name], " | "))
		}
	}
}

func printBody(out *strings.Builder, reply *http.Response, body []byte) {
	if reply.Header.Get("Content-Encoding") == "gzip" {
		body = unpack(body)
	}
	if len(body) > 0 {
		body = changing.ReplaceAll(bytes.TrimSuffix(body, []byte("\n")), []byte("${1}_"))
		fmt.Fprintf(out, "%s\n", abridge(body))
	}
}

func unpack(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return []byte("WRONG gzip: " + err.Error())
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return []byte("WRONG gzip: " + err.Error())
	}
	return plain
}

// abridge shortens what no one would read.
func abridge(body []byte) string {
	if len(body) > 2000 {
		return fmt.Sprintf("%s ... (%d bytes)", body[:100], len(body))
	}
	return string(body)
}
