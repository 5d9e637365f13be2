// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb"
)

// answer is what came of one operation.
type answer struct {
	operation string
	failure   *dynamodb.Error
	leaves    map[string]string // the values of the answer, or of the exception beside its text, by their paths
}

// veiledName is of what varies from run to run.
var veiledName = regexp.MustCompile(`(DateTime|TableId|ItemCount|SizeBytes|RevisionId|ShardId|SequenceNumber|ShardIterator|eventID)$`)

func answerOf(operation string, body []byte, err error) answer {
	a := answer{operation: operation, leaves: map[string]string{}}
	if err != nil {
		if !errors.As(err, &a.failure) {
			a.failure = &dynamodb.Error{Message: "no exception: " + err.Error()}
		}
		body = slices.Concat([]byte("{"), a.failure.Extra, []byte("}"))
	}
	if len(body) == 0 {
		return a // TagResource and UntagResource answer nothing
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		a.leaves["no JSON"] = err.Error()
		return a
	}
	a.flatten("", v)
	return a
}

// flatten notes the leaves of a value: scalars, items, attribute values and lists of scalars.
func (a *answer) flatten(path string, v any) {
	switch v := v.(type) {
	case object:
		if len(v) > 0 && !isValue(v) && !isItem(v) || path == "" {
			for name, inner := range v {
				a.flatten(strings.TrimPrefix(path+"."+name, "."), inner)
			}
			return
		}
	case []any:
		if slices.ContainsFunc(v, func(inner any) bool { _, ok := inner.(object); return ok }) {
			for i, inner := range v {
				a.flatten(fmt.Sprintf("%s[%d]", path, i), inner)
			}
			return
		}
	}
	text, err := json.Marshal(v)
	switch {
	case err != nil:
		text = []byte(err.Error())
	case veiledName.MatchString(path):
		text = []byte("…")
	}
	a.leaves[path] = string(text)
}

func isItem(o object) bool {
	for _, v := range o {
		if inner, ok := v.(object); !ok || !isValue(inner) {
			return false
		}
	}
	return true
}

// text shows the whole answer.
func (a *answer) text() string {
	lines := []string{}
	if a.failure != nil {
		lines = append(lines, a.brief())
	}
	for _, path := range slices.Sorted(maps.Keys(a.leaves)) {
		lines = append(lines, path+": "+a.leaves[path])
	}
	if len(lines) == 0 {
		return "answered\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

// brief reports whether there was an exception, and which.
func (a *answer) brief() string {
	if a.failure == nil {
		return "answered"
	}
	return a.failure.Name() + ": " + a.failure.Message
}

// difference shows what another answer has that a has not, and the other way round.
func (a *answer) difference(b *answer) (lines []string) {
	if a.brief() != b.brief() {
		lines = append(lines, a.brief()+" -> "+b.brief())
	}
	if (a.failure == nil) != (b.failure == nil) {
		for _, path := range slices.Sorted(maps.Keys(b.leaves)) {
			if b.failure != nil {
				lines = append(lines, path+": "+b.leaves[path])
			}
		}
		return lines
	}
	paths := maps.Clone(a.leaves)
	maps.Copy(paths, b.leaves)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if before, after := valueAt(a.leaves, path), valueAt(b.leaves, path); before != after {
			lines = append(lines, path+": "+before+" -> "+after)
		}
	}
	return lines
}

func valueAt(leaves map[string]string, path string) string {
	if v, ok := leaves[path]; ok {
		return v
	}
	return "none"
}

// keepers are the operations that keep settings. // immutable
var keepers = []string{"CreateTable", "UpdateTable", "UpdateTimeToLive", "UpdateContributorInsights", "TagResource",
	"RestoreTableFromBackup", "RestoreTableToPointInTime", "ExportTableToPointInTime", "ImportTable",
	"StartBulkPutItems"}

// describes reports whether what an operation answers, if it does not fail, only shows what is kept.
func describes(operation string) bool {
	return strings.HasPrefix(operation, "Describe") || operation == "DeleteTable" ||
		strings.HasPrefix(operation, "List") ||
		slices.Contains(keepers, operation)
}
