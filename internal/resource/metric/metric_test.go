// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/datadriven"
	dto "github.com/prometheus/client_model/go"
)

// dump prints the metrics of a Set whose name begins with prefix, one series a line, sorted.
func dump(t *testing.T, s *Set, prefix string) string {
	t.Helper()
	families, err := s.Gatherer().Gather()
	if err != nil {
		return err.Error() + "\n"
	}
	var lines []string
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), prefix) {
			continue
		}
		for _, m := range family.GetMetric() {
			var labels []string
			for _, label := range m.GetLabel() {
				labels = append(labels, label.GetName()+"="+label.GetValue())
			}
			lines = append(lines, fmt.Sprintf("%s{%s} %s", family.GetName(), strings.Join(labels, ","), number(m)))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n") + "\n"
}

func number(m *dto.Metric) string {
	if h := m.GetHistogram(); h != nil {
		first := math.Inf(1)
		for _, bucket := range h.GetBucket() {
			if bucket.GetCumulativeCount() > 0 {
				first = math.Min(first, bucket.GetUpperBound())
			}
		}
		return fmt.Sprintf("count %d, sum %g, least within %g", h.GetSampleCount(), h.GetSampleSum(), first)
	}
	return fmt.Sprint(m.GetCounter().GetValue() + m.GetGauge().GetValue())
}

// TestCounting plays events on a Set and prints what it shows.
func TestCounting(t *testing.T) {
	set := New(Build{Version: "1.2.3", Revision: "abc", GoVersion: "go1.0"})
	datadriven.RunTest(t, "testdata/counting.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "new":
			set = New(Build{Version: "1.2.3", Revision: "abc", GoVersion: "go1.0"})
			return ""
		case "show":
			return dump(t, set, d.CmdArgs[0].Key)
		case "connect":
			set.Protocol(d.CmdArgs[0].Key).Connected()
			return ""
		case "disconnect":
			set.Protocol(d.CmdArgs[0].Key).Disconnected()
			return ""
		case "panic":
			set.Protocol(d.CmdArgs[0].Key).Panicked()
			return ""
		case "begin":
			set.Protocol(d.CmdArgs[0].Key).Operation(d.CmdArgs[1].Key).Begin()
			return ""
		case "end":
			operation := set.Protocol(d.CmdArgs[0].Key).Operation(d.CmdArgs[1].Key)
			request, examined, returned := scanRequest(t, d)
			operation.Read(examined, returned)
			operation.End(request)
			return ""
		case "walked":
			var n [3]int64
			for i, arg := range d.CmdArgs[2:] {
				n[i], _ = strconv.ParseInt(arg.Vals[0], 10, 64)
			}
			set.Protocol(d.CmdArgs[0].Key).Walks(d.CmdArgs[1].Key).Walked(n[0], n[1], n[2])
			return ""
		case "engine":
			stats := EngineStats{ReadOnly: true,
				LogSyncs: Durations{Count: 4, Seconds: 0.5, Bounds: []float64{0.001, 0.01}, Within: []int64{0, 3}}}
			v := reflect.ValueOf(&stats).Elem()
			for i := range v.NumField() {
				if v.Field(i).Kind() == reflect.Int64 {
					v.Field(i).SetInt(int64(i + 1))
				}
			}
			set.ObserveEngine("test", func() EngineStats { return stats })
			return ""
		case "heat":
			set.ObserveHeat(func() HeatStats {
				return HeatStats{[]HeatFinding{{"hot-row", "orders", "", 1}, {"even", "orders", "by-time", 0}},
					[]HeatRate{{"orders", "", 10, 20}}}
			})
			return ""
		case "watched":
			set.ObserveWatched(func() []Watch {
				return []Watch{Share("cpu", 0.5), Share("disk", 0.75), Share("network", 0.96), Files(49),
					{What: "compaction", Ratio: 0.1}}
			})
			return ""
		case "dead":
			set.Entries("orders", "", 10, 5)
			set.Entries("orders", "", 0, 15)
			set.Entries("orders", "by-time", 0, 3)
			return ""
		case "gateway":
			set.ObserveGateway(func() GatewayStats {
				return GatewayStats{HasLease: true, AgeSeconds: 1.5, Lost: 2, Generation: 70,
					Works: []string{"expiry", "jobs"}}
			})
			return ""
		case "jobs":
			jobs := []JobStats{{Job: "index build", Table: "cities", Object: "by_name", Done: 5, Expected: 10},
				{Job: "expiry", Table: "cities", Done: 1}}
			set.ObserveJobs(func() []JobStats { return jobs })
			return ""
		}
		d.Fatalf(t, "no command %s", d.Cmd)
		return ""
	})
}

