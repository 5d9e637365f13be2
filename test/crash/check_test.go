// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// faultsShown is the number of faults of one kind that are printed.
const faultsShown = 10

// check compares everything the server holds with what it must hold.
func (r *run) check() {
	rows := r.scan()
	strangers := maps.Clone(rows)
	for _, w := range r.workers {
		r.complain(w.recognize(rows))
		for at := range itemsOfWorker {
			delete(strangers, w.key(at))
		}
	}
	for key, want := range r.filler {
		if !equal(rows[key], want) {
			r.t.Errorf("item %v is %v, want %v", key, rows[key], want)
		}
		delete(strangers, key)
	}
	for i := range r.counters {
		r.checkCounter(i, rows[itemKey{counterName, i}])
		delete(strangers, itemKey{counterName, i})
	}
	for key, d := range strangers {
		if key.expires() {
			continue // see checkExpired
		}
		r.t.Errorf("item %v was never written: %v", key, d)
	}
	for _, x := range indexes() {
		r.checkIndex(x, rows)
	}
	r.checkStream(rows)
	if r.building {
		r.endBuild(rows)
	}
}

func (r *run) complain(faults []string) {
	for _, fault := range faults[:min(len(faults), faultsShown)] {
		r.t.Error(fault)
	}
}

// checkCounter: each acknowledged addition counts once, each without an answer once or not.
func (r *run) checkCounter(at int, found document) {
	c := &r.counters[at]
	low := c.base + c.acked.Load()
	value, high := int64(found.number("weight")), low+c.unknown.Load()
	if value < low || value > high {
		r.t.Errorf("counter %d is %d, want %d to %d", at, value, low, high)
	}
	c.base = value
	c.acked.Store(0)
	c.unknown.Store(0)
}

// scan reads the whole table.
func (r *run) scan() map[itemKey]document {
	rows := map[itemKey]document{}
	previous := itemKey{}
	pages := dynamodb.NewScanPaginator(r.client,
		&dynamodb.ScanInput{TableName: aws.String(tableName), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(r.t.Context())
		if err != nil {
			r.t.Fatalf("scan: %v", err)
		}
		for _, item := range page.Items {
			d := documentOf(item)
			key := d.key()
			if compareKeys(previous, key) >= 0 {
				r.t.Errorf("item %v follows %v", key, previous)
			}
			rows[key], previous = d, key
		}
	}
	return rows
}

// checkIndex compares an index, item by item and in order, with what the rows make: read as a whole, and by a query of
// each partition.
func (r *run) checkIndex(x index, rows map[itemKey]document) {
	var want []document
	for _, d := range rows {
		if len(d.only(x.needs...)) == len(x.needs) {
			want = append(want, d)
		}
	}
	slices.SortFunc(want, func(a, b document) int {
		return cmp.Or(cmp.Compare(x.partition(a), x.partition(b)), x.compare(a, b), compareKeys(a.key(), b.key()))
	})
	var partitions [][]document
	for i, d := range want {
		if i == 0 || x.partition(want[i-1]) != x.partition(d) {
			partitions = append(partitions, nil)
		}
		partitions[len(partitions)-1] = append(partitions[len(partitions)-1], d)
	}
	r.compare("scan of "+x.name, r.scanIndex(x), want, x)
	for _, partition := range partitions {
		value, forward := x.partition(partition[0]), r.rng.IntN(2) == 0
		if !forward {
			slices.Reverse(partition)
		}
		r.compare("query of "+x.name+" for "+value, r.queryIndex(x, value, forward), partition, x)
	}
}

func (r *run) compare(what string, found, want []document, x index) {
	if len(found) != len(want) {
		r.t.Errorf("%s finds %d items, the table makes %d", what, len(found), len(want))
	}
	faults := 0
	for i := range min(len(found), len(want)) {
		d := want[i]
		if x.holds != nil {
			d = d.only(x.holds...)
		}
		if equal(found[i], d) {
			continue
		}
		if faults++; faults <= faultsShown {
			r.t.Errorf("%s, item %d: %v, the table makes %v", what, i, found[i], d)
		}
	}
}

func (r *run) scanIndex(x index) (found []document) {
	pages := dynamodb.NewScanPaginator(r.client,
		&dynamodb.ScanInput{TableName: aws.String(tableName), IndexName: aws.String(x.name)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(r.t.Context())
		if err != nil {
			r.t.Fatalf("scan of %s: %v", x.name, err)
		}
		for _, item := range page.Items {
			found = append(found, documentOf(item))
		}
	}
	return found
}

func (r *run) queryIndex(x index, value string, forward bool) (found []document) {
	pages := dynamodb.NewQueryPaginator(r.client, &dynamodb.QueryInput{
		TableName: aws.String(tableName), IndexName: aws.String(x.name), ScanIndexForward: aws.Bool(forward),
		KeyConditionExpression: aws.String("#k = :v"), ExpressionAttributeNames: map[string]string{"#k": x.hash},
		ExpressionAttributeValues: map[string]types.AttributeValue{":v": &types.AttributeValueMemberS{Value: value}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(r.t.Context())
		if err != nil {
			r.t.Fatalf("query of %s: %v", x.name, err)
		}
		for _, item := range page.Items {
			found = append(found, documentOf(item))
		}
	}
	return found
}
