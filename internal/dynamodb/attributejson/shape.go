// SPDX-License-Identifier: Apache-2.0

package attributejson

import "strings"

// Shape is a structure, a map or a list as Amazon's model has it: what is said of JSON of another type depends on it.
type Shape struct {
	sort  shapeSort
	class string // of the structure, or of what the map holds: with a point in it if it is none of the model
}

type shapeSort uint8

const (
	shapeField shapeSort = iota
	shapeElement
	shapeMap
	shapeMapInList
	shapeListInMap
)

const model = "com.amazonaws.dynamodb.v20120810."

// Field is a structure that is a member of another.
func Field(class string) Shape { return Shape{shapeField, class} }

// Element is a structure that stands in a list or a map.
func Element(class string) Shape { return Shape{shapeElement, class} }

// MapOf is a map to structures.
func MapOf(class string) Shape { return Shape{shapeMap, class} }

// MapOfTexts is a map to strings.
func MapOfTexts() Shape { return Shape{shapeMap, "java.lang.String"} }

// MapOfLists is a map to lists of structures.
func MapOfLists(class string) Shape { return Shape{shapeMap, "java.util.List<" + model + class + ">"} }

// MapInList is a map of attribute values that stands in a list.
func MapInList() Shape { return Shape{shapeMapInList, "AttributeValue"} }

// ListInMap is a list that stands in a map.
func ListInMap() Shape { return Shape{sort: shapeListInMap} }

// castFault is the raw error of Amazon's framework for a scalar in a list of maps or in a map of lists.
const castFault = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class " +
	"(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"

// Expect wants what comes next to be an object, or for a ListInMap an array. It reads nothing.
func (r *Reader) Expect(s Shape) error {
	wanted, expected := TokenObject, "Structure"
	if s.sort == shapeListInMap {
		wanted, expected = TokenArray, "List"
	}
	if r.Peek() == wanted {
		return nil
	}
	err := r.typeError(expected)
	if fault, ok := err.(*TypeError); ok && fault.Actual != TokenObject {
		fault.Text = s.Text(fault.Actual)
	}
	return err
}

// Text returns the message for JSON that is not the expected object.
func (s Shape) Text(actual Token) string {
	if actual == TokenArray {
		return s.ofCollection()
	}
	return s.ofScalar()
}

// ofCollection returns the message for a list where an object is expected.
func (s Shape) ofCollection() string {
	class := s.class
	if !strings.Contains(class, ".") {
		class = model + class
	}
	switch s.sort {
	case shapeMap, shapeMapInList:
		return "Unrecognized collection type java.util.Map<java.lang.String, " + class + ">"
	}
	return "Unrecognized collection type class " + class
}

func (s Shape) ofScalar() string {
	switch s.sort {
	case shapeElement:
		return "Unexpected value type in payload"
	case shapeMapInList, shapeListInMap:
		return castFault
	}
	return "Unexpected field type"
}
