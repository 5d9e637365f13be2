// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/division"
)

// readyHelp is the help of --ready-json.
const readyHelp = "when requests are answered, print a line of JSON with all endpoints; with port 0 in an address, the system chooses the port"

// serveCommand is `weft serve`.
func (p *program) serveCommand() *cobra.Command {
	var configFile string
	var showConfig, tell bool
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server until SIGTERM or SIGINT. A second signal stops it at once.

Each flag can also be set as an environment variable (--log-level as WEFT_LOG_LEVEL) and as a key of a TOML file
(log-level = "info") named by --config or WEFT_CONFIG. A flag overrides a variable, and a variable overrides the file.

Exit codes: 0 stopped by a signal, 1 failed, 2 invalid command line or configuration, 70 the store failed and the
process must be restarted.`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			conf, all, err := resolve(inputs{givenFlags(c.Flags()), p.environ, p.readFile})
			if err != nil {
				return err
			}
			if showConfig {
				return printConfig(p.stdout, all)
			}
			return p.serve(c.Context(), conf, tell)
		},
	}
	command.Flags().StringVar(&configFile, "config", "", "read settings from this TOML `FILE`")
	command.Flags().BoolVar(&showConfig, "print-config", false,
		"print each setting with its value and its source, then exit")
	command.Flags().BoolVar(&tell, "ready-json", false, readyHelp)
	addSettingFlags(command)
	return command
}

// addSettingFlags gives the command a flag for each setting. They record their text; resolve judges it. --help shows
// those that shown names, all if it names none.
func addSettingFlags(command *cobra.Command, shown ...string) {
	command.Flags().SortFlags = false
	for _, s := range settings(new(config)) {
		if command.Flags().Lookup(s.name) != nil {
			continue // the command means something else by it
		}
		_, repeats := s.value.(list)
		recorded := &recordedFlag{text: s.preset, kind: s.value.Type(), repeats: repeats}
		flag := command.Flags().VarPF(recorded, s.name, "", s.help)
		flag.Annotations = map[string][]string{groupAnnotation: {groupOf(s.name)}}
		flag.Hidden = len(shown) > 0 && !slices.Contains(shown, s.name)
		if recorded.kind == "bool" {
			flag.NoOptDefVal = "true"
		}
		if c, ok := s.value.(choice); ok {
			// The only error is a flag that does not exist.
			_ = command.RegisterFlagCompletionFunc(s.name,
				cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// recordedFlag keeps what was typed.
type recordedFlag struct {
	text, kind     string
	repeats, typed bool // a list may be typed in pieces
}

func (f *recordedFlag) Set(s string) error {
	if f.repeats && f.typed {
		s = f.text + "," + s
	}
	f.text, f.typed = s, true
	return nil
}

func (f *recordedFlag) String() string { return f.text }
func (f *recordedFlag) Type() string   { return f.kind }

// givenFlags returns the flags that were typed, with their texts.
func givenFlags(flags *pflag.FlagSet) map[string]string {
	given := map[string]string{}
	flags.Visit(func(f *pflag.Flag) {
		if _, own := f.Value.(size); !own { // which only commands of their own have
			given[f.Name] = f.Value.String()
		}
	})
	return given
}

// serve runs a server until ctx ends or a signal comes. tell prints the line of --ready-json.
func (p *program) serve(ctx context.Context, conf *config, tell bool) error {
	conf.served, conf.serves = true, true
	return p.withServer(ctx, conf, func(ctx context.Context, s *server) error {
		if tell {
			if err := s.tellReady(p.stdout); err != nil {
				return err
			}
		}
		return s.Run(ctx)
	})
}

// withServer opens a server, does work with it, and closes it. The first signal ends the work's context.
func (p *program) withServer(ctx context.Context, conf *config, work func(context.Context, *server) error) (err error) {
	division.Bound(conf.division())
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	ctx, stop := p.stopOnSignal(ctx, s)
	defer stop()
	if err := s.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return work(ctx, s)
}

// stopOnSignal returns a context that the first SIGTERM or SIGINT ends. The second one ends the process.
func (p *program) stopOnSignal(ctx context.Context, s *server) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	done := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case received := <-signals:
				s.log.Info("signal", "signal", received.String())
				cancel()
				if first.IsZero() {
					first = time.Now()
					continue
				}
				if number, ok := received.(syscall.Signal); ok && time.Since(first) >= p.oneSignal {
					fmt.Fprintln(p.stderr, "weft: second signal, stopping at once")
					p.exit(128 + int(number))
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
