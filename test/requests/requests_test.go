// SPDX-License-Identifier: Apache-2.0

package requests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tikv/client-go/v2/tikvrpc"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// costs is a database over a cluster, whose requests are counted.
type costs struct {
	t       *testing.T
	cluster *tikvtest.Cluster
	store   *tikv.Store
	api     *dynamodb.API
	hbase   *hbase.API
	session *sql.Session
}

// openCosts makes tables of a hundred rows in one region each, and their indexes in regions of their own.
func openCosts(t *testing.T) *costs { return openCostsWith(t, tikv.Options{}) }

func openCostsWith(t *testing.T, options tikv.Options) *costs {
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cluster.Close() })
	store, err := cluster.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	db, err := database.Open(t.Context(), store, database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler),
		Gateway: gateway.Settings{Lease: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	session, err := sql.New(sql.Options{DB: db}).Open(t.Context(), result.Login{User: "root",
		Database: database.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	c := &costs{t: t, cluster: cluster, store: store, api: &dynamodb.API{DB: db},
		hbase: &hbase.API{DB: db}, session: session}
	c.fill()
	return c
}

func (c *costs) fill() {
	c.call("CreateTable", `{"TableName":"plain","BillingMode":"PAY_PER_REQUEST",
		"KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],
		"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}]}`)
	c.call("CreateTable", `{"TableName":"indexed","BillingMode":"PAY_PER_REQUEST",
		"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],
		"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
		"GlobalSecondaryIndexes":[{"IndexName":"byg","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
			"Projection":{"ProjectionType":"ALL"}}]}`)
	c.query("CREATE TABLE s (id BIGINT PRIMARY KEY, a BIGINT, lat DOUBLE, lon DOUBLE, words TEXT, pad VARCHAR(100), KEY a (a), FULLTEXT KEY w (words), KEY z (ZORDER(lat, lon)))")
	c.query("CREATE TABLE u (id BIGINT PRIMARY KEY, s BIGINT)")
	for i := range 200 {
		c.call("PutItem", fmt.Sprintf(`{"TableName":"plain","Item":{"k":{"S":"a"},"n":{"N":"%d"},"v":{"S":"x"}}}`, i))
		c.query(fmt.Sprintf("INSERT INTO s VALUES (%d, %d, %d, %d, 'common word%d', REPEAT('x', 100))", i, i%2, i%20, i/20, i))
		c.query(fmt.Sprintf("INSERT INTO u VALUES (%d, %d)", i, 199-i))
	}
	c.fillCells()
	c.split()
}

// fillCells makes a table of HBase with an index.
func (c *costs) fillCells() {
	name, column := cellsName(), hbase.Column{Family: []byte("f"), Qualifier: []byte("a")}
	cells := hbase.Table{TableName: name, Families: []hbase.Family{{Name: "f", Versions: 1}}}
	err := c.hbase.CreateTable(c.t.Context(), &cells, nil)
	for i := range 100 {
		put := &hbase.Put{Row: rowName(i), Cells: []hbase.CellWrite{{Column: column, Value: []byte("x")}}}
		err = errors.Join(err, c.hbase.Put(c.t.Context(), name, []*hbase.Put{put}))
	}
	table, tableErr := c.api.DB.Table("cells")
	if err = errors.Join(err, tableErr); err != nil {
		c.t.Fatal(err)
	}
	spec := database.IndexSpec{Name: "bya", Key: database.Columns("f:a", schema.Binary)}
	err = table.AddIndex(c.t.Context(), spec)
	if err = errors.Join(err, table.WaitIndex(c.t.Context(), "bya")); err != nil {
		c.t.Fatal(err)
	}
}

func cellsName() hbase.TableName {
	return hbase.TableName{Namespace: database.DefaultDatabase, Name: "cells"}
}

func rowName(i int) []byte { return fmt.Appendf(nil, "row%03d", i) }

// getMultiple reads the first n rows of the table of HBase.
func (c *costs) getMultiple(n int) {
	c.t.Helper()
	gets := make([]*hbase.Get, n)
	for i := range gets {
		gets[i] = &hbase.Get{Row: rowName(i)}
	}
	results, err := c.hbase.GetMultiple(c.t.Context(), cellsName(), gets)
	if err != nil || len(results) != n || len(results[n-1].Cells) != 1 {
		c.t.Fatal(len(results), err)
	}
}

// walkCells reads the table of HBase by its index.
func (c *costs) walkCells() {
	c.t.Helper()
	table, err := c.api.DB.Table("cells")
	if err != nil {
		c.t.Fatal(err)
	}
	rows, q := 0, database.Query{Index: "bya", Where: govalue.Attribute("f:a").Equal([]byte("x"))}
	err = testdoc.Each(c.t.Context(), table, q, func(testdoc.Document) bool { rows++; return true })
	if err != nil || rows != 100 {
		c.t.Fatal(rows, err)
	}
}

// split cuts the regions of indexes from those of rows.
func (c *costs) split() {
	var keys [][]byte
	for _, name := range []string{"plain", "indexed", "s", "u", "cells"} {
		table, err := c.api.DB.Table(name)
		if err != nil {
			c.t.Fatal(err)
		}
		pin, err := table.Pin()
		if err != nil {
			c.t.Fatal(err)
		}
		keys = append(keys, keyspace.AppendRows(nil, pin.Descriptor().ID, 0))
		for _, x := range pin.Descriptor().Indexes {
			keys = append(keys, keyspace.AppendRows(nil, pin.Descriptor().ID, x.ID))
		}
		pin.Release()
	}
	if err := c.store.Split(c.t.Context(), keys); err != nil {
		c.t.Fatal(err)
	}
}

// call does an operation of DynamoDB.
func (c *costs) call(operation, body string) {
	c.t.Helper()
	if _, err := c.api.Do(c.t.Context(), operation, []byte(body), nil); err != nil {
		c.t.Fatalf("%s: %v", operation, err)
	}
}

// query runs a statement and returns how many rows it has.
func (c *costs) query(statement string) (rows int) {
	c.t.Helper()
	var counted counter
	if err := c.session.Query(c.t.Context(), []byte(statement), &counted); err != nil {
		c.t.Fatalf("%s: %v", statement, err)
	}
	return counted.rows
}

// counter is a result.Sink that counts rows.
type counter struct{ rows int }

func (c *counter) Columns([]result.Column) error { return nil }
func (c *counter) Row([]datum.Datum) error       { c.rows++; return nil }
func (c *counter) Done(result.Done) error        { return nil }

// requestNames are the kinds of requests that are counted, in the order in which they are told. Commits are not: those
// of several regions follow the answer.
var requestNames = []struct {
	kind tikvrpc.CmdType
	name string
}{{tikvrpc.CmdGet, "get"}, {tikvrpc.CmdBatchGet, "batch get"}, {tikvrpc.CmdScan, "scan"},
	{tikvrpc.CmdPrewrite, "prewrite"}} // immutable

// asked tells the requests of a call and the timestamps that it took, and how many these are together.
func (c *costs) asked(do func()) (told string, total int) {
	requests, timestamps := c.cluster.Requests(), c.cluster.Timestamps()
	do()
	timestamps = c.cluster.Timestamps() - timestamps
	after := c.cluster.Requests()
	for _, of := range requestNames {
		if n := after[of.kind] - requests[of.kind]; n > 0 {
			told += fmt.Sprint(n, " ", of.name, ", ")
			total += n
		}
	}
	return fmt.Sprint(told, timestamps, " TSO"), total + int(timestamps)
}

// least is asked, the least of some tries: work in the background may add to one, and statistics are read at first.
func (c *costs) least(do func()) string {
	told, total := c.asked(do)
	for range 4 {
		if other, sum := c.asked(do); sum < total {
			told, total = other, sum
		}
	}
	return told
}

// TestRequests counts the requests to stores and the timestamps of each operation.
func TestRequests(t *testing.T) {
	c := openCosts(t)
	batch, items := []string{}, []string{}
	for i := range 25 {
		batch = append(batch, fmt.Sprintf(`{"k":{"S":"a"},"n":{"N":"%d"}}`, 3*i))
		items = append(items, fmt.Sprintf(`{"PutRequest":{"Item":{"k":{"S":"a"},"n":{"N":"%d"}}}}`, 3*i))
	}
	update := func(n int) string {
		return fmt.Sprintf(`{"Update":{"TableName":"plain","Key":{"k":{"S":"a"},"n":{"N":"%d"}},
			"UpdateExpression":"SET w = :w","ExpressionAttributeValues":{":w":{"N":"1"}}}}`, n)
	}
	call := func(operation, body string) func() { return func() { c.call(operation, body) } }
	query := func(statement string, rows int) func() {
		return func() {
			if got := c.query(statement); got != rows {
				t.Fatalf("%s: %d rows, want %d", statement, got, rows)
			}
		}
	}
	serial := 0
	for _, o := range []struct {
		name string
		do   func()
		want string
	}{
		{"GetItem", call("GetItem", `{"TableName":"plain","Key":{"k":{"S":"a"},"n":{"N":"1"}}}`), "1 get, 1 TSO"},
		{"PutItem, no index", call("PutItem", `{"TableName":"plain","Item":{"k":{"S":"a"},"n":{"N":"1"}}}`), "1 prewrite, 2 TSO"},
		{"PutItem with a GSI", func() {
			serial++
			c.call("PutItem", fmt.Sprintf(`{"TableName":"indexed","Item":{"k":{"S":"k%d"},"g":{"S":"g"}}}`, serial))
		}, "1 get, 2 prewrite, 2 TSO"},
		{"UpdateItem", call("UpdateItem", `{"TableName":"plain","Key":{"k":{"S":"a"},"n":{"N":"1"}},
			"UpdateExpression":"ADD c :one","ExpressionAttributeValues":{":one":{"N":"1"}}}`), "1 get, 1 prewrite, 2 TSO"},
		{"Query 100", call("Query", `{"TableName":"plain","Limit":100,"KeyConditionExpression":"k = :k",
			"ExpressionAttributeValues":{":k":{"S":"a"}}}`), "2 scan, 1 TSO"},
		{"BatchGetItem 25", call("BatchGetItem",
			`{"RequestItems":{"plain":{"Keys":[`+strings.Join(batch, ",")+`]}}}`), "1 batch get, 1 TSO"},
		{"BatchWriteItem 25", call("BatchWriteItem", `{"RequestItems":{"plain":[`+strings.Join(items, ",")+`]}}`), "1 prewrite, 2 TSO"},
		{"TransactGetItems 2", call("TransactGetItems", `{"TransactItems":[
			{"Get":{"TableName":"plain","Key":{"k":{"S":"a"},"n":{"N":"1"}}}},
			{"Get":{"TableName":"plain","Key":{"k":{"S":"a"},"n":{"N":"2"}}}}]}`), "1 batch get, 1 TSO"},
		{"TransactWriteItems 4", call("TransactWriteItems",
			`{"TransactItems":[`+update(1)+`,`+update(2)+`,`+update(3)+`,`+update(4)+`]}`), "1 batch get, 1 prewrite, 2 TSO"},
		{"SQL point select", query("SELECT pad FROM s WHERE id = 7", 1), "1 get, 1 TSO"},
		{"SQL, 100 keys", query("SELECT pad FROM s WHERE id IN ("+numberList(100)+")", 100), "1 batch get, 1 TSO"},
		{"SQL by index, 100 rows", query("SELECT pad FROM s WHERE a = 1", 100), "2 batch get, 2 scan, 1 TSO"},
		{"SQL by index, LIMIT 5", query("SELECT pad FROM s WHERE a = 1 LIMIT 5", 5), "1 batch get, 1 scan, 1 TSO"},
		{"SQL join by key, 100 rows", query("SELECT s.pad FROM u JOIN s ON s.id = u.s WHERE u.id < 100", 100), "3 batch get, 3 scan, 1 TSO"},
		{"SQL insert of 20 rows", func() {
			serial += 20
			c.query("INSERT INTO u VALUES " + pairList(1000+serial, 20))
		}, "1 batch get, 1 prewrite, 2 TSO"},
		{"box query, 100 rows", query("SELECT pad FROM s FORCE INDEX (z) WHERE lat BETWEEN 0 AND 9 AND lon BETWEEN 0 AND 9", 100), "2 batch get, 5 scan, 1 TSO"},
		{"nearest 10", query("SELECT pad FROM s FORCE INDEX (z) ORDER BY DISTANCE(lat, lon, 3, 4) LIMIT 10", 10), "1 batch get, 14 scan, 1 TSO"},
		{"nearest 100", query("SELECT pad FROM s FORCE INDEX (z) ORDER BY DISTANCE(lat, lon, 3, 4) LIMIT 100", 100), "2 batch get, 14 scan, 1 TSO"},
		{"HBase's getMultiple 25", func() { c.getMultiple(25) }, "1 batch get, 1 TSO"},
		{"cells by index, 100 rows", c.walkCells, "2 batch get, 2 scan, 1 TSO"},
		{"search, 1 word, 100 rows", query("SELECT pad FROM s WHERE MATCH (words) AGAINST ('common') LIMIT 100", 100), "3 batch get, 3 scan, 4 TSO"},
	} {
		t.Run(o.name, func(t *testing.T) {
			if got := c.least(o.do); got != o.want {
				t.Errorf("%s, want %s", got, o.want)
			}
		})
	}
}

// TestReplicaReads: with the option, eventually consistent reads go to followers, too, and no others do.
func TestReplicaReads(t *testing.T) {
	const key = `"TableName":"plain","Key":{"k":{"S":"a"},"n":{"N":"1"}}`
	const keys = `"Keys":[{"k":{"S":"a"},"n":{"N":"1"}},{"k":{"S":"a"},"n":{"N":"2"}}]`
	const query = `"TableName":"plain","KeyConditionExpression":"k = :k","ExpressionAttributeValues":{":k":{"S":"a"}}`
	for _, option := range []bool{false, true} {
		c := openCostsWith(t, tikv.Options{ReplicaReads: option})
		for _, consistent := range []bool{false, true} {
			flag := fmt.Sprintf(`,"ConsistentRead":%t`, consistent)
			for operation, body := range map[string]string{"GetItem": "{" + key + flag + "}",
				"BatchGetItem": `{"RequestItems":{"plain":{` + keys + flag + `}}}`, "Query": "{" + query + flag + "}",
				"Scan": `{"TableName":"plain"` + flag + "}"} {
				before := c.cluster.FollowerReads()
				for range 50 {
					c.call(operation, body)
				}
				if n := c.cluster.FollowerReads() - before; (n > 0) != (option && !consistent) {
					t.Errorf("option %t, %s, consistent %t: %d reads of followers", option, operation, consistent, n)
				}
			}
		}
		c.replicaQueries(option)
	}
}

// replicaQueries is TestReplicaReads for SQL. possible says that a store reads followers at all.
func (c *costs) replicaQueries(possible bool) {
	const read, hinted = "SELECT * FROM u", "SELECT /*+ READ_CONSISTENT_REPLICA() */ * FROM u"
	expect := func(what string, want bool, statements ...string) {
		before := c.cluster.FollowerReads()
		for range 50 {
			for _, statement := range statements {
				c.query(statement)
			}
		}
		if n := c.cluster.FollowerReads() - before; (n > 0) != want {
			c.t.Errorf("option %t, %s: %d reads of followers", possible, what, n)
		}
	}
	expect("plain", false, read)
	expect("a hint", possible, hinted)
	expect("a hint in a transaction", false, "BEGIN", hinted, "COMMIT")
	expect("a hint that locks", false, hinted+" FOR UPDATE")
	err := c.session.Query(c.t.Context(), []byte("SET weft_replica_read = 'any'"), new(counter))
	if (err == nil) != possible {
		c.t.Errorf("option %t, the setting: %v", possible, err)
	}
	expect("the setting", possible, read, "SELECT COUNT(*) FROM u JOIN s ON s.id = u.s")
}

// TestHotRow counts the requests of updates of one row that come while another one is at it: they commit together.
func TestHotRow(t *testing.T) {
	c := openCosts(t)
	table, err := c.api.DB.Table("plain")
	if err != nil {
		t.Fatal(err)
	}
	update := func() {
		c.call("UpdateItem", `{"TableName":"plain","Key":{"k":{"S":"hot"},"n":{"N":"1"}},
			"UpdateExpression":"ADD c :one","ExpressionAttributeValues":{":one":{"N":"1"}}}`)
	}
	told := c.least(func() {
		begun, released := make(chan struct{}), make(chan struct{})
		c.cluster.SetHook(blockOnce("hot", begun, released))
		var writers sync.WaitGroup
		writers.Go(update)
		<-begun
		for range 8 {
			writers.Go(update)
		}
		for waits, _ := c.api.DB.Waits(); len(waits) < 8; waits, _ = c.api.DB.Waits() {
			runtime.Gosched()
		}
		close(released)
		writers.Wait()
		c.cluster.SetHook(nil)
	})
	item, _, err := testdoc.Get(t.Context(), table, testdoc.Document{"k": "hot", "n": 1})
	if n, _ := item.Int("c"); n != 45 || err != nil {
		t.Errorf("the row has %d, %v; want 45", n, err)
	}
	if want := "2 get, 2 prewrite, 4 TSO"; told != want {
		t.Errorf("%s, want %s", told, want)
	}
}

// blockOnce is a hook that holds back the first write of a key which contains a text: it closes begun, and waits for
// released.
func blockOnce(text string, begun, released chan struct{}) tikvtest.Hook {
	var once sync.Once
	return func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if request.Type == tikvrpc.CmdPrewrite && bytes.Contains(request.Prewrite().Mutations[0].Key, []byte(text)) {
			once.Do(func() { close(begun); <-released })
		}
		return send()
	}
}

// numberList is the numbers from 0 on, joined by commas.
func numberList(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return strings.Join(list, ", ")
}

// pairList is rows of two numbers.
func pairList(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("(%d, %d)", from+i, i)
	}
	return strings.Join(list, ", ")
}

// TestIndexBuild: the rows that an index build goes over are read together.
func TestIndexBuild(t *testing.T) {
	c := openCosts(t)
	before := c.cluster.Requests()[tikvrpc.CmdGet]
	c.query("ALTER TABLE u ADD KEY s (s)")
	// the stages of the index take some
	if n := c.cluster.Requests()[tikvrpc.CmdGet] - before; n > 100 {
		t.Errorf("%d gets for an index of 200 rows", n)
	}
}
