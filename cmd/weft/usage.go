// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// nameArguments lets each command below c name the arguments that it misses, or has no use for, and makes that a fault
// of the command line.
func nameArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		nameArguments(sub)
	}
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil || errors.As(err, new(usageError)) {
			return err
		}
		return argumentFault(c, args)
	}
}

// argumentFault compares what was typed with the line of use.
func argumentFault(c *cobra.Command, args []string) error {
	required, most := argumentsOf(c.Use)
	path := c.CommandPath()
	if missing := required[min(len(args), len(required)):]; len(missing) > 0 {
		return usageError{fmt.Errorf("%s needs %s; see %s --help", path, strings.Join(missing, " and "), path)}
	}
	return usageError{fmt.Errorf("%s has no use for the argument %q; see %s --help", path, args[most], path)}
}

// argumentsOf takes a line of use such as "show USER [POLICY]" apart: the arguments that must be there, and how many
// there may be. Alternatives in braces count as one argument that must be there.
func argumentsOf(use string) (required []string, most int) {
	if _, braced, found := strings.Cut(use, "{"); found {
		return []string{strings.ReplaceAll(strings.TrimSuffix(braced, "}"), " | ", " or ")}, 1
	}
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		most++
		if !strings.HasPrefix(word, "[") {
			required = append(required, strings.TrimRight(word, "."))
		}
	}
	return required, most
}
