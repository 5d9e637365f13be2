// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The operations, as they are called on the command line and in the report.
const (
	opGet    = "get"    // one item by its key
	opPut    = "put"    // one item replaced, durable
	opUpdate = "update" // one item: a number added to, a string set, if a condition on the old item is true; durable
	opQuery  = "query"  // the 100 items of one partition
	opBatch  = "batch"  // 25 items replaced, durable
	opScan   = "scan"   // a page of 1,000 items from a random item on

	opBatchGet = "batch get" // 25 items of one partition by their keys; over HTTP only
)

// Transactions that replace items, with a client's token as SDKs send it. They run on weft and echo only.
const (
	opTransact1  = "transact 1"
	opTransact4  = "transact 4"
	opTransact25 = "transact 25"
	// The hot ones meet on a few items, so that most wait for others.
	opHotTransact1  = "hot transact 1"
	opHotTransact4  = "hot transact 4"
	opHotTransact25 = "hot transact 25"
)

// transactItems is the number of items an operation replaces in one transaction, 0 if it is none.
func transactItems(operation string) int {
	switch operation {
	case opTransact1, opHotTransact1:
		return 1
	case opTransact4, opHotTransact4:
		return 4
	case opTransact25, opHotTransact25:
		return 25
	}
	return 0
}

// Operations on a few items, to see what reads wait for. They run in process only.
const (
	opHotGet   = "hot get"   // of partition 0
	opHotPut   = "hot put"   // of partition 0
	opOtherPut = "other put" // of partition 1
)

func operationNames() []string {
	return []string{opGet, opPut, opUpdate, opQuery, opBatch, opBatchGet, opScan, opTransact1, opTransact4,
		opTransact25, opHotTransact1, opHotTransact4, opHotTransact25}
}

const (
	tableName      = "bench"
	partitionItems = 100
	batchItems     = 25
	scanItems      = 1000
)

// Items have keys of fixed width, so that a request is changed into another by writing digits into it.
const (
	partitionWidth = 5
	sortWidth      = 3
	freshWidth     = 8
)

// The marks stand in templates of requests for the digits of a partition's number, an item's number and fresh content.
const (
	partitionMark = "@@@@@"
	sortMark      = "~~~"
	freshMark     = "^^^^^^^^"
)

// noteText fills an item up to about 300 bytes, as DynamoDB counts them.
const noteText = "prefers deliveries in the morning; call before, ring twice, leave parcels with the neighbours"

// keyJSON and itemJSON are a key and an item in DynamoDB's JSON, with marks.
const (
	keyJSON  = `{"pk":{"S":"p` + partitionMark + `"},"sk":{"S":"s` + sortMark + `"}}`
	itemJSON = `{"pk":{"S":"p` + partitionMark + `"},"sk":{"S":"s` + sortMark + `"},"customer":{"S":"customer ` +
		freshMark + `"},` +
		`"mail":{"S":"customer.` + freshMark +
		`@example.com"},"visits":{"N":"1"},"balance":{"N":"12345.67"},"active":{"BOOL":true},` +
		`"since":{"S":"2024-05-06T07:08:09Z"},"tags":{"SS":["gold","weekly"]},` +
		`"address":{"M":{"city":{"S":"Nara"},"zip":{"S":"630-8001"},"country":{"S":"JP"}}},"remark":{"S":"` + noteText +
		`"}}`
)

// apiName is DynamoDB's name of an operation.
func apiName(operation string) string {
	if transactItems(operation) > 0 {
		return "TransactWriteItems"
	}
	switch operation {
	case opGet:
		return "GetItem"
	case opPut:
		return "PutItem"
	case opUpdate:
		return "UpdateItem"
	case opQuery:
		return "Query"
	case opBatch:
		return "BatchWriteItem"
	case opBatchGet:
		return "BatchGetItem"
	}
	return "Scan"
}

