// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPlan explains SELECTs over a table with an index of each kind: whatever they say, an answer or an error comes,
// and what is planned is bounded.
func FuzzPlan(f *testing.F) {
	files, err := filepath.Glob("testdata/access/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			f.Fatal(err)
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if _, condition, ok := strings.Cut(lines.Text(), " WHERE "); ok &&
				strings.HasPrefix(lines.Text(), "SELECT") {
				f.Add(condition)
			}
		}
		if err := file.Close(); err != nil {
			f.Fatal(err)
		}
	}
	h := newHarness(f)
	var out strings.Builder
	h.run(&out, `CREATE TABLE t (a INT NOT NULL, b VARCHAR NOT NULL, c TIMESTAMP NOT NULL, n INT, v VARCHAR, f DOUBLE, d DECIMAL(10, 2), x BIGINT, y BIGINT, flag BOOLEAN,
		PRIMARY KEY(hash8(a), a, b DESC, c)) WITH (DYNAMIC_COLUMNS='true');
		CREATE INDEX i ON t(n, v DESC); CREATE INDEX z ON t(ZORDER(x, y, n)); CREATE INDEX r ON t(reverse(v)); CREATE INDEX fl ON t(f, flag) INCLUDE (d); CREATE INDEX dt ON t(d DESC, c)`)
	if out.Len() > 0 {
		f.Fatal(out.String())
	}
	f.Fuzz(func(t *testing.T, condition string) {
		h.t = t
		var out strings.Builder
		h.run(&out, "EXPLAIN SELECT /*+ _l_allow_filtering_ */ * FROM t WHERE "+condition)
		if out.Len() == 0 || out.Len() > 1<<20 {
			t.Errorf("%d bytes of EXPLAIN", out.Len())
		}
	})
}
