// SPDX-License-Identifier: Apache-2.0

//go:build weft_ik

package search

import "testing"

// TestChinese: words of the dictionary are found, with their places in the text.
func TestChinese(t *testing.T) {
	a, err := Open("ik")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"中华人民共和国成立了":       "中华人民共和国@0[0,21] 成立@1[21,27] 了@2[27,30]\n",
		"MySQL 数据库 v8 的索引": "mysql@0[0,5] 数据库@1[6,15] v8@2[16,18] 的@3[19,22] 索引@4[22,28]\n",
		"":                 "\n",
	} {
		if got := shownTokens(a, text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
