// SPDX-License-Identifier: Apache-2.0

// Package attributejson reads and writes DynamoDB's JSON: whole requests by a strict pull reader, attribute values such
// as {"S":"x"} straight from and to package value's encoding. Nothing is held in between: no maps, no trees, and, once
// the reader's and the caller's buffers have grown, no allocation.
//
// A request is read as
//
//	r := attributejson.NewReader(body)
//	if err := r.BeginObject(); err != nil { ... }
//	for {
//		name, ok, err := r.NextMember()
//		if err != nil { ... }
//		if !ok { break }
//		switch string(name) {
//		case "TableName":
//			table, err = r.String()
//		case "Item":
//			err = r.Item(&builder)
//		default:
//			err = r.Skip()
//		}
//	}
//	err := r.End()
//
// The reader stops at the first fault. Malformed JSON is a *SyntaxError, JSON of another type than the field has a
// *TypeError; DynamoDB answers both with SerializationException. A *ValueError is a ValidationException: an attribute
// value that breaks a rule, with DynamoDB's own text. DynamoDB reads the whole body before it judges values, so a
// caller that gets a ValueError may still look for faults of the first two sorts in the rest (NewReader(body).Skip()).
//
// Knows: JSON, the shape and the rules of DynamoDB's attribute values, its texts for breaking them.
// Never: operations, tables, HTTP, size limits of items and keys.
package attributejson
