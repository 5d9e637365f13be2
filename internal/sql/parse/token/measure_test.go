// SPDX-License-Identifier: Apache-2.0

package token_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/parse/token"
)

// TestBudget holds statements of many shapes against the budget of the relational engine: what is just within it passes, one more does not.
func TestBudget(t *testing.T) {
	many := func(before, part, between, after string) func(int) string {
		return func(n int) string {
			return before + strings.TrimSuffix(strings.Repeat(part+between, n), between) + after
		}
	}
	nested := func(open, middle, end string) func(int) string {
		return func(n int) string { return "SELECT " + strings.Repeat(open, n) + middle + strings.Repeat(end, n) }
	}
	b := token.Relational()
	for _, shape := range []struct {
		name string
		text func(n int) string
		most int
	}{
		{"AND", many("SELECT 1 UNION SELECT ", "1", " AND ", ""), b.Logic + 1},
		{"OR in a condition", many("SELECT 1 FROM t WHERE k = 1 AND (", "a = 1", " OR ", ")"), b.Logic + 1},
		{"NOT", many("SELECT ", "NOT ", "", "1"), b.Logic},
		{"sum", many("SELECT ", "1", " + ", ""), b.Chain + 1},
		{"signs", many("SELECT ", "- ", "", "1"), b.Chain},
		{"IS NULL", many("SELECT 1", " IS NULL", "", ""), b.Chain},
		{"brackets", nested("(", "1", ")"), b.Depth},
		{"functions", nested("abs(", "1", ")"), b.Depth},
		{"CASE", nested("CASE WHEN 1 THEN ", "1", " END"), b.Depth},
		{"CASE in brackets that end it", nested("(CASE WHEN 1 THEN ", "1", ")"), b.Depth / 2},
		{"UNION", many("", "SELECT 1", " UNION ", ""), b.SetOps + 1},
		{"UNION of wide queries", many("", "SELECT "+strings.Repeat("1,", 1000)+"1", " UNION ALL ", ""), 15},
		{"subqueries within", nested("(SELECT ", "1", ")"), 10},
		{"subqueries beside", many("SELECT ", "(SELECT 1)", ",", ""), b.Queries/2 - 1},
		{"joins", many("SELECT 1 FROM ", "t", " JOIN ", ""), b.Tables},
		{"comma joins", many("SELECT 1 FROM ", "t", ", ", " WHERE 1, 1"), b.Tables},
		{"joins of subqueries", many("SELECT 1 FROM ", "(SELECT 1)", " JOIN ", ""), b.Tables},
		{"joins in brackets", many("SELECT 1 FROM (t JOIN t) JOIN (t, ", "(t JOIN t)", ", ", ")"), b.Tables/2 - 2},
		{"IN", many("SELECT 1 IN (", "1", ",", ")"), b.Tokens/2 - 2},
		{"WHEN", many("SELECT CASE ", "WHEN 1 THEN 2", " ", " END"), b.Tokens/4 - 1},
		{"comments", many("SELECT ", "/* ( */", "", "1"), 0},
		{"texts", many("SELECT ", "'(('", "", ""), 0},
	} {
		t.Run(shape.name, func(t *testing.T) {
			if shape.most == 0 {
				if err := b.Check([]byte(shape.text(300_000))); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err := b.Check([]byte(shape.text(shape.most))); err != nil {
				t.Fatalf("%d: %v", shape.most, err)
			}
			if err := b.Check([]byte(shape.text(shape.most + 1))); err == nil {
				t.Fatalf("%d passes, too", shape.most+1)
			}
			if err := b.Check([]byte(shape.text(400_000))); err == nil {
				t.Fatal("400,000 pass")
			}
		})
	}
	if err := (token.Budget{}).Check([]byte(strings.Repeat("(", 1000))); err != nil {
		t.Fatal("a budget without bounds:", err)
	}
}

// FuzzBudget: no text gets past the budget by what stands in front of it, or makes counting fail.
func FuzzBudget(f *testing.F) {
	for _, text := range []string{"SELECT 1", "SELECT (1) FROM (a JOIN b) WHERE x IN (CASE WHEN 1 THEN 2 END)", "END END ) ) ( [ {", "SELECT 1 UNION SELECT '", "/*! SELECT */ # x\n-- y", "`a` \"b\" @c"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b := token.Relational()
		_ = b.Check(text)
		l := token.Lexer{Text: text}
		for {
			next := l.Next()
			if next.Kind == token.Bad {
				return // its reader refuses it
			}
			if next.Kind == token.End {
				break
			}
		}
		for _, more := range []string{strings.Repeat("\n(", 70), "\nSELECT 1" + strings.Repeat(" + 1", 300), "\nSELECT 1" + strings.Repeat(" AND 1", 1100), strings.Repeat("\nUNION SELECT 1", 70)} {
			if b.Check(append(append([]byte(nil), text...), more...)) == nil {
				t.Errorf("%q hides %.20q", text, more)
			}
		}
	})
}
