// SPDX-License-Identifier: Apache-2.0

package expr

// Fault says what kind of Error it is.
type Fault uint8

// The faults of evaluating an update over a row.
const (
	_ Fault = iota
	// FaultOperandType: a function, a sign, ADD or DELETE met a value of a type that it can't work on.
	FaultOperandType
	// FaultMissingAttribute: a right-hand side names an attribute that the row does not have.
	FaultMissingAttribute
	// FaultInvalidPath: a path leads through something that is not there or is no map or list.
	FaultInvalidPath
	// FaultNumberOverflow: the result of arithmetic is too large.
	FaultNumberOverflow
	// FaultNumberUnderflow: the result of arithmetic is too close to zero.
	FaultNumberUnderflow
	// FaultNumberPrecision: the result of arithmetic needs more than 38 significant digits.
	FaultNumberPrecision
	// FaultDepth: a value would be nested too deep.
	FaultDepth
)

// Error says why an expression has no result for a row. All of them are faults of the request, none of the store.
type Error struct {
	Fault   Fault
	Message string // DynamoDB's wording
}

func (e *Error) Error() string { return e.Message }

func fault(kind Fault) error {
	return &Error{Fault: kind, Message: kind.message()}
}

func (f Fault) message() string {
	switch f {
	case FaultOperandType:
		return "An operand in the update expression has an incorrect data type"
	case FaultMissingAttribute:
		return "The provided expression refers to an attribute that does not exist in the item"
	case FaultInvalidPath:
		return "The document path provided in the update expression is invalid for update"
	case FaultNumberOverflow:
		return "Number overflow. Attempting to store a number with magnitude larger than supported range"
	case FaultNumberUnderflow:
		return "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	case FaultNumberPrecision:
		return "Attempting to store more than 38 significant digits in a Number"
	case FaultDepth:
		return "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	}
	return "The expression can not be evaluated"
}
