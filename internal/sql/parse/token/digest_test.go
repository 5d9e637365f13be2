// SPDX-License-Identifier: Apache-2.0

package token

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDigest(t *testing.T) {
	for text, wanted := range map[string]string{
		"":          "",
		" ; ":       ";",
		"SELECT  1": "SELECT ?",
		"SELECT * FROM t WHERE a = 'x' AND b IN (1,2, 3)\n AND c=x'41'": "SELECT * FROM t WHERE a = ? AND b IN (?, ...) AND c=?",
		"INSERT INTO t VALUES (1, 'a'), (2, 'b'),(3, 'c')":              "INSERT INTO t VALUES (?, ...), ...",
		"INSERT INTO t VALUES (1), (2), (3)":                            "INSERT INTO t VALUES (?), ...",
		"SELECT a /* why */ FROM `a b`, \"c\"":                          "SELECT a FROM `a b`, ?",
		"UPDATE t SET n = n - 1.5, m = ? WHERE id = ?":                  "UPDATE t SET n = n - ?, m = ? WHERE id = ?",
		"SELECT 'never ends":                                            "SELECT",
	} {
		if shown := string(Mode(0).Digest([]byte(text), 1024)); shown != wanted {
			t.Errorf("%s\nis %s\nnot %s", text, shown, wanted)
		}
	}
	if long := string(Mode(0).Digest([]byte("SELECT "+strings.Repeat("ä, ", 1000)), 101)); !utf8.ValidString(long) ||
		len(long) > 110 || !strings.HasSuffix(long, "…") {
		t.Errorf("cut to %q", long)
	}
}

func FuzzDigest(f *testing.F) {
	f.Add([]byte("INSERT INTO t VALUES (1, 'a'), (2, 'b')"))
	f.Add([]byte("SELECT ((?, ?), (?,?))"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if shown := Mode(0).Digest(text, 200); len(shown) > 210+len(text) {
			t.Errorf("%d bytes of %d", len(shown), len(text))
		}
	})
}