func scanRequest(t *testing.T, d *datadriven.TestData) (r Request, examined, returned int64) {
	for _, arg := range d.CmdArgs[2:] {
		n, err := strconv.ParseFloat(arg.Vals[0], 64)
		if err != nil {
			d.Fatalf(t, "%s: %v", arg.Key, err)
		}
		switch arg.Key {
		case "outcome":
			r.Outcome = Outcome(n)
		case "seconds":
			r.Seconds = n
		case "in":
			r.BytesIn = int64(n)
		case "out":
			r.BytesOut = int64(n)
		case "examined":
			examined = int64(n)
		case "returned":
			returned = int64(n)
		case "failed":
			r.ConditionFailed = int64(n)
		}
	}
	return r, examined, returned
}

// TestConcurrent counts from many goroutines; nothing may be lost, also while an outcome is first seen.
func TestConcurrent(t *testing.T) {
	const goroutines, each = 8, 500
	set := New(Build{})
	operation := set.Protocol("d").Operation("o")
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for i := range each {
				operation.Begin()
				operation.End(Request{Outcome: Outcome(i % int(outcomes)), BytesIn: 2})
			}
		})
	}
	group.Wait()
	for want, prefix := range map[string]string{
		"weft_request_bytes_total{operation=o,protocol=d} 8000\n": "weft_request_bytes",
		"weft_requests_in_flight{protocol=d} 0\n":                 "weft_requests_in",
	} {
		if got := dump(t, set, prefix); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	total := 0
	for _, line := range strings.Split(strings.TrimSpace(dump(t, set, "weft_requests_total")), "\n") {
		n, err := strconv.Atoi(line[strings.LastIndexByte(line, ' ')+1:])
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if total != goroutines*each {
		t.Errorf("%d requests counted, want %d", total, goroutines*each)
	}
}

// TestCountingAllocatesNothing guards the hot path.
func TestCountingAllocatesNothing(t *testing.T) {
	operation := New(Build{}).Protocol("d").Operation("o")
	request := Request{Seconds: 0.001, BytesIn: 10, BytesOut: 20}
	operation.End(request)
	if n := testing.AllocsPerRun(100, func() {
		operation.Begin()
		operation.End(request)
		operation.Read(3,
			1)
	}); n > 0 {
		t.Errorf("%v allocations a request, want none", n)
	}
}

// TestNames compares the declarations with what a Set shows, so that none is declared in vain or shown undeclared.
func TestNames(t *testing.T) {
	set := New(Build{})
	protocol := set.Protocol("d")
	protocol.Connected()
	protocol.Operation("o").End(Request{})
	protocol.Walks("o").Walked(1, 1, 1)
	statements := set.SQL()
	statements.Planned(true)
	statements.Planned(false)
	statements.Written("o")(1)
	set.Expired("t", 1)
	set.Entries("t", "by_a", 2, 3)
	set.SQLFailed(1064)
	throughput := set.Throughput(true)
	throughput.Refused("t", "o")
	throughput.Throttled("t", "", "r")
	throughput.Consumed("t", "", "Read", 0.5)
	set.ObserveEngine("e", func() EngineStats { return EngineStats{} })
	set.ObserveJobs(func() []JobStats { return []JobStats{{}} })
	set.ObserveSearch(func() []SearchLag { return []SearchLag{{}} })
	set.ObserveGateway(func() GatewayStats { return GatewayStats{Works: []string{"jobs"}} })
	set.ObserveShipping(func() ShippingStats { return ShippingStats{} })
	set.ObserveHeat(func() HeatStats { return HeatStats{[]HeatFinding{{}}, []HeatRate{{}}} })
	set.ObserveRegions(func() []RegionStats { return []RegionStats{{}} })
	set.ObserveWatched(func() []Watch { return []Watch{{}} })
	none := func() int64 { return 0 }
	set.ObserveSQLMemory(none, none, none)
	set.ObserveMemory([]MemoryShare{{}})
	families, err := set.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]*dto.MetricFamily{}
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "weft_") {
			shown[family.GetName()] = family
		}
	}
	for _, d := range instruments() {
		family, ok := shown[d.name]
		if !ok {
			t.Errorf("%s is declared but never shown", d.name)
			continue
		}
		delete(shown, d.name)
		if got := strings.ToLower(family.GetType().String()); got != string(d.kind) {
			t.Errorf("%s is a %s, declared as %s", d.name, got, d.kind)
		}
		if d.kind == counter != strings.HasSuffix(d.name, "_total") {
			t.Errorf("%s: counters, and only counters, end in _total", d.name)
		}
		if len(family.GetMetric()[0].GetLabel()) != len(d.labels) || d.help != family.GetHelp() {
			t.Errorf("%s differs from its declaration", d.name)
		}
	}
	for name := range shown {
		t.Errorf("%s is shown but not in instruments()", name)
	}
}

