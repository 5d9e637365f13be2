// SPDX-License-Identifier: Apache-2.0

package oracle

// Request is one request, as trees for the model and as JSON for the database.
type Request struct {
	Operation string
	Verb      string // of a statement of PartiQL
	Table     string
	Index     string
	Key, Item Item
	Start     Item // ExclusiveStartKey

	Condition, Filter *Condition
	KeyTests          []KeyTest
	Projection        []Path
	Actions           []Action

	ReturnValues, OnFailure, Capacity, Metrics, Select string
	Consistent, Backward                               bool
	Limit, Segments                                    int
	Token                                              string

	// Parts of a batch or a transaction: Operation, Table, Key or Item and what else a part has.
	Parts []*Request

	// Forced is what the generator has broken so that the answer does not depend on what is stored; nil if nothing.
	Forced *Failure
	// Members are more members of the body, or others instead of the usual ones, as JSON; "" leaves one out.
	Members map[string]string

	// Body is the request's JSON, Values its placeholders.
	Body   string
	Values map[string]*Value
}

// Failure is an exception. Texts are the messages that it may have, of which one is told; none means that the model
// does not know it.
type Failure struct {
	Type    string
	Texts   []string
	Item    Item     // that ReturnValuesOnConditionCheckFailure shows
	Reasons []Reason // of a cancelled transaction
	Or      *Failure // another one that is as right: DynamoDB's choice is not known
}

// Reason is why one action of a transaction did not happen; Code is "None" for those that would have.
type Reason struct {
	Code  string
	Texts []string
	Item  Item
}

func invalid(texts ...string) *Failure { return &Failure{Type: "ValidationException", Texts: texts} }
