// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"strings"
	"sync/atomic"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/resource/metric"
)

// operation is an operation and what the server counts of it.
type operation struct {
	*dynamodb.Operation
	// answerBytes is about how long its answers are: the longest of late.
	answerBytes atomic.Int64
	metrics     *metric.Operation // nil if nothing is counted
}

func newOperation(o *dynamodb.Operation, metrics *metric.Protocol) *operation {
	own := &operation{Operation: o}
	if metrics != nil {
		own.metrics = metrics.Operation(o.Name)
	}
	return own
}

// newOperations makes the table of operations and, besides, what stands for every other name.
func newOperations(metrics *metric.Protocol) (known map[string]*operation, unknown *operation) {
	known = map[string]*operation{}
	for _, list := range [...][]dynamodb.Operation{dynamodb.Operations(), dynamodb.OwnOperations()} {
		for i := range list {
			known[list[i].Name] = newOperation(&list[i], metrics)
		}
	}
	return known, newOperation(&dynamodb.Operation{Name: "unknown", ReadOnly: true}, metrics)
}

// lookUp returns the operation that the header X-Amz-Target names.
func (s *Server) lookUp(target string) (*operation, bool) {
	service, name, _ := strings.Cut(target, ".")
	o, ok := s.operations[name]
	if !ok || o.Service != service {
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
