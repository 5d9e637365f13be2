// SPDX-License-Identifier: Apache-2.0

// Command hbase measures HBase's Thrift2 API beside DynamoDB's on rows of the same keys and values: reads and writes of
// a row, writes of 100 rows, and scans of 1,000. It starts the binary of this tree on a new folder.
//
// Knows: both APIs as clients see them, the server's processor time.
// Never: what the server does.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

const (
	columns   = 5
	batchRows = 100
	scanRows  = 1000
	table     = "bench"
)

type config struct {
	loadgen.Settings
	rows       int
	operations []string
	hbase      string // address of HBase's own server, if it is measured, too
	hbasePID   int
}

func main() {
	os.Exit(loadgen.Main("bench/hbase", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Settings: loadgen.Settings{Rounds: 3, Seconds: 3}}
	f := flag.NewFlagSet("hbase", flag.ContinueOnError)
	check := c.AddFlags(f, "16")
	f.IntVar(&c.rows, "rows", 100_000, "rows of the table")
	only := f.String("only", strings.Join(operationNames(), ","), "what to measure")
	f.StringVar(&c.hbase, "hbase", "",
		"address of the Thrift2 sockets of HBase itself, to be measured as well: see test/clients/hbase/Standalone.java")
	f.IntVar(&c.hbasePID, "hbase-pid", 0, "the process of HBase")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	err := check()
	if err == nil && c.rows < 2*scanRows {
		err = fmt.Errorf("--rows must be at least %d", 2*scanRows)
	}
	if err == nil {
		c.operations, err = loadgen.Choices("only", *only, operationNames())
	}
	return c, err
}

// The operations of clients, by their names in the report.
const (
	opGet   = "get"
	opPut   = "put"
	opBatch = "put of 100 rows"
	opScan  = "scan of 1000 rows"
)

func operationNames() []string { return []string{opGet, opPut, opBatch, opScan} }

// operations maps names to what is measured. // immutable
var operations = map[string]func(w worker, row int) error{opGet: worker.get, opPut: worker.put,
	opBatch: worker.batch, opScan: worker.scan}

// worker is one client of one API.
type worker interface {
	get(row int) error
	put(row int) error
	batch(row int) error
	scan(row int) error
	io.Closer
}

func key(row int) []byte { return fmt.Appendf(nil, "row-%08d", row) }

func content(row, column int) []byte { return fmt.Appendf(nil, "value-%08d-%05d", row, column) }

// httpWorker calls DynamoDB's API.
type httpWorker struct {
	client http.Client
	url    string
}

func (w *httpWorker) Close() error { w.client.CloseIdleConnections(); return nil }

func (w *httpWorker) ask(operation, body string) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature="+strings.Repeat("0", 64))
	r.Header.Set("X-Amz-Date", "20260101T000000Z")
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", operation, text)
	}
	return text, nil
}

func keyOf(row int) string {
	return `{"ROW":{"B":"` + base64.StdEncoding.EncodeToString(key(row)) + `"}}`
}

func itemOf(row int) string {
	text := strings.TrimSuffix(keyOf(row), "}")
	for i := range columns {
		text += fmt.Sprintf(`,"f:c%d":{"B":"%s"}`, i, base64.StdEncoding.EncodeToString(content(row, i)))
	}
	return text + "}"
}

func (w *httpWorker) get(row int) error {
	text, err := w.ask("GetItem", `{"TableName":"items","Key":`+keyOf(row)+`}`)
	if err == nil && !bytes.Contains(text, []byte("f:c4")) {
		err = fmt.Errorf("item %d is %s", row, text)
	}
	return err
}

func (w *httpWorker) put(row int) error {
	_, err := w.ask("PutItem", `{"TableName":"items","Item":`+itemOf(row)+`}`)
	return err
}

// batch writes the rows by 25, which is the API's limit.
func (w *httpWorker) batch(row int) error {
	const most = 25
	for begin := 0; begin < batchRows; begin += most {
		var list []string
		for i := range most {
			list = append(list, `{"PutRequest":{"Item":`+itemOf(row+begin+i)+`}}`)
		}
		if _, err := w.ask("BatchWriteItem", `{"RequestItems":{"items":[`+strings.Join(list, ",")+`]}}`); err != nil {
			return err
		}
	}
	return nil
}

