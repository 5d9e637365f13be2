// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// answerTimeout bounds one request. A slow peer with many clients may need seconds for a page.
const answerTimeout = 60 * time.Second

// target is a server that speaks DynamoDB's HTTP API.
type target struct {
	address    string // host:port
	partitions int    // of the table
	key        accessKey
}

// answer is a whole answer of a server.
type answer struct {
	Header http.Header
	Body   []byte
}

// httpWorker is a client on one connection. It sends requests made beforehand, and reads of the answer no more than it
// must to find its end and its status.
type httpWorker struct {
	conn    net.Conn
	reader  *bufio.Reader
	request template
	picker  picker
	signer  *signer // nil: nobody verifies signatures
	keep    bool    // keep the body
	body    []byte  // of the last answer, if keep is set
	header  http.Header
}

func newHTTPWorker(t target, operation string, seed int) (*httpWorker, error) {
	conn, err := net.DialTimeout("tcp", t.address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	w := &httpWorker{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10),
		picker: pickerFor(operation, t.partitions, seed)}
	w.ask(t, apiName(operation), body(operation))
	return w, nil
}

// ask says what the worker requests.
func (w *httpWorker) ask(t target, api, body string) {
	w.request = newTemplate(httpRequest(t, api, body))
	if w.signer = nil; t.key != (accessKey{}) {
		w.signer = newSigner(t.key, w.request.text)
	}
}

// The prefixes of the targets of operations.
const (
	tablesAPI  = "DynamoDB_20120810."
	streamsAPI = "DynamoDBStreams_20120810."
)

// qualified is the target of an operation: one of tables unless it says another.
func qualified(api string) string {
	if strings.Contains(api, ".") {
		return api
	}
	return tablesAPI + api
}

// httpRequest is a request with the headers that an SDK sends. Its signature is a placeholder; most peers check none.
func httpRequest(t target, api, body string) string {
	now := time.Now().UTC()
	var b strings.Builder
	fmt.Fprintf(&b, "POST / HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench/1.0 api/dynamodb#1 os/linux lang/go md/GOARCH#amd64\r\n", t.address)
	fmt.Fprintf(&b, "Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: %s\r\nX-Amz-Date: %s\r\n",
		qualified(api), now.Format("20060102T150405Z"))
	fmt.Fprintf(&b, "Authorization: AWS4-HMAC-SHA256 Credential=%s/%s/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders="+signedHeaders+", Signature=%s\r\n", cmp.Or(t.key.id, "bench"), now.Format("20060102"),
		strings.Repeat("0123456789abcdef", 4))
	b.WriteString("Amz-Sdk-Invocation-Id: 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed\r\nAmz-Sdk-Request: attempt=1; max=3\r\nAccept-Encoding: identity\r\n")
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return b.String()
}

// Do implements worker.
func (w *httpWorker) Do() error {
	w.request.fill(w.picker.next())
	return w.send()
}

func (w *httpWorker) send() error {
	if w.signer != nil {
		w.signer.sign(w.request.text)
	}
	if _, err := w.conn.Write(w.request.text); err != nil {
		return err
	}
	return w.receive()
}

// Close implements worker.
func (w *httpWorker) Close() error { return w.conn.Close() }

// receive reads one answer and checks its status.
func (w *httpWorker) receive() error {
	status, err := w.reader.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	ok := bytes.HasPrefix(status, []byte("HTTP/1.1 200"))
	text := ""
	if !ok {
		text = strings.TrimSpace(string(status))
	}
	length, chunked, err := w.headers()
	if err != nil {
		return err
	}
	w.body = w.body[:0]
	if !ok {
		w.keep = true
	}
	if chunked {
		err = w.chunks()
	} else {
		err = w.take(length)
	}
	if err == nil && !ok {
		err = fmt.Errorf("the server answered %s: %.300s", text, w.body)
	}
	return err
}

