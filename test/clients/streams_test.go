// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
)

// changesHalf is the number of writes a reader finds when it begins, and how many are made while it reads.
const changesHalf = 250

// kclTimeout is when the Kinesis Client Library is told to end, whatever it has read. It waits half a minute for others
// before it makes leases.
const kclTimeout = 3 * time.Minute

// change is one record of a stream, as readers print it: a line of JSON.
type change struct {
	EventName string `json:"eventName"`
	DynamoDB  struct {
		Keys, OldImage, NewImage any
		SequenceNumber           string `json:",omitempty"`
	} `json:"dynamodb"`
}

// text is what a change must have; the number is the server's choice.
func (c change) text() string {
	c.DynamoDB.SequenceNumber = ""
	return asJSON(c)
}

// changing is a table with a stream, and the model of what its records must be.
type changing struct {
	t       *testing.T
	client  *dynamodb.Client
	streams *dynamodbstreams.Client
	random  *rand.Rand
	table   string
	arn     string // of the stream
	items   map[string]map[string]types.AttributeValue
	want    []string // all changes, in order
}

// newChanging makes a table with a stream.
func newChanging(t *testing.T, server *harness.Server) *changing {
	t.Helper()
	seed := rounds.Seed(t)
	c := &changing{
		t: t, client: server.Client(), streams: streamsClient(server), random: rand.New(rand.NewPCG(seed, 0)),
		table: "parcels",
		items: map[string]map[string]types.AttributeValue{},
	}
	harness.CreateTable(t, c.client, &dynamodb.CreateTableInput{
		TableName: &c.table, BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("depot"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("number"), KeyType: types.KeyTypeRange}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("depot"),
			AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("number"), AttributeType: types.ScalarAttributeTypeN}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	found := harness.WaitTable(t, c.client, c.table,
		func(d *types.TableDescription) bool { return d.LatestStreamArn != nil })
	c.arn = *found.LatestStreamArn
	return c
}

// streamsClient is a client of the server's streams, with the settings of its other client.
func streamsClient(server *harness.Server) *dynamodbstreams.Client {
	o := server.Client().Options()
	return dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: o.BaseEndpoint, Region: o.Region,
		Credentials: o.Credentials, Retryer: o.Retryer, HTTPClient: o.HTTPClient})
}

// write makes some changes, in the middle of which a region is split, which ends a shard.
func (c *changing) write(n int) {
	c.t.Helper()
	for i := range n {
		if err := c.step(); err != nil {
			c.t.Fatal(err)
		}
		if i == n/2 {
			c.split()
		}
	}
}

// shards are all shards of the stream, which are few.
func (c *changing) shards() []streamtypes.Shard {
	c.t.Helper()
	out, err := c.streams.DescribeStream(c.t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &c.arn})
	if err != nil {
		c.t.Fatal(err)
	}
	return out.StreamDescription.Shards
}

// split divides one of the table's regions, and waits for the shard that begins then.
func (c *changing) split() {
	c.t.Helper()
	before := len(c.shards())
	defer func() {
		for begun := time.Now(); len(c.shards()) == before; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				c.t.Fatal("the table was split, and its shard goes on")
			}
		}
	}()
	found, err := c.client.DescribeTable(c.t.Context(), &dynamodb.DescribeTableInput{TableName: &c.table})
	if err == nil {
		regions := fmt.Sprint(2 + len(c.want)/changesHalf)
		_, err = c.client.TagResource(c.t.Context(),
			&dynamodb.TagResourceInput{ResourceArn: found.Table.TableArn,
				Tags: []types.Tag{{Key: aws.String("weft:regions"), Value: &regions}}})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// step is one write. One in seven changes nothing, and must make no record.
func (c *changing) step() error {
	key := map[string]types.AttributeValue{"depot": text(fmt.Sprint("d", c.random.IntN(6))),
		"number": number(c.random.IntN(8))}
	name := imageText(key)
	old := c.items[name]
	switch kind := c.random.IntN(7); {
	case kind == 0 && old != nil:
		_, err := c.client.PutItem(c.t.Context(), &dynamodb.PutItemInput{TableName: &c.table, Item: old})
		return err
	case kind == 1:
		_, err := c.client.DeleteItem(c.t.Context(), &dynamodb.DeleteItemInput{TableName: &c.table, Key: key})
		if old != nil {
			c.record("REMOVE", key, old, nil)
		}
		return err
	case kind < 4 && old != nil:
		now := maps.Clone(old)
		now["state"] = text(fmt.Sprint("s", len(c.want)))
		delete(now, "note")
		_, err := c.client.UpdateItem(c.t.Context(), &dynamodb.UpdateItemInput{
			TableName: &c.table, Key: key, UpdateExpression: aws.String("SET #s = :s REMOVE note"),
			ExpressionAttributeNames:  map[string]string{"#s": "state"},
			ExpressionAttributeValues: map[string]types.AttributeValue{":s": now["state"]},
		})
		c.record("MODIFY", key, old, now)
		return err
	}
	now, event := c.parcel(key), "MODIFY"
	if old == nil {
		event = "INSERT"
	}
	_, err := c.client.PutItem(c.t.Context(), &dynamodb.PutItemInput{TableName: &c.table, Item: now})
	c.record(event, key, old, now)
	return err
}

// parcel is an item with attributes of most types, unlike all before it.
func (c *changing) parcel(key map[string]types.AttributeValue) map[string]types.AttributeValue {
	item := maps.Clone(key)
	item["state"] = text(fmt.Sprint("new ", len(c.want)))
	item["note"] = text(strings.Repeat("größer ", c.random.IntN(40)))
	item["label"] = &types.AttributeValueMemberB{Value: []byte{0, 255, byte(len(c.want))}}
	item["marks"] = &types.AttributeValueMemberSS{Value: []string{"fragile", "heavy"}}
	item["route"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{number(len(c.want)),
		&types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberNULL{Value: true}}}
	item["size"] = &types.AttributeValueMemberM{
		Value: map[string]types.AttributeValue{"cm": &types.AttributeValueMemberN{Value: "12.5"}}}
	return item
}

// record notes what a record must be.
func (c *changing) record(event string, key, old, now map[string]types.AttributeValue) {
	name := imageText(key)
	if c.items[name] = now; now == nil {
		delete(c.items, name)
	}
	r := change{EventName: event}
	r.DynamoDB.Keys, r.DynamoDB.OldImage, r.DynamoDB.NewImage = image(key), image(old), image(now)
	c.want = append(c.want, r.text())
}

// end switches the stream off, which ends its last shard.
func (c *changing) end() {
	c.t.Helper()
	_, err := c.client.UpdateTable(c.t.Context(),
		&dynamodb.UpdateTableInput{TableName: &c.table,
			StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)}})
	if err != nil {
		c.t.Fatal(err)
	}
}

