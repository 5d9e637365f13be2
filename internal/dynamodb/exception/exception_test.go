// SPDX-License-Identifier: Apache-2.0

package exception

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/failure"
)

// TestKinds: every kind of the database's errors has an exception, and only those that a client can do nothing about
// are the server's.
func TestKinds(t *testing.T) {
	for _, kind := range failure.Kinds() {
		cause := &database.Error{Kind: kind, Table: "t", Detail: "the detail"}
		e := Of(cause)
		if e.Kind.IsConflict() != (kind == database.KindConflict) {
			t.Errorf("%s is of kind %d", kind, e.Kind)
		}
		if e.Status() < 400 || !strings.Contains(e.Kind.Type(), "#") || e.Message == "" || !errors.Is(e, cause) {
			t.Errorf("%s has no exception: %+v", kind, e)
		}
		var body map[string]string
		if err := json.Unmarshal(e.AppendJSON(nil), &body); err != nil || body["__type"] != e.Kind.Type() {
			t.Errorf("%s: %s: %v", kind, e.AppendJSON(nil), err)
		}
	}
	if e := Of(errors.New("x")); e.Status() != 500 || strings.Contains(string(e.AppendJSON(nil)), "x\"") {
		t.Errorf("a cause leaks: %s", e.AppendJSON(nil))
	}
	if e := Of((Reasons{{Code: "ConditionalCheckFailed"}}).Err()); !e.Kind.IsConflict() {
		t.Errorf("a cancelled transaction is of kind %d", e.Kind)
	}
}
