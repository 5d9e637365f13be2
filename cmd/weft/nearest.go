// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// renamed are settings by the names that they had.
var renamed = map[string]string{"mysql-tls-cert": "tls-cert", "mysql-tls-key": "tls-key"} // immutable

// didYouMean returns "; did you mean X?" for the known name that is nearest to a mistyped one, or "" if none is near.
// Case does not count, nor whether words are joined by - or _.
func didYouMean(typed string, known []string) string {
	if name, ok := renamed[strings.TrimPrefix(strings.TrimPrefix(foldName(typed), "--"), foldName(envPrefix))]; ok {
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

// noTable is the error for a name that none of the tables has.
func noTable(name string, tables []string) error {
	return fmt.Errorf("there is no table %s%s", name, didYouMean(name, tables))
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

// flagError makes a usage error of the flag parser's, naming the nearest flag where one was mistyped.
func flagError(c *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		err = fmt.Errorf("unknown flag --%s%s", unknown.GetSpecifiedName(),
			didYouMean("--"+unknown.GetSpecifiedName(), names))
	}
	return usageError{err}
}
