// SPDX-License-Identifier: Apache-2.0

package weft

import "github.com/weftdb/weft/internal/govalue"

// Field names an attribute, or a value inside one, in conditions and updates: a name followed by fields (string) and list positions (int).
type Field = govalue.Field

// Attribute returns the field for an attribute's name and, if given, the steps into its document.
func Attribute(name string, steps ...any) Field { return govalue.Attribute(name, steps...) }

// All is true if every condition is; nil if there is none.
func All(conditions ...Condition) Condition { return govalue.All(conditions...) }

// Any is true if one of the conditions is.
func Any(conditions ...Condition) Condition { return govalue.Any(conditions...) }

// Not is true if the condition is not.
func Not(condition Condition) Condition { return govalue.Not(condition) }

// Updates joins several updates of different fields into one.
func Updates(updates ...*Update) *Update { return govalue.Updates(updates...) }
