// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
)

// Main is the main function of a measuring program: it reads the arguments and runs with what they say until it is
// interrupted. It returns the code to exit with: 1 after an error, which it prints behind the program's name.
func Main[C any](name string, parse func(args []string) (C, error),
	run func(ctx context.Context, c C, out io.Writer) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, c, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

// Choices reads a list of names, separated by commas, all of them among those that there are. It returns them in the
// order of the latter. The error names the flag.
func Choices(flag, text string, all []string) ([]string, error) {
	list := strings.Split(text, ",")
	for _, name := range list {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("--%s: there is no %q, only %s", flag, name, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(list, name) }), nil
}

// Counts reads a list of positive numbers, separated by commas. The error names the flag.
func Counts(flag, text string) (list []int, err error) {
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(one)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--%s: %q is no positive number", flag, one)
		}
		list = append(list, n)
	}
	return list, nil
}
