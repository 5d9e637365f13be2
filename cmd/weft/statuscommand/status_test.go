// SPDX-License-Identifier: Apache-2.0

package statuscommand

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// answers are those of an admin port. Each question about the overview finds a second and ten requests more.
func answers() func(ctx context.Context, addr, target string) (io.ReadCloser, error) {
	asked := 0
	return func(_ context.Context, _, target string) (io.ReadCloser, error) {
		text := map[string]string{
			"/api/server": `{"version":"1.2.3","pid":77,"engine":"pebble","data":"/data",
				"endpoints":{"dynamodb":"http://127.0.0.1:8000","mysql":"127.0.0.1:33060"}}`,
			"/api/tables": `[{"indexes":[{"entries":135233,"bytes":9000000},{"entries":200,"bytes":1000}]},
				{"indexes":[{"entries":1,"bytes":10}]}]`,
			"/api/work": `[{"kind":"index build","database":"default","table":"cities","object":"by-name","state":"running",
				"rows":1200,"rowsExpected":5000},{"kind":"backup of the whole database","state":"running","bytes":4096},{"kind":"index build","table":"cities","state":"done","rows":1}]`,
			"/hot?format=json": `{"findings":[{"kind":"even","table":"t","text":"All is well."},
				{"kind":"hot-row","table":"cities","warning":true,"text":"One row gets half."}]}`,
			"/metrics": "# HELP weft_search_lag_seconds x\n" +
				"weft_search_lag_seconds{database=\"shop\",table=\"articles\"} 2.5\nweft_ship_behind_seconds 0\n" +
				"weft_gateway_has_lease 1\nweft_gateway_lease_age_seconds 1.25\n" +
				"weft_gateway_owns_work{work=\"expiry\"} 1\nweft_gateway_owns_work{work=\"jobs\"} 1\n" +
				"weft_throttle_events_total{effect=\"reported\",index=\"\",reason=\"TableReadProvisionedThroughputExceeded\",table=\"t\"} 1200\n" +
				"weft_throttle_events_total{effect=\"reported\",index=\"i\",reason=\"IndexReadProvisionedThroughputExceeded\",table=\"t\"} 34\n",
		}[target]
		if target == "/api/overview" {
			asked++
			text = fmt.Sprintf(`{"at":%d,"protocols":{"dynamodb":{"requests":%d,"refused":2,"connections":3,"within":[%d,%d]}},
				"bounds":[0.001,0.01],"gauges":{"startedSeconds":0,"diskBytes":1048576,"memoryBytes":2048},
				"memory":{"blocks":3221225472,"writes":134217728,"requests":0},
				"watched":{"disk":0.9,"files":0.1}}`, 1000*(3600+asked), 10*asked, 9*asked, 10*asked)
		}
		if text == "" {
			return nil, fmt.Errorf("nobody asks for %s", target)
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

func TestStatus(t *testing.T) {
	const want = `weft 1.2.3, engine pebble in /data, process 77, up 60 min, ready
listens   dynamodb      http://127.0.0.1:8000
          mysql         127.0.0.1:33060
size      2 tables with about 140,000 rows, 1 index with about 200 entries, about 8.6 MiB
          disk: 1.0 MiB, 0 B free
          memory: 2.0 KiB in all
          memory: at most 3.1 GiB: 3.0 GiB blocks, 128 MiB writes
          disk: 90 % in use
load      dynamodb      3 connections, 10 requests/s, p50 1ms, p99 10ms at most; since the start 0 failed, 2 refused
          throttled     since the start 1,234 reads and writes over the throughput of their tables, reported
gateway   its lease was renewed 1.2 s ago; it does for all: expiry, jobs
lag       search indexes of shop.articles: 2.5 s
work      index build of cities, by-name, running: 1,200 rows of about 5,000
          backup of the whole database, running, 4.0 KiB done
findings  WARNING: hot-row, cities: One row gets half.
          weft hot says what to do
`
	var out strings.Builder
	h := &Host{Stdout: &out, Get: answers(), Signals: context.WithCancel}
	if err := h.Command().ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &out, want)
	}
	out.Reset()
	c := h.Command()
	c.SetArgs([]string{"--json"})
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var s Status
	if err := json.Unmarshal([]byte(out.String()), &s); err != nil || s.Text() != want {
		t.Errorf("%v, JSON has:\n%s", err, s.Text())
	}
}

// TestWatch: screens follow each other until the user ends them.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	h := &Host{Stdout: &out}
	get, screens := answers(), 0
	a := &asker{get: func(ctx context.Context, target string) (io.ReadCloser, error) {
		if target == "/metrics" {
			if screens++; screens == 3 {
				cancel()
			}
		}
		return get(ctx, "", target)
	}}
	if err := h.watch(ctx, a, 1, true); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 2 {
		t.Errorf("%d lines:\n%s", lines, &out)
	}
}

// TestNotReady: a server that is starting, or can't go on, says so.
func TestNotReady(t *testing.T) {
	a := &asker{get: func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(`{"at":1000,"gauges":{"startedSeconds":0},"ready":"starting"}`)), nil
	}}
	s, err := a.read(t.Context())
	if err != nil || !strings.Contains(s.Text(), "NOT READY: starting") {
		t.Errorf("%v, %s", err, s.Text())
	}
}
