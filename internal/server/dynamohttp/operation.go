// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"strings"
	"sync/atomic"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/metric"
)

// targetPrefix stands before the operation's name in the header X-Amz-Target.
const targetPrefix = "DynamoDB_20120810."

// operation is what the door keeps of one operation.
type operation struct {
	name     string
	readOnly bool
	// answerBytes is about how long its answers are: the longest of late.
	answerBytes atomic.Int64
	metrics     *metric.Operation // nil if nothing is counted
}

func newOperation(name string, readOnly bool, metrics *metric.Door) *operation {
	o := &operation{name: name, readOnly: readOnly}
	if metrics != nil {
		o.metrics = metrics.Operation(name)
	}
	return o
}

// newOperations makes the table of operations and, beside it, what stands for every other name.
func newOperations(metrics *metric.Door) (known map[string]*operation, unknown *operation) {
	known = map[string]*operation{}
	for _, name := range dynamodb.Operations() {
		known[name] = newOperation(name, onlyReads(name), metrics)
	}
	return known, newOperation("unknown", true, metrics)
}

// onlyReads says whether an operation changes nothing, so that its answer can be thrown away.
func onlyReads(name string) bool {
	for _, verb := range []string{"Get", "BatchGet", "TransactGet", "Query", "Scan", "Describe", "List"} {
		if strings.HasPrefix(name, verb) {
			return true
		}
	}
	return false
}

// lookUp returns the operation that the header X-Amz-Target names.
func (s *Server) lookUp(target string) (*operation, bool) {
	name, ok := strings.CutPrefix(target, targetPrefix)
	if !ok {
		return s.unknown, false
	}
	o, ok := s.operations[name]
	if !ok {
		return s.unknown, false
	}
	return o, true
}

// learn notes the length of an answer: a longer one counts at once, shorter ones bit by bit.
func (o *operation) learn(bytes int64) {
	expected := o.answerBytes.Load()
	switch {
	case bytes > expected:
		o.answerBytes.Store(bytes)
	case bytes < expected-expected/32:
		o.answerBytes.Store(expected - (expected-bytes)/32)
	}
}
