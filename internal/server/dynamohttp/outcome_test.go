// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/resource/metric"
)

// TestOutcomes: the metrics tell faults apart by what they are, whatever they are called.
func TestOutcomes(t *testing.T) {
	of := func(kind database.Kind) *exception.Error { return exception.Of(&database.Error{Kind: kind}) }
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, try := range []struct {
		ctx   context.Context
		fault *exception.Error
		want  metric.Outcome
	}{
		{t.Context(), of(database.KindConflict), metric.Conflict},
		{t.Context(), exception.Of(exception.Reasons{{Code: "TransactionConflict"}}.Err()), metric.Conflict},
		{t.Context(), exception.New(exception.KindTransactionInProgress, ""), metric.Refused},
		{t.Context(), of(database.KindReadOnly), metric.Throttle},
		{t.Context(), of(database.KindInternal), metric.Failed},
		{t.Context(), of(database.KindConditionFailed), metric.Refused},
		{ended, of(database.KindConflict), metric.Canceled},
	} {
		if got := outcomeOf(try.ctx, try.fault); got != try.want {
			t.Errorf("%v: outcome %v, want %v", try.fault, got, try.want)
		}
	}
}
