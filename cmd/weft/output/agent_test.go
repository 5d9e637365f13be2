// SPDX-License-Identifier: Apache-2.0

package output

import (
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"a\": 1,\n  \"b\": {\n  }\n}\n":              "{\"a\":1,\"b\":{}}\n",
		"[\n  {\n    \"a\": 1\n  },\n  {}\n]\n{\"c\": 2}\n": "{\"a\":1}\n{}\n{\"c\":2}\n",
		"[{\"a\":1},2]\n":          "{\"a\":1}\n2\n",
		"{\"a\": 1}\n{\"a\": 2}\n": "{\"a\":1}\n{\"a\":2}\n",
		"text\nmore":               "text\nmore\n",
		"[]\n":                     "",
		"":                         "",
		"{\n  \"a\": ":             "{\n  \"a\": \n",
	} {
		for _, size := range []int{1, 3, 1000} {
			var out strings.Builder
			l := &Lines{To: &out}
			for rest := in; rest != ""; {
				n := min(size, len(rest))
				if _, err := l.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := l.Close(); err != nil || out.String() != want {
				t.Errorf("%q in pieces of %d became %q, not %q (%v)", in, size, out.String(), want, err)
			}
		}
	}
}
