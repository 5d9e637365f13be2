// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// varietySteps is the number of requests the model answers to see what the generator makes.
const varietySteps = 20_000

// wantedOutcomes are outcomes of random requests, and how many of each there must be among varietySteps: without them
// the comparison would be about nothing. // immutable
var wantedOutcomes = map[string]int{
	"PutItem done": 2000, "UpdateItem done": 1000, "DeleteItem done": 500, "GetItem done": 500, "Query done": 1500,
	"Scan done":                  500,
	"BatchExecuteStatement done": 100,
	"BatchGetItem done":          200, "BatchWriteItem done": 100, "TransactGetItems done": 100, "TransactWriteItems done": 100,
	"PutItem ValidationException": 50, "UpdateItem ValidationException": 500, "Query ValidationException": 50,
	"Scan ValidationException":    20,
	"GetItem ValidationException": 10, "BatchWriteItem ValidationException": 10,
	"TransactWriteItems ValidationException":  10,
	"PutItem ConditionalCheckFailedException": 200, "UpdateItem ConditionalCheckFailedException": 200,
	"DeleteItem ConditionalCheckFailedException": 50, "TransactWriteItems TransactionCanceledException": 100,
	"TransactWriteItems IdempotentParameterMismatchException": 1, "PutItem ResourceNotFoundException": 5,
	"reason None": 100, "reason ConditionalCheckFailed": 50, "reason ValidationError": 50,
	"Query found": 500, "Query several": 200, "Query of an index found": 200, "Scan of an index found": 100,
	"more pages": 300, "next page": 200,
	"filtered": 50, "page cut by its size": 5, "Query of three attributes found": 3, "backward": 300,
	"shown after a false condition": 50, "Attributes": 1000, "units of a local index": 300,
	"units of a global index": 300,
	"collections":             100, "segments": 50, textOperand: 50, textMissing: 50, textPath: 100, textUpdateLarge: 1,
	textItemLarge: 1, textDepth: 1,
	"Empty attribute name": 1, textSingle: 1, "an update reads the key": 20, "a transaction with several faults": 5,
}

// TestVariety counts what becomes of random requests.
func TestVariety(t *testing.T) {
	if rounds.Race {
		t.Skip("one goroutine asks the model: there is nothing to detect")
	}
	count := map[string]int{}
	for seed := range uint64(varietySteps / stepsMax) {
		h := newHistory(seed, "v")
		h.generator.transactions = true
		for range stepsMax {
			r := h.generator.request()
			a := h.model.Do(r)
			for _, outcome := range outcomes(r, a) {
				count[outcome]++
			}
			h.generator.goOn(r, a.Next)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wantedOutcomes)) {
		if count[name] < wantedOutcomes[name] {
			t.Errorf("%s: %d of %d requests, want %d at least", name, count[name], varietySteps, wantedOutcomes[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%6d %s", count[name], shortest(name))
	}
}

// outcomes names what can be said of one request and its answer.
func outcomes(r *Request, a *Answer) (names []string) {
	say := func(truth bool, name string) {
		if truth {
			names = append(names, name)
		}
	}
	if f := a.Failure; f != nil {
		say(true, r.Operation+" "+f.Type)
		say(r.Operation == "TransactWriteItems" && r.faultyParts() > 1, "a transaction with several faults")
		say(f.Item != nil, "shown after a false condition")
		for _, reason := range f.Reasons {
			say(true, "reason "+reason.Code)
		}
		for _, text := range f.Texts {
			if _, wanted := wantedOutcomes[text]; wanted {
				say(true, text)
			}
		}
		return names
	}
	say(true, r.Operation+" done")
	say(r.readsKey(), "an update reads the key")
	found := a.Members["Count"] > "0"
	say(found, r.Operation+" found")
	say(a.Members["Count"] > "1", r.Operation+" several")
	say(found && r.Index != "", r.Operation+" of an index found")
	say(a.Next != nil, "more pages")
	say(a.Next != nil && r.Limit == 0, "page cut by its size")
	say(found && len(r.KeyTests) > 2, "Query of three attributes found")
	say(a.Next != nil && r.Start != nil, "next page")
	say(found && a.Members["Count"] != a.Members["ScannedCount"], "filtered")
	say(found && r.Backward, "backward")
	say(a.Members["Attributes"] != "", "Attributes")
	say(strings.Contains(a.Members["ConsumedCapacity"], "Local"), "units of a local index")
	say(strings.Contains(a.Members["ConsumedCapacity"], "Global"), "units of a global index")
	say(a.Members["ItemCollectionMetrics"] != "", "collections")
	say(r.Segments > 0, "segments")
	return names
}

// readsKey reports whether an update assigns something of the item's key.
func (r *Request) readsKey() bool {
	return slices.ContainsFunc(r.Actions, func(a Action) bool {
		return slices.ContainsFunc(pathsOf(a.To), func(p Path) bool { return p.Name == "pk" || p.Name == "sk" })
	})
}

// faultyParts is the number of parts that are faulty whatever is stored.
func (r *Request) faultyParts() (n int) {
	for _, part := range r.Parts {
		if len(part.staticFaults(r.Operation)) > 0 {
			n++
		}
	}
	return n
}

// TestSeed makes the same requests of the same seed.
func TestSeed(t *testing.T) {
	var bodies [2][]string
	for i := range bodies {
		for seed := range uint64(5) {
			h := newHistory(seed, "s")
			for range stepsMax {
				r := h.generator.request()
				bodies[i] = append(bodies[i], r.Operation+" "+r.Body)
				h.generator.goOn(r, h.model.Do(r).Next)
			}
		}
	}
	for i := range bodies[0] {
		if bodies[0][i] != bodies[1][i] {
			t.Fatalf("request %d is once %s and once %s", i, shortest(bodies[0][i]), shortest(bodies[1][i]))
		}
	}
}
