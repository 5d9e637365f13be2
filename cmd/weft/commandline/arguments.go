// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// NameArguments lets each command below c name the arguments that it misses, or has no use for, and makes that a fault
// of the command line.
func NameArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		NameArguments(sub)
	}
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil || IsUsage(err) {
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
		return Usage(fmt.Errorf("%s needs %s; see %s --help", path, strings.Join(missing, " and "), path))
	}
	return Usage(fmt.Errorf("%s has no use for the argument %q; see %s --help", path, args[most], path))
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

// UnknownCommand refuses arguments that are no command, and says which one was meant.
func UnknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return Usage(fmt.Errorf("there is no command %q%s; weft --help lists all commands", args[0],
		commandMeant(args[0], names)))
}

// commandMeant is DidYouMean for commands, some of which have other names in other programs.
func commandMeant(typed string, names []string) string {
	for name, others := range map[string][]string{"sql": {"shell", "mysql", "query", "console", "repl"},
		"serve": {"start", "server", "run", "init", "up"}, "status": {"top", "stats", "info"},
		"export": {"dump"}, "import": {"load"}, "demo": {"playground", "quickstart"}} {
		if slices.Contains(names, name) && slices.Contains(others, strings.ToLower(typed)) {
			return fmt.Sprintf("; did you mean %s?", name)
		}
	}
	return DidYouMean(typed, names)
}

// NoArguments refuses arguments.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usage(fmt.Errorf("weft %s takes no arguments, but got %q; see weft %s --help", c.Name(), args[0], c.Name()))
}
