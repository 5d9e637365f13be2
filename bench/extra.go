// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/pebble"
)

// runExtra measures what is no race of operations: memory, and waiting.
func runExtra(ctx context.Context, c *config, peers []loadgen.Peer, out io.Writer) error {
	for _, p := range peers {
		var err error
		switch p := p.(type) {
		case *httpPeer:
			switch p.name {
			case peerWeft:
				err = measureCities(ctx, c, out)
			case peerStreaming:
				err = measureLag(ctx, c, p, out)
			}
		case *inProcessPeer:
			err = measureWaiting(c, p, out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureWaiting reads a few items while nobody writes, while others are written, and while the same ones are written.
// Pebble shows commits that are not durable yet; Weft's reads wait for them.
func measureWaiting(c *config, p *inProcessPeer, out io.Writer) error {
	fmt.Fprintf(out, "\nReads of %d items by one client on %s, beside %d writers:\n\n", hotItems, p.name, besideClients)
	fmt.Fprintln(out, "| written meanwhile | writes/s | reads/s | p50 µs | p99 µs | p99.9 µs |\n|---|--:|--:|--:|--:|--:|")
	beside := []struct{ operation, label string }{{"", "nothing"}, {opOtherPut, "other items"},
		{opHotPut, "the same items"}}
	results, writes := make([][]loadgen.Result, len(beside)), make([][]float64, len(beside))
	for range c.Rounds {
		for i, b := range beside {
			loadgen.Settle(p.PID())
			r, err := p.order(order{Cell: loadgen.Cell{Operation: opHotGet, Clients: 1, Seconds: c.Seconds},
				Beside: b.operation})
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			results[i], writes[i] = append(results[i], r.Result), append(writes[i], r.Beside)
		}
	}
	for i, b := range beside {
		wrote, _, _ := loadgen.Middle(writes[i])
		rate := loadgen.Median(results[i], (*loadgen.Result).Rate)
		p50 := loadgen.Median(results[i], func(r *loadgen.Result) float64 { return r.P50 })
		p99 := loadgen.Median(results[i], func(r *loadgen.Result) float64 { return r.P99 })
		p999 := loadgen.Median(results[i], func(r *loadgen.Result) float64 { return r.P999 })
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", b.label, loadgen.Figure(wrote), loadgen.Figure(rate),
			loadgen.Figure(p50), loadgen.Figure(p99), loadgen.Figure(p999))
	}
	return nil
}

// measureCities has a server of its own page through all cities, and looks at how much memory that takes.
func measureCities(ctx context.Context, c *config, out io.Writer) (err error) {
	const clients, passes = 4, 3
	dir := c.folder("cities")
	if err := errors.Join(os.RemoveAll(dir), loadCities(ctx, dir)); err != nil {
		return fmt.Errorf("loading the cities: %w", err)
	}
	p, err := startWeft(ctx, c, peerWeft, dir)
	if err != nil {
		return err
	}
	if p, err = restartWeft(ctx, c, p, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	pid := p.PID()
	loadgen.Settle(pid)
	fmt.Fprintf(out, "\nScan of all %d cities, in pages of 1 MB, %d passes by each of the clients:\n\n", cities.Count,
		passes)
	fmt.Fprintln(out, "| clients | RSS idle MiB | peak RSS MiB | above idle MiB | items/s | JSON MB/s | server CPU µs/item |\n|--:|--:|--:|--:|--:|--:|--:|")
	idle := float64(loadgen.Memory(pid, "VmRSS")) / (1 << 20)
	for _, n := range []int{1, clients} {
		loadgen.ForgetPeak(pid)
		begun, cpu := time.Now(), loadgen.CPU(pid)
		size, err := scanCities(p.target, n, passes)
		if err != nil {
			return err
		}
		seconds, items := time.Since(begun).Seconds(), float64(n*passes*cities.Count)
		peak := float64(loadgen.Memory(pid, "VmHWM")) / (1 << 20)
		fmt.Fprintf(out, "| %d | %.0f | %.0f | %.0f | %s | %s | %.2f |\n", n, idle, peak, peak-idle,
			loadgen.Figure(items/seconds), loadgen.Figure(float64(size)/seconds/1e6),
			(loadgen.CPU(pid)-cpu)*1e6/items)
	}
	return nil
}

func scanCities(t target, clients, passes int) (size int64, err error) {
	sizes := make([]int64, clients)
	var group loadgen.Group
	for i := range clients {
		group.Run(func() error {
			for range passes {
				n, err := t.scanAll("cities", cities.Count)
				if err != nil {
					return err
				}
				sizes[i] += n
			}
			return nil
		})
	}
	err = group.Wait()
	for _, n := range sizes {
		size += n
	}
	return size, err
}

// scanAll pages through a table and returns the bytes of all answers.
func (t target) scanAll(table string, items int) (size int64, err error) {
	w, err := newHTTPWorker(t, opScan, 0)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	w.keep = true
	for start := ""; ; {
		w.request = newTemplate(httpRequest(t, "Scan", `{"TableName":"`+table+`"`+start+`}`))
		if err := w.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
			return 0, err
		}
		if err := w.send(); err != nil {
			return 0, err
		}
		size += int64(len(w.body))
		count, last, err := page(w.body)
		if err != nil {
			return 0, err
		}
		if items -= count; last == nil {
			break
		}
		start = `,"ExclusiveStartKey":` + string(last)
	}
	if items != 0 {
		return 0, fmt.Errorf("a scan of %s missed %d items", table, items)
	}
	return size, nil
}

// page finds the count and the last key of an answer, without decoding the items.
func page(body []byte) (count int, last json.RawMessage, err error) {
	if err = field(body, "Count", &count); err == nil && bytes.Contains(body, []byte(`"LastEvaluatedKey":`)) {
		err = field(body, "LastEvaluatedKey", &last)
	}
	return count, last, err
}

func field(body []byte, name string, into any) error {
	name = `"` + name + `":`
	i := bytes.Index(body, []byte(name))
	if i < 0 {
		return fmt.Errorf("an answer has no %s", name)
	}
	return json.NewDecoder(bytes.NewReader(body[i+len(name):])).Decode(into)
}

// loadCities makes a folder that holds the cities as weft demo does: by country and name, with three indexes.
func loadCities(ctx context.Context, dir string) (err error) {
	store, err := pebble.Open(pebble.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	db, err := database.Open(ctx, store, database.Options{Admin: store})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	kind, err := database.Part("concat(country,'#',feature_code)", schema.String)
	if err != nil {
		return err
	}
	largest, err := database.Part("desc(population)", schema.Number)
	if err != nil {
		return err
	}
	table, err := db.CreateTable(ctx, database.TableSpec{
		Name: "cities", Key: database.Columns("country", schema.String, "city", schema.String),
		Indexes: []database.IndexSpec{
			{Name: "by-population", Key: database.Columns("country", schema.String, "population", schema.Number)},
			{Name: "capitals", Key: database.Columns("capital", schema.String, "country", schema.String)},
			{Name: "by-kind", Key: []schema.KeyPart{kind, largest}},
		},
	})
	if err != nil {
		return err
	}
	pin, err := table.Pin()
	if err != nil {
		return err
	}
	defer pin.Release()
	return putCities(ctx, db, pin)
}

// putCities puts all cities, many a commit.
func putCities(ctx context.Context, db *database.DB, pin database.Pinned) error {
	var batch []database.TableWrite
	seen := map[string]int{}
	flush := func() error {
		_, err := db.WriteAll(ctx, batch)
		batch = batch[:0]
		return err
	}
	err := cities.Each(func(c cities.City) error {
		row, err := cityDocument(c, seen).AppendRow(nil, pin.Names())
		if err != nil {
			return err
		}
		batch = append(batch, database.TableWrite{Table: pin, Write: database.Write{Op: database.OpPut, Row: row}})
		if len(batch) < 500 {
			return nil
		}
		return flush()
	})
	return errors.Join(err, flush())
}

// cityDocument is the item of a city. Cities of one name in one country are distinguished by a number.
func cityDocument(c cities.City, seen map[string]int) testdoc.Document {
	key := c.Name
	if seen[c.Country+c.Name]++; seen[c.Country+c.Name] > 1 {
		key = fmt.Sprintf("%s#%d", c.Name, seen[c.Country+c.Name])
	}
	d := testdoc.Document{
		"country": c.Country, "city": key, "name": c.Name, "population": c.Population, "feature_code": c.FeatureCode,
		"lat": json.Number(c.Lat), "lon": json.Number(c.Lon),
	}
	if c.Elevation != "" {
		d["elevation"] = json.Number(c.Elevation)
	}
	if c.FeatureCode == "PPLC" {
		d["capital"] = "yes"
	}
	return d
}
