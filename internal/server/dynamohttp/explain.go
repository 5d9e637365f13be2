// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// explainHeader asks, with the value true or analyze, for how a Query or Scan is read in place of its answer.
const explainHeader = "X-Weft-Explain"

// explainer is an API that can explain, as *dynamodb.API does.
type explainer interface {
	Explain(ctx context.Context, operation string, body []byte, analyze bool, dst []byte) ([]byte, error)
}

// answerOf carries the operation out, or explains it if the request asks for that.
func (x *exchange) answerOf(ctx context.Context) ([]byte, error) {
	asked, ok := x.requestHeader[explainHeader]
	if !ok {
		return x.api.Run(ctx, x.operation.Operation, x.body, x.answer[:0])
	}
	how := first(asked)
	explains, ok := x.api.(explainer)
	if !ok || how != "true" && how != "analyze" {
		return nil, exception.Validation("The header " + explainHeader + " must be true or analyze")
	}
	return explains.Explain(ctx, x.operation.Name, x.body, how == "analyze", x.answer[:0])
}
