// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestKnown wants every entry of the list to be a difference still: one that is mended must leave the list.
func TestKnown(t *testing.T) {
	for _, k := range known {
		t.Run(k.Name, func(t *testing.T) {
			do := inProcess(t.Context(), testdb.Open(t))
			if text := makeTables(do, []*Table{k.Table}); text != "" {
				t.Fatal(text)
			}
			for i := 0; i < len(k.Setup); i += 2 {
				if answer, failure := do(k.Setup[i], k.Setup[i+1]); failure {
					t.Fatalf("%s: %s", k.Setup[i], answer)
				}
			}
			answer, failure := do(k.Operation, k.Body)
			if failure != strings.Contains(k.Right, "__type") {
				return
			}
			text := string(answer)
			if failure {
				text = strings.Replace(text, text[strings.Index(text, `:"`)+2:strings.IndexByte(text, '#')+1], "", 1)
			}
			var open []string
			if !strings.Contains(strings.ToLower(k.Right), `"message"`) {
				open = []string{"message", "Message"}
			}
			got, err := canonical(&Request{}, []byte(text), open)
			right, err2 := canonical(&Request{}, []byte(k.Right), nil)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if got == right {
				t.Fatal("the answer is right now: remove this entry from known.go")
			}
			t.Logf("got %s", got)
		})
	}
}
