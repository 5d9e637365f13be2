// SPDX-License-Identifier: Apache-2.0

package oracle

import "strings"

// Known is a difference between the database and the model that is known to be the database's fault, and is passed over until it is
// mended. Setup and Operation show it: as long as the entry stands, the answer must not be what it should be.
type Known struct {
	Name, Reason string
	// Table is the table that the requests are about; its name is "known".
	Table *Table
	// Setup are operations that must work: names and bodies in turn.
	Setup           []string
	Operation, Body string
	// Right is the answer that DynamoDB gives: a JSON object; of an exception only __type, without its name space, and message, if it is known.
	Right string
	// Matches says whether a difference of a random request is this one. got is the database's answer.
	Matches func(r *Request, want *Answer, got string) bool
}

// known are the differences that are passed over. // immutable
var known = []Known{
	{
		Name:      "a faulty value in a batch or a transaction is told before anything about tables and keys",
		Reason:    "Values are judged before a table is looked up, in batches and transactions as in PutItem; here tables and keys are looked at first.",
		Table:     &Table{Name: "known", Hash: []Part{{"pk", "S"}}},
		Operation: "BatchWriteItem",
		Body:      `{"RequestItems":{"missing":[{"PutRequest":{"Item":{"pk":{"S":"x"},"n":{"N":"abc"}}}}]}}`,
		Right:     `{"__type":"ValidationException","message":"The parameter cannot be converted to a numeric value: abc"}`,
		Matches: func(r *Request, want *Answer, got string) bool {
			return len(r.Parts) > 0 && want.refused("ValidationException") && len(r.partFaults()) > 0 && strings.Contains(got, "__type")
		},
	},
	{
		Name:      "UPDATED_NEW shows nothing of what REMOVE has removed",
		Reason:    "The element behind a removed one moves to its index, and is shown as if the update had written it.",
		Table:     &Table{Name: "known", Hash: []Part{{"pk", "S"}}},
		Setup:     []string{"PutItem", `{"TableName":"known","Item":{"pk":{"S":"x"},"l":{"L":[{"S":"a"},{"S":"b"}]}}}`},
		Operation: "UpdateItem",
		Body:      `{"TableName":"known","Key":{"pk":{"S":"x"}},"UpdateExpression":"REMOVE l[0]","ReturnValues":"UPDATED_NEW"}`,
		Right:     `{}`,
		Matches: func(r *Request, want *Answer, got string) bool {
			return r.ReturnValues == "UPDATED_NEW" && len(r.touched("REMOVE")) > 0 && want.sameBut(r, got, "Attributes")
		},
	},
	{
		Name:      "a member of the wrong JSON type is told before anything else",
		Reason:    "The body is taken apart before a request is judged; here ExclusiveStartKey is read only when the table and the filter are known.",
		Table:     &Table{Name: "known", Hash: []Part{{"pk", "S"}}},
		Operation: "Scan",
		Body:      `{"TableName":"known","ExclusiveStartKey":5,"IndexName":"missing"}`,
		Right:     `{"__type":"SerializationException"}`,
		Matches: func(r *Request, want *Answer, got string) bool {
			return want.refused("SerializationException") && (strings.Contains(got, "ValidationException") || strings.Contains(got, "ResourceNotFoundException"))
		},
	},
}

// refused says whether the answer is an exception of that type.
func (a *Answer) refused(exception string) bool {
	return a.Failure != nil && a.Failure.Type == exception
}

// sameBut says whether an answer is the right one but for one member.
func (a *Answer) sameBut(r *Request, got, member string) bool {
	if a.Failure != nil {
		return false
	}
	wanted, err := canonical(r, []byte(a.JSON()), []string{member})
	answered, err2 := canonical(r, []byte(got), []string{member})
	return err == nil && err2 == nil && wanted == answered
}