// body returns the template of an operation's request.
func body(operation string) string {
	if n := transactItems(operation); n > 0 {
		put := `{"Put":{"TableName":"` + tableName + `","Item":` + itemJSON + `}}`
		return `{"TransactItems":[` + strings.TrimSuffix(strings.Repeat(put+",", n), ",") + `],` +
			`"ClientRequestToken":"` + freshMark + `-` + partitionMark + `-` + sortMark + `"}`
	}
	switch operation {
	case opGet:
		return `{"TableName":"` + tableName + `","Key":` + keyJSON + `}`
	case opPut:
		return `{"TableName":"` + tableName + `","Item":` + itemJSON + `}`
	case opUpdate:
		return `{"TableName":"` + tableName + `","Key":` + keyJSON +
			`,"UpdateExpression":"SET visits = visits + :one, customer = :c",` +
			`"ConditionExpression":"attribute_exists(pk) AND visits >= :one",` +
			`"ExpressionAttributeValues":{":one":{"N":"1"},":c":{"S":"customer ` + freshMark + `"}}}`
	case opQuery:
		return `{"TableName":"` + tableName +
			`","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p` + partitionMark + `"}}}`
	case opBatch:
		put := `{"PutRequest":{"Item":` + itemJSON + `}}`
		return `{"RequestItems":{"` + tableName + `":[` + strings.TrimSuffix(strings.Repeat(put+",", batchItems), ",") +
			`]}}`
	case opBatchGet:
		return `{"RequestItems":{"` + tableName + `":{"Keys":[` +
			strings.TrimSuffix(strings.Repeat(keyJSON+",", batchItems), ",") + `]}}}`
	}
	return fmt.Sprintf(`{"TableName":"%s","Limit":%d,"ExclusiveStartKey":%s}`, tableName, scanItems, keyJSON)
}

// template is a text and where its marks are.
type template struct {
	text                    []byte
	partitions, sorts, news []int
}

func newTemplate(text string) template {
	t := template{text: []byte(text)}
	t.partitions, t.sorts, t.news = findAll(text, partitionMark), findAll(text, sortMark), findAll(text, freshMark)
	return t
}

func findAll(text, mark string) (found []int) {
	for from := 0; ; {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			return found
		}
		found = append(found, from+i)
		from += i + len(mark)
	}
}

// fill writes one partition, items from sort on, and fresh content over the marks.
func (t *template) fill(partition, sort, fresh int) {
	for _, at := range t.partitions {
		digits(t.text[at:at+partitionWidth], partition)
	}
	for i, at := range t.sorts {
		digits(t.text[at:at+sortWidth], (sort+i)%partitionItems)
	}
	for i, at := range t.news {
		digits(t.text[at:at+freshWidth], fresh+i)
	}
}

// digits writes the last len(dst) decimal digits of n.
func digits(dst []byte, n int) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
}

// picker draws items of a part of the table, all equally likely.
type picker struct {
	random     *rand.Rand
	first      int // partition
	partitions int
	items      int // of each partition
}

func newPicker(partitions, seed int) picker {
	return picker{random: rand.New(rand.NewPCG(uint64(seed), 7)), partitions: partitions, items: partitionItems}
}

// pickerFor draws items as an operation does. Writes go to the second half of the table and reads to the first, so that
// a peer that wrote more does not pay for it by reading through more old versions. Scans begin where they end in the
// first half, where keys are in order.
func pickerFor(operation string, partitions, seed int) picker {
	half := max(partitions/2, 1)
	switch operation {
	case opHotGet, opHotPut:
		return newHotPicker(0, seed)
	case opOtherPut:
		return newHotPicker(1, seed)
	case opHotTransact1, opHotTransact4, opHotTransact25:
		p := newPicker(1, seed)
		p.first, p.items = partitions-1, hotTransactItems
		return p
	case opPut, opUpdate, opBatch, opTransact1, opTransact4, opTransact25:
		p := newPicker(partitions-half, seed)
		p.first = half
		return p
	case opScan:
		return newPicker(max(half-scanItems/partitionItems, 1), seed)
	}
	return newPicker(half, seed)
}

// hotItems are so few that writers of them are nearly always at work on each.
const hotItems = 16

// hotTransactItems are the items at which hot transactions begin.
const hotTransactItems = 8

// newHotPicker draws hotItems items of one partition.
func newHotPicker(partition, seed int) picker {
	p := newPicker(1, seed)
	p.first, p.items = partition, hotItems
	return p
}

func (p *picker) next() (partition, sort, fresh int) {
	x := p.random.Uint64()
	return p.first + int(x>>40)%p.partitions, int(x>>20&0xfffff) % p.items, int(p.random.Uint32() % 1e8)
}