func (w *httpWorker) scan(row int) error {
	text, err := w.ask("Scan", fmt.Sprintf(`{"TableName":"items","Limit":%d,"ExclusiveStartKey":%s}`, scanRows,
		keyOf(row)))
	if err != nil {
		return err
	}
	var answer struct{ Count int }
	if err := json.Unmarshal(text, &answer); err != nil || answer.Count != scanRows {
		return fmt.Errorf("a scan has %d items: %w", answer.Count, err)
	}
	return nil
}

// fill makes the table and its rows over Thrift2.
func (c *config) fill(addr string, framed bool) error {
	w, err := newThrift(addr, framed)
	if err != nil {
		return err
	}
	defer w.Close()
	err = w.createTable()
	for row := 0; err == nil && row < c.rows; row += batchRows {
		err = w.batch(row)
	}
	return err
}

// fillItems does the same over DynamoDB's API.
func (c *config) fillItems(addr string) error {
	d := &httpWorker{url: "http://" + addr}
	_, err := d.ask("CreateTable", `{"TableName":"items","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"ROW","AttributeType":"B"}],"KeySchema":[{"AttributeName":"ROW","KeyType":"HASH"}]}`)
	for row := 0; err == nil && row < c.rows; row += batchRows {
		err = d.batch(row)
	}
	return err
}

// peer is an API of a server. Closing it ends the server, unless that is HBase's or another peer's.
type peer struct {
	name   string
	pid    int
	rows   int
	open   func() (worker, error)
	server *loadgen.Server // nil: it is not this peer's to profile and to end
}

// Name implements loadgen.Peer.
func (p *peer) Name() string { return p.name }

// PID implements loadgen.Peer.
func (p *peer) PID() int { return p.pid }

// Run implements loadgen.Peer.
func (p *peer) Run(ctx context.Context, x loadgen.Cell) (loadgen.Result, error) {
	return loadgen.RunWorkers(ctx, p.pid, x, func(i int) (*asker, error) {
		w, err := p.open()
		return &asker{w, operations[x.Operation], rand.New(rand.NewPCG(uint64(i), 1)), p.rows - scanRows - 1}, err
	})
}

// Profile implements loadgen.Peer.
func (p *peer) Profile(path string) error {
	if p.server == nil {
		return nil
	}
	return p.server.Profile(path)
}

// Close implements loadgen.Peer.
func (p *peer) Close() error {
	if p.server == nil {
		return nil
	}
	return p.server.Close()
}

// asker asks for random rows.
type asker struct {
	worker
	do     func(w worker, row int) error
	random *rand.Rand
	rows   int
}

// Do implements loadgen.Worker.
func (a *asker) Do() error { return a.do(a.worker, a.random.IntN(a.rows)) }

// The peers, as they are called in the report.
const (
	peerThrift = "Thrift2"
	peerDynamo = "DynamoDB"
	peerHBase  = "HBase"
)

// start starts the binary on a new folder and fills its tables.
func (c *config) start(ctx context.Context) (peers []*peer, err error) {
	if err := c.Build(); err != nil {
		return nil, err
	}
	thrift, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	s, err := c.StartWeft(ctx, filepath.Join(c.Dir, "data"), "64MiB", "--dynamodb-addr",
		func(string) error { return loadgen.Listens(thrift) }, "--hbase-addr", thrift)
	if err != nil {
		return nil, err
	}
	peers = []*peer{
		{peerThrift, s.PID(), c.rows, func() (worker, error) { return newThrift(thrift, true) }, s},
		{peerDynamo, s.PID(), c.rows, func() (worker, error) {
			return &httpWorker{url: "http://" + s.Address},
				nil
		}, nil},
	}
	err = errors.Join(c.fill(thrift, true), c.fillItems(s.Address))
	if c.hbase != "" && err == nil {
		err = c.fill(c.hbase, false)
		peers = append(peers, &peer{peerHBase, c.hbasePID, c.rows, func() (worker,
			error) {
			return newThrift(c.hbase, false)
		}, nil})
	}
	return peers, err
}

func run(ctx context.Context, c *config, out io.Writer) (err error) {
	remove, err := c.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	peers, err := c.start(ctx)
	defer func() { err = errors.Join(err, loadgen.Close(peers)) }()
	if err != nil {
		return err
	}
	cells := loadgen.Comparison{Peers: []string{peerThrift, peerDynamo, peerHBase}, Operations: c.operations,
		Clients: func(string) []int { return c.Clients },
		Pairs:   [][2]string{{peerThrift, peerDynamo}, {peerThrift, peerHBase}}}
	if err := loadgen.Measure(ctx, &cells, &c.Settings, peers); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d rows.\n", &c.Settings, c.rows)
	cells.Write(out)
	return nil
}