func (w *httpWorker) headers() (length int, chunked bool, err error) {
	if w.keep {
		w.header = http.Header{}
	}
	for {
		line, err := w.reader.ReadSlice('\n')
		if err != nil {
			return 0, false, fmt.Errorf("reading an answer's headers: %w", err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 {
			return length, chunked, nil
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 {
			return 0, false, fmt.Errorf("a header without a colon: %q", line)
		}
		name, value := line[:colon], bytes.TrimSpace(line[colon+1:])
		switch {
		case w.keep:
			w.header.Add(string(name), string(value))
			fallthrough
		default:
			if len(name) == len("content-length") && bytes.EqualFold(name, []byte("content-length")) {
				if length, err = strconv.Atoi(string(value)); err != nil {
					return 0, false, err
				}
			}
			chunked = chunked || len(name) == len("transfer-encoding") &&
				bytes.EqualFold(name, []byte("transfer-encoding"))
		}
	}
}

func (w *httpWorker) take(n int) error {
	if !w.keep {
		_, err := w.reader.Discard(n)
		return err
	}
	from := len(w.body)
	w.body = append(w.body, make([]byte, n)...)
	_, err := io.ReadFull(w.reader, w.body[from:])
	return err
}

func (w *httpWorker) chunks() error {
	for {
		line, err := w.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return err
		}
		if err := w.take(int(n)); err != nil {
			return err
		}
		if _, err := w.reader.Discard(2); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// call sends one request with any body and returns the whole answer.
func (t target) call(api, body string) (answer, error) {
	w, err := newHTTPWorker(t, opGet, 0)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	w.keep = true
	w.ask(t, api, body)
	if err := w.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return answer{}, err
	}
	err = w.send()
	return answer{w.header, w.body}, err
}

// sample does an operation once, as the clients do it, checks that the answer holds what it should, and returns it.
func (t target) sample(operation string) (answer, error) {
	w, err := newHTTPWorker(t, operation, 1)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	w.keep = true
	if err := w.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return answer{}, err
	}
	w.request.fill(0, 0, 1) // near the start of the table, so that a page is full
	if err := w.send(); err != nil {
		return answer{}, err
	}
	a := answer{w.header, w.body}
	return a, checkAnswer(operation, t.partitions, a.Body)
}

func checkAnswer(operation string, partitions int, body []byte) error {
	var a struct {
		Item             map[string]any
		Items            []map[string]any
		Responses        map[string][]map[string]any
		UnprocessedItems map[string]any
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return fmt.Errorf("the answer is no JSON: %w: %.200s", err, body)
	}
	wrong := errors.New("the answer is not what the operation should give: " + string(body[:min(len(body), 300)]))
	switch operation {
	case opGet:
		if len(a.Item) != 11 {
			return wrong
		}
	case opQuery:
		if len(a.Items) != partitionItems || len(a.Items[0]) != 11 {
			return fmt.Errorf("%d items: %w", len(a.Items), wrong)
		}
	case opScan: // where the table is hashed, the first item may stand anywhere
		if len(a.Items) == 0 || len(a.Items) > scanItems {
			return fmt.Errorf("%d items of at most %d in %d partitions: %w", len(a.Items), scanItems, partitions, wrong)
		}
	case opBatchGet:
		if items := a.Responses[tableName]; len(items) != batchItems || len(items[0]) != 11 {
			return wrong
		}
	case opBatch:
		if len(a.UnprocessedItems) != 0 {
			return wrong
		}
	}
	return nil
}

// run measures one cell.
func (t target) run(ctx context.Context, x loadgen.Cell, pid int) (loadgen.Result, error) {
	if _, err := t.sample(x.Operation); err != nil {
		return loadgen.Result{}, err
	}
	return loadgen.RunWorkers(ctx, pid, x, func(i int) (*httpWorker, error) {
		w, err := newHTTPWorker(t, x.Operation, i+1)
		if err == nil {
			err = w.conn.SetDeadline(time.Now().Add(answerTimeout))
		}
		return w, err
	})
}

// load makes the table and puts all items into it, over eight connections.
func (t target) load() error {
	_, err := t.call("CreateTable", `{"TableName":"`+tableName+
		`","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],`+
		`"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`)
	if err != nil {
		return fmt.Errorf("making the table: %w", err)
	}
	if err := t.waitActive(); err != nil {
		return err
	}
	const connections = 8
	var group loadgen.Group
	for i := range connections {
		group.Run(func() error { return t.loadPart(i, connections) })
	}
	return group.Wait()
}

func (t target) loadPart(part, parts int) error {
	w, err := newHTTPWorker(t, opBatch, 0)
	if err != nil {
		return err
	}
	defer w.Close()
	for partition := part; partition < t.partitions; partition += parts {
		for sort := 0; sort < partitionItems; sort += batchItems {
			w.request.fill(partition, sort, partition*partitionItems+sort)
			if err := w.send(); err != nil {
				return fmt.Errorf("loading: %w", err)
			}
		}
	}
	return nil
}

func (t target) waitActive() error {
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
		a, err := t.call("DescribeTable", `{"TableName":"`+tableName+`"}`)
		if err != nil {
			return err
		}
		if bytes.Contains(a.Body, []byte(`"ACTIVE"`)) {
			return nil
		}
	}
	return errors.New("the table is not active after 10 s")
}
