// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

// block is a block of statements in the guide; expected is the comment that says which error a statement ends with.
var (
	block    = regexp.MustCompile("(?s)```sql\n(.*?)```")
	expected = regexp.MustCompile(`-- ERROR ?(\d*)$`)
)

// TestGuide runs every statement of docs/sql.md in its order, in one session.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	s := harness.Start(t, binary, harness.Options{})
	conn := connect(t, s, "default", "")
	ran := 0
	for _, found := range block.FindAllStringSubmatch(string(text), -1) {
		for _, statement := range statements(found[1]) {
			ran++
			want := expected.FindStringSubmatch(statement)
			_, err := conn.ExecContext(t.Context(), statement)
			known := (*mysql.MySQLError)(nil)
			switch {
			case want == nil && err != nil:
				t.Errorf("%s\n%v", statement, err)
			case want != nil && !errors.As(err, &known):
				t.Errorf("%s\nended with %v", statement, err)
			case want != nil && want[1] != "" && want[1] != strconv.Itoa(int(known.Number)):
				t.Errorf("%s\n%v", statement, err)
			}
		}
	}
	if ran < 80 {
		t.Errorf("%d statements were found", ran)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// statements splits a block: a statement ends with a line that ends in a semicolon, perhaps before a comment.
func statements(text string) (list []string) {
	var at strings.Builder
	for line := range strings.Lines(text) {
		at.WriteString(line)
		before, _, _ := strings.Cut(line, " --")
		if strings.HasSuffix(strings.TrimSpace(before), ";") {
			list = append(list, strings.TrimSpace(at.String()))
			at.Reset()
		}
	}
	return list
}
