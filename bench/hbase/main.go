// SPDX-License-Identifier: Apache-2.0

// Command hbase measures HBase's Thrift2 API beside DynamoDB's on rows of the same keys and values: reads and writes of a row, writes of 100 rows, and
// scans of 1,000. It starts the binary of this tree on a new folder.
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
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

const (
	columns   = 5
	batchRows = 100
	scanRows  = 1000
	table     = "bench"
)

type config struct {
	rows, clients, rounds int
	seconds               float64
	only                  string // the operation that is measured; empty: all
	hbase                 string // address of HBase's own server, if it is measured, too
	hbasePID              int
}

func main() {
	c := config{}
	flag.IntVar(&c.rows, "rows", 100_000, "rows of the table")
	flag.IntVar(&c.clients, "clients", 16, "clients that ask at the same time")
	flag.IntVar(&c.rounds, "rounds", 3, "how often each cell is measured; the median is printed")
	flag.Float64Var(&c.seconds, "seconds", 3, "how long each cell takes")
	flag.StringVar(&c.only, "only", "", "measure only the operation of this name, such as 'put of 100 rows'")
	flag.StringVar(&c.hbase, "hbase", "", "address of the Thrift2 sockets of HBase itself, to be measured as well: see test/clients/hbase/Standalone.java")
	flag.IntVar(&c.hbasePID, "hbase-pid", 0, "the process of HBase")
	flag.Parse()
	if err := run(context.Background(), &c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// server is the binary with its addresses.
type server struct {
	command           *exec.Cmd
	dynamodb, thrift2 string
}

func start(ctx context.Context, dir string) (*server, error) {
	binary, err := loadgen.BuildWeft(dir, false)
	if err != nil {
		return nil, err
	}
	s := &server{}
	dynamodb, err := loadgen.FreeAddress()
	thrift2, err2 := loadgen.FreeAddress()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	s.dynamodb, s.thrift2 = dynamodb, thrift2
	s.command = exec.CommandContext(ctx, binary, "serve", "--data", filepath.Join(dir, "data"), "--mysql-addr", "off", "--admin-addr", "off", "--log-level", "warn",
		"--dynamodb-addr", dynamodb, "--hbase-addr", thrift2)
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for range 200 {
		if conn, err := net.Dial("tcp", thrift2); err == nil {
			return s, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.New("the server did not start")
}

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
	text, err := w.ask("Scan", fmt.Sprintf(`{"TableName":"items","Limit":%d,"ExclusiveStartKey":%s}`, scanRows, keyOf(row)))
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
func (c *config) fillItems(s *server) error {
	d := &httpWorker{url: "http://" + s.dynamodb}
	_, err := d.ask("CreateTable", `{"TableName":"items","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"ROW","AttributeType":"B"}],"KeySchema":[{"AttributeName":"ROW","KeyType":"HASH"}]}`)
	for row := 0; err == nil && row < c.rows; row += batchRows {
		err = d.batch(row)
	}
	return err
}

// cell is one operation of all clients for a while: calls a second, and the server's processor time for each.
func (c *config) cell(pid int, open func() (worker, error), do func(w worker, row int) error) (rate, cpu float64, err error) {
	var calls atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, c.clients)
	workers := make([]worker, c.clients)
	for i := range workers {
		if workers[i], err = open(); err != nil {
			return 0, 0, err
		}
	}
	loadgen.Settle(pid)
	begun, before := time.Now(), loadgen.CPU(pid)
	end := begun.Add(time.Duration(c.seconds * float64(time.Second)))
	for i, w := range workers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for errs[i] == nil && time.Now().Before(end) {
				errs[i] = do(w, random.IntN(c.rows-scanRows-1))
				calls.Add(1)
			}
		})
	}
	group.Wait()
	took, used := time.Since(begun).Seconds(), loadgen.CPU(pid)-before
	for _, w := range workers {
		errs = append(errs, w.Close())
	}
	n := float64(calls.Load())
	return n / took, used * 1e6 / n, errors.Join(errs...)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func run(ctx context.Context, c *config, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "weft-bench-hbase-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := start(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = s.command.Process.Kill(); _ = s.command.Wait() }()
	peers := []peer{
		{"Thrift2", s.command.Process.Pid, func() (worker, error) { return newThrift(s.thrift2, true) }},
		{"DynamoDB", s.command.Process.Pid, func() (worker, error) { return &httpWorker{url: "http://" + s.dynamodb}, nil }},
	}
	if err := errors.Join(c.fill(s.thrift2, true), c.fillItems(s)); err != nil {
		return err
	}
	if c.hbase != "" {
		if err := c.fill(c.hbase, false); err != nil {
			return fmt.Errorf("HBase: %w", err)
		}
		peers = append(peers, peer{"HBase", c.hbasePID, func() (worker, error) { return newThrift(c.hbase, false) }})
	}
	return c.compare(peers, out)
}

// peer is an API of a server.
type peer struct {
	name string
	pid  int
	open func() (worker, error)
}

// compare measures each operation on all peers in turn.
func (c *config) compare(peers []peer, out io.Writer) error {
	fmt.Fprintf(out, "| %d clients, %d rows |", c.clients, c.rows)
	for _, p := range peers {
		fmt.Fprintf(out, " %s/s | its server CPU µs |", p.name)
	}
	fmt.Fprintf(out, " CPU, Thrift2 to DynamoDB |\n|---|%s--:|\n", strings.Repeat("--:|--:|", len(peers)))
	for _, o := range []struct {
		name string
		do   func(w worker, row int) error
	}{{"get", worker.get}, {"put", worker.put}, {"put of 100 rows", worker.batch}, {"scan of 1,000 rows", worker.scan}} {
		if c.only != "" && c.only != o.name {
			continue
		}
		rates, cpus := make([][]float64, len(peers)), make([][]float64, len(peers))
		for range c.rounds {
			for i, p := range peers {
				rate, cpu, err := c.cell(p.pid, p.open, o.do)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", p.name, o.name, err)
				}
				rates[i], cpus[i] = append(rates[i], rate), append(cpus[i], cpu)
			}
		}
		fmt.Fprintf(out, "| %s |", o.name)
		for i := range peers {
			fmt.Fprintf(out, " %s | %s |", loadgen.Figure(median(rates[i])), loadgen.Figure(median(cpus[i])))
		}
		fmt.Fprintf(out, " %.2f |\n", median(cpus[0])/median(cpus[1]))
	}
	return nil
}
