// SPDX-License-Identifier: Apache-2.0

package layer

import "slices"

// The values that enumerations have, in the order in which messages list them. // immutable
var (
	capacityModes = []string{"INDEXES", "TOTAL", "NONE"}
	metricsModes  = []string{"SIZE", "NONE"}
	returns       = []string{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"}
	returnsShown  = []string{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATE_NEW"} // as AWS spells it
	returnsOnFail = []string{"ALL_OLD", "NONE"}
	selections    = []string{"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"}
)

// Enum says whether a text is one of the values that a member has, and lists them as messages do.
func Enum(member Members, text string) (shown []string, ok bool) {
	switch member {
	case ReturnConsumedCapacity:
		shown = capacityModes
	case ReturnMetrics:
		shown = metricsModes
	case ReturnOnFailure:
		shown = returnsOnFail
	case Select:
		shown = selections
	case ReturnValues:
		return returnsShown, slices.Contains(returns, text)
	}
	return shown, slices.Contains(shown, text)
}

// words are the texts that most requests have. // immutable
var words = [...]string{"NONE", "TOTAL", "INDEXES", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "COUNT", "SIZE"}

// Word is a string of b, without a copy of the usual values of enumerations.
func Word(b []byte) string {
	for _, word := range words {
		if string(b) == word {
			return word
		}
	}
	return string(b)
}