// document is the text of docs/metrics.md.
func document() string {
	var out bytes.Buffer
	fmt.Fprint(&out, `# Metrics

The admin port (`+"`--admin-addr`"+`, 127.0.0.1:8080 by default) answers `+"`GET /metrics`"+` in
Prometheus's text format. The name of a metric ends in its unit, that of a counter in `+"`_total`"+`. The
usual `+"`go_*` and `process_*`"+` metrics are also there.

This page is generated from `+"`names.go`"+` by `+"`go generate ./internal/resource/metric`"+`.

| name | kind | labels | meaning |
|---|---|---|---|
`)
	for _, d := range instruments() {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", d.name, d.kind, strings.Join(d.labels, ", "), d.help)
	}
	fmt.Fprint(&out, "\nThe label `protocol` is `dynamodb`, `mysql` or `admin`. The label `operation` is the\nprotocol's own name for the request.\n"+
		"The label `outcome` is one of:\n\n")
	for o, meaning := range outcomeMeanings {
		fmt.Fprintf(&out, "- `%s`: %s\n", Outcome(o), meaning)
	}
	fmt.Fprintf(&out, "\n`%s` has these buckets, in seconds:\n\n```\n%s\n```\n", requestSeconds.name,
		strings.Trim(fmt.Sprint(durationBuckets), "[]"))
	return out.String()
}

var outcomeMeanings = [outcomes]string{
	OK:       "answered; a missing item is also an answer",
	Refused:  "the client's mistake, or a condition that did not hold",
	Conflict: "a conflict with another transaction; the client may retry",
	Throttle: "a limit on rate or memory; the client should slow down",
	Canceled: "the client disconnected, or its deadline passed",
	Failed:   "the server's fault",
}

// TestDocument keeps docs/metrics.md true. With -rewrite it writes the page.
func TestDocument(t *testing.T) {
	const path = "../../../docs/metrics.md"
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != document() {
		t.Error("docs/metrics.md is not up to date: run go generate ./internal/resource/metric")
	}
}

// BenchmarkRequest measures counting one request.
func BenchmarkRequest(b *testing.B) {
	operation := New(Build{}).Protocol("d").Operation("o")
	request := Request{Seconds: 0.001, BytesIn: 10, BytesOut: 20}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			operation.Begin()
			operation.End(request)
			operation.Read(3, 1)
		}
	})
}

// TestRegions shows the largest regions where there are too many.
func TestRegions(t *testing.T) {
	set := New(Build{})
	set.ObserveRegions(func() (list []RegionStats) {
		for i := range regionsMax {
			list = append(list, RegionStats{"orders", "", strconv.Itoa(i), int64(i)})
		}
		return append(list, RegionStats{"orders", "by-time", "4.1", 1 << 20})
	})
	shown := dump(t, set, "weft_region_bytes")
	if n := strings.Count(shown, "\n"); n != regionsMax ||
		!strings.Contains(shown, "weft_region_bytes{index=by-time,region=4.1,table=orders} 1.048576e+06") ||
		strings.Contains(shown, "region=0,") {
		t.Errorf("%d regions:\n%s", n, shown)
	}
}