// check compares what a reader has read with the model: each change must be there once, in order.
func (c *changing) check(records []change) {
	c.t.Helper()
	last := ""
	for i, r := range records {
		if number := r.DynamoDB.SequenceNumber; number <= last {
			c.t.Fatalf("the record %s comes after %s", number, last)
		}
		if last = r.DynamoDB.SequenceNumber; i >= len(c.want) || r.text() != c.want[i] {
			c.t.Fatalf("record %d of %d is\n%s\nand the changes from there on are\n%s", i, len(records), r.text(),
				strings.Join(c.want[min(i, len(c.want)):min(i+3, len(c.want))], "\n"))
		}
	}
	if len(records) != len(c.want) {
		c.t.Errorf("%d records were read, %d changes were made", len(records), len(c.want))
	}
}

// checkItems is check for a reader that may repeat records: those of each item must be there in order once their
// repeats are left out.
func (c *changing) checkItems(records []change) {
	c.t.Helper()
	got, want, seen := map[string][]string{}, map[string][]string{}, map[string]bool{}
	for _, r := range records {
		if number := r.DynamoDB.SequenceNumber; !seen[number] {
			seen[number] = true
			got[asJSON(r.DynamoDB.Keys)] = append(got[asJSON(r.DynamoDB.Keys)], r.text())
		}
	}
	for _, text := range c.want {
		var r change
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			c.t.Fatal(err)
		}
		want[asJSON(r.DynamoDB.Keys)] = append(want[asJSON(r.DynamoDB.Keys)], text)
	}
	if len(seen) != len(c.want) {
		c.t.Errorf("%d different records were read, %d changes were made", len(seen), len(c.want))
	}
	for key := range want {
		if !slices.Equal(got[key], want[key]) {
			c.t.Fatalf("item %s: the reader has\n%s\nand the changes were\n%s", key, strings.Join(got[key], "\n"),
				strings.Join(want[key], "\n"))
		}
	}
}

// image is an item of the SDK as JSON has it, of whichever of its packages: {"S": ..} for a text. nil for none.
func image[V any](item map[string]V) any {
	if item == nil {
		return nil
	}
	all := map[string]any{}
	for name, v := range item {
		all[name] = typed(v)
	}
	return all
}

// typed is a value with its type, which is in the name of the SDK's type.
func typed(v any) any {
	member := reflect.ValueOf(v).Elem()
	inner := member.FieldByName("Value")
	value := inner.Interface()
	switch kind := strings.TrimPrefix(member.Type().Name(), "AttributeValueMember"); kind {
	case "M":
		fields := map[string]any{}
		for _, name := range inner.MapKeys() {
			fields[name.String()] = typed(inner.MapIndex(name).Interface())
		}
		return map[string]any{kind: fields}
	case "L":
		list := []any{}
		for i := range inner.Len() {
			list = append(list, typed(inner.Index(i).Interface()))
		}
		return map[string]any{kind: list}
	default:
		return map[string]any{kind: value}
	}
}

func imageText(item map[string]types.AttributeValue) string { return asJSON(image(item)) }

