// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/sql/result"
)

// The demo's load is light: what one processor does in a few milliseconds of each second.
const (
	demoRequestPause   = 30 * time.Millisecond
	demoStatementPause = 400 * time.Millisecond
	demoTimeout        = 10 * time.Second
	demoCustomers      = 400
)

// demoLoad sends requests such as programs send, so that the pages of the console have something to show: to the
// cities, to orders, whose customers are spread evenly, and to events, whose ids grow.
type demoLoad struct {
	server *server
	url    string // of DynamoDB's port; "" if it is off
	random *rand.Rand
	places []cities.City // of which some are asked for more often than others
	often  *rand.Zipf
	event  int64
}

// startDemoLoad makes the tables and sends requests until stop is called.
func startDemoLoad(ctx context.Context, s *server) (stop func(), err error) {
	db := s.database.(*openedDatabase).db
	for _, spec := range []database.TableSpec{
		{Name: "orders", Key: database.Columns("customer", schema.String, "placed", schema.String),
			Indexes: []database.IndexSpec{{Name: "by-city",
				Key: database.Columns("city", schema.String, "placed", schema.String)}}},
		{Name: "events", Key: database.Columns("id", schema.Number)},
	} {
		if _, err := db.CreateTable(heat.OwnWork(ctx), spec); err != nil &&
			database.KindOf(err) != database.KindExists {
			return nil, err
		}
	}
	l := &demoLoad{server: s, random: rand.New(rand.NewPCG(1, 2)), event: time.Now().UnixMilli()}
	for _, d := range s.protocols {
		if d.Name() == "dynamodb" {
			l.url = map[bool]string{true: "https://", false: "http://"}[s.tls != nil] + d.Addr().String()
		}
	}
	if err := cities.Each(func(c cities.City) error {
		if c.Population > 500_000 {
			l.places = append(l.places, c)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	l.random.Shuffle(len(l.places), func(i, j int) { l.places[i], l.places[j] = l.places[j], l.places[i] })
	l.often = rand.NewZipf(l.random, 1.3, 4, uint64(len(l.places)-1))
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	if l.url != "" && s.tls == nil {
		running.Go(func() { l.sendRequests(ctx) })
	}
	running.Go(func() { l.runStatements(ctx) })
	return func() { cancel(); running.Wait() }, nil
}

// sendRequests sends requests of DynamoDB's API, one after the other.
func (l *demoLoad) sendRequests(ctx context.Context) {
	ticker := time.NewTicker(demoRequestPause)
	defer ticker.Stop()
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		operation, body := l.next()
		err := l.send(ctx, operation, body)
		if err != nil && !failed && ctx.Err() == nil {
			// once is enough
			l.server.log.Warn("a request of the demo's load failed", "operation", operation, "error", err)
		}
		failed = failed || err != nil
	}
}

// next makes up a request.
func (l *demoLoad) next() (operation string, body map[string]any) {
	place := l.places[l.often.Uint64()]
	text := func(s string) map[string]any { return map[string]any{"S": s} }
	number := func(n any) map[string]any { return map[string]any{"N": fmt.Sprint(n)} }
	now := time.Now().UTC() // lint:clock orders have the time of day
	switch n := l.random.IntN(100); {
	case n < 40:
		return "GetItem", map[string]any{"TableName": demoTable,
			"Key": map[string]any{"country": text(place.Country), "city": text(place.Name)}}
	case n < 50:
		return "Query", map[string]any{"TableName": demoTable, "IndexName": "by-population", "ScanIndexForward": false,
			"Limit":                     10,
			"KeyConditionExpression":    "country = :c",
			"ExpressionAttributeValues": map[string]any{":c": text(place.Country)}}
	case n < 55:
		lat, lon := l.random.Float64()*100-45, l.random.Float64()*340-170
		return "Scan", map[string]any{"TableName": demoTable, "IndexName": "by-place", "Select": "COUNT",
			"FilterExpression": "lat BETWEEN :s AND :n AND lon BETWEEN :w AND :e AND population > :p",
			"ExpressionAttributeValues": map[string]any{":s": number(lat), ":n": number(lat + 4), ":w": number(lon),
				":e": number(lon + 6), ":p": number(100_000)}}
	case n < 80:
		return "PutItem", map[string]any{"TableName": "orders", "Item": map[string]any{
			"customer": text(fmt.Sprintf("c%04d", l.random.IntN(demoCustomers))),
			"placed":   text(now.Format("2006-01-02T15:04:05.000")),
			"city":     text(place.Name), "amount": number(fmt.Sprintf("%.2f", 5+l.random.ExpFloat64()*40)),
			"items": number(1 + l.random.IntN(5))}}
	}
	l.event++
	return "PutItem", map[string]any{"TableName": "events",
		"Item": map[string]any{"id": number(l.event), "kind": text([]string{"view", "search", "buy"}[l.random.IntN(3)]),
			"at": text(now.Format(time.RFC3339))}}
}

func (l *demoLoad) send(ctx context.Context, operation string, body map[string]any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z")) // lint:clock a date of the protocol
	r.Header.Set("Authorization", formOfSignature)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, adminBytesMax))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(string(content))
	}
	return err
}

// runStatements runs statements of SQL, one after the other.
func (l *demoLoad) runStatements(ctx context.Context) {
	statements := []string{
		"SELECT country, city, population FROM cities WHERE lat BETWEEN 43.5 AND 48.5 AND lon BETWEEN 5 AND 16.5 AND population > 500000",
		"SELECT country, city FROM cities WHERE country = 'CH' AND city = 'Bern'",
		"SELECT country, city, population FROM cities WHERE MATCH(name) AGAINST ('san jose') ORDER BY population DESC LIMIT 5",
	}
	ticker := time.NewTicker(demoStatementPause)
	defer ticker.Stop()
	session, err := l.server.sql.engine.Open(ctx,
		result.Login{User: "demo", Host: "localhost", Database: database.DefaultDatabase})
	if err != nil {
		return // the engine is ending
	}
	defer session.Close()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		text := []byte(statements[i%len(statements)])
		if err := session.Query(ctx, text, result.Nowhere{}); err != nil && ctx.Err() == nil {
			l.server.log.Warn("a statement of the demo's load failed, and it sends no more", "error", err)
			return
		}
	}
}
