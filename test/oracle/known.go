// SPDX-License-Identifier: Apache-2.0

package oracle

// Known is a difference between the database and the model that is known to be the database's fault, and is passed over
// until it is mended. Setup and Operation show it: as long as the entry stands, the answer must not be what it should
// be.
type Known struct {
	Name, Reason string
	// Table is the table that the requests are about; its name is "known".
	Table *Table
	// Setup are operations that must work: names and bodies in turn.
	Setup           []string
	Operation, Body string
	// Right is the answer that DynamoDB gives: a JSON object; of an exception only __type, without its name space, and
	// message, if it is known.
	Right string
	// Matches reports whether a difference of a random request is this one. got is the database's answer.
	Matches func(r *Request, want *Answer, got string) bool
}

// known are the differences that are passed over. // immutable
var known = []Known{}
