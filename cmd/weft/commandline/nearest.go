// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// renamed are settings by the names that they had.
var renamed = map[string]string{"mysql-tls-cert": "tls-cert", "mysql-tls-key": "tls-key"} // immutable

// DidYouMean returns "; did you mean X?" for the known name that is nearest to a mistyped one, or "" if none is near.
// Case does not count, nor whether words are joined by - or _.
func DidYouMean(typed string, known []string) string {
	if name, ok := renamed[strings.TrimPrefix(strings.TrimPrefix(foldName(typed), "--"), "weft-")]; ok {
		return fmt.Sprintf("; it is now %s, which holds for all ports", name)
	}
	best, bestDistance := "", max(2, len(typed)/3)+1
	for _, name := range known {
		if d := distance(foldName(typed), foldName(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// NoTable is the error for a name that none of the tables has.
func NoTable(name string, tables []string) error {
	return fmt.Errorf("there is no table %s%s", name, DidYouMean(name, tables))
}

func foldName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// distance counts the letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// FlagError makes a usage error of the flag parser's, naming the nearest flag where one was mistyped.
func FlagError(c *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		err = fmt.Errorf("unknown flag --%s%s", unknown.GetSpecifiedName(),
			DidYouMean("--"+unknown.GetSpecifiedName(), names))
	}
	return Usage(err)
}