// asJSON is JSON with the names in order.
func asJSON(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// reader is a process that prints the records of a stream.
type reader struct {
	command    *exec.Cmd
	stdin      io.Closer
	lines      *bufio.Scanner
	complaints bytes.Buffer
}

// startReader runs the program's command with the stream's ARN. It ends by itself at the end of the stream, or when its
// input is closed.
func startReader(t *testing.T, p program, server *harness.Server, arn string) *reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sectionTimeout)
	t.Cleanup(cancel)
	r := &reader{command: exec.CommandContext(ctx, p.command[0], append(p.command[1:], arn)...)}
	r.command.Env, r.command.Stderr, r.command.WaitDelay = append(p.variables(t, server), p.environ...), &r.complaints,
		time.Second
	output, err := r.command.StdoutPipe()
	if err == nil {
		r.stdin, err = r.command.StdinPipe()
	}
	if err == nil {
		err = r.command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.lines = bufio.NewScanner(output)
	r.lines.Buffer(nil, 1<<20)
	return r
}

// next is the next record; false at the end of all.
func (r *reader) next(t *testing.T) (c change, ok bool) {
	t.Helper()
	if !r.lines.Scan() {
		return c, false
	}
	if err := json.Unmarshal(r.lines.Bytes(), &c); err != nil {
		t.Fatalf("%v: %s", err, r.lines.Text())
	}
	return c, true
}

// wait waits until the reader has ended, which must be without a failure.
func (r *reader) wait(t *testing.T, title string) {
	t.Helper()
	if err := r.command.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", title, err, r.complaints.String())
	}
}

// readAll makes changes, runs a reader, makes more while it reads, and checks what it has read when the stream has
// ended.
func readAll(t *testing.T, p program) {
	t.Log(p.title)
	server := harness.Start(t, binary, harness.Options{})
	defer stop(t, server)
	table := newChanging(t, server)
	table.write(changesHalf)
	r := startReader(t, p, server, table.arn)
	var records []change
	for c, ok := r.next(t); ok; c, ok = r.next(t) {
		if records = append(records, c); len(records) == 1 {
			table.write(changesHalf)
			table.end()
		}
	}
	r.wait(t, p.title)
	table.check(records)
}

// TestStreamsBoto3 reads a stream with boto3's client dynamodbstreams.
func TestStreamsBoto3(t *testing.T) {
	skipUnlessWanted(t)
	for _, python := range []string{"/usr/bin/python3", "python3", ".venv/bin/python3"} {
		if version, ok := ask(python, "-c", "import boto3; print(boto3.__version__)"); ok {
			readAll(t, program{title: "boto3 " + version, command: []string{python, "streams_client.py"}})
			return
		}
	}
	t.Skip("no python3 here has boto3: install the package python3-boto3")
}

// TestStreamsReadable reads a stream with dynamodb-streams-readable, a stream of Node.js.
func TestStreamsReadable(t *testing.T) {
	readAll(t, script(t, "streams.mjs", "dynamodb-streams-readable", ""))
}

// TestStreamsKCL reads a stream with the Kinesis Client Library, whose leases are in a table of the same server. It may
// repeat records.
func TestStreamsKCL(t *testing.T) {
	needJDK(t)
	found, err := filepath.Glob(".kcl/dynamodb-streams-kinesis-adapter-*.jar")
	if _, complete := os.Stat(".kcl/complete"); err != nil || complete != nil || len(found) != 1 {
		t.Skip("there is no .kcl/complete: test/clients/install could not fetch the Kinesis Client Library from Maven Central")
	}
	classes := t.TempDir()
	if output, ok := ask("javac", "-proc:none", "-nowarn", "-cp", ".kcl/*", "-d", classes, "kcl/Reader.java"); !ok {
		t.Fatal(output)
	}
	p := program{title: strings.TrimSuffix(filepath.Base(found[0]), ".jar"),
		command: []string{"java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classes + ":.kcl/*", "Reader"}}
	t.Log(p.title)
	server := harness.Start(t, binary, harness.Options{})
	defer stop(t, server)
	table := newChanging(t, server)
	table.write(changesHalf)
	r := startReader(t, p, server, table.arn)
	begun := time.Now()
	defer time.AfterFunc(kclTimeout, func() { r.stdin.Close() }).Stop()
	var records []change
	seen := map[string]bool{}
	for c, ok := r.next(t); ok; c, ok = r.next(t) {
		if len(records) == 0 {
			t.Logf("the first record was there after %v", time.Since(begun))
			table.write(changesHalf)
		}
		records = append(records, c)
		if seen[c.DynamoDB.SequenceNumber] = true; len(seen) == len(table.want) {
			r.stdin.Close()
		}
	}
	r.wait(t, p.title)
	t.Logf("%d records in %v", len(records), time.Since(begun))
	table.checkItems(records)
	leases := harness.WaitTable(t, table.client, "parcels-reader",
		func(d *types.TableDescription) bool { return d.TableStatus == types.TableStatusActive })
	if list := leases.GlobalSecondaryIndexes; len(list) != 1 || list[0].IndexStatus != types.IndexStatusActive {
		t.Errorf("the indexes of the table of leases: %+v", list)
	}
}
