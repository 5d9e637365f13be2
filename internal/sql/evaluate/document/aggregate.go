// SPDX-License-Identifier: Apache-2.0

package document

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/fault"
)

// AppendElement appends the text of an array's element, NULL as null.
func AppendElement(dst []byte, function string, d datum.Datum) ([]byte, error) {
	v, err := datum.AppendJSONOf(nil, d)
	if err != nil {
		return nil, fault.New(fault.InvalidJSONArgument, 1, function, err.Error(), 0)
	}
	return jsontext.Append(dst, v), nil
}

// AppendMember appends the text of an object's member.
func AppendMember(dst []byte, function string, name, d datum.Datum) ([]byte, error) {
	if name.IsNull() {
		return nil, fault.New(fault.JSONNullName)
	}
	dst = jsontext.AppendString(dst, name.AppendText(nil))
	return AppendElement(append(dst, ": "...), function, d)
}

// Array is the array of elements with commas between them.
func Array(elements []byte) datum.Datum {
	return datum.JSON(append(append([]byte{'['}, elements...), ']'))
}

// Object is the object of members with commas between them, each name once.
func Object(members []byte) (datum.Datum, error) {
	v, err := jsontext.AppendValue(nil, "{"+string(members)+"}")
	if err != nil {
		return datum.Null, err
	}
	return datum.JSON(jsontext.Append(nil, v)), nil
}
