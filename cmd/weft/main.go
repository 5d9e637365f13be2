// SPDX-License-Identifier: Apache-2.0

// Command weft is the database server and its tools in one binary. It is the only place that names engines, and it
// connects the protocols to the database.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/certcommand"
	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/cmd/weft/testcontrol"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/metric"
)

// Exit codes.
const (
	exitFailed = 1 // the command did not do what it was asked
	exitUsage  = 2 // it was not understood, or its configuration is wrong
	// the store can't go on; nothing that was acknowledged is lost; start again after looking at the log
	exitStore = 70
)

func main() {
	p := &program{environ: os.Environ(), readFile: os.ReadFile, stdout: os.Stdout, stderr: os.Stderr, exit: os.Exit,
		self: selfOf(os.Args[0]), oneSignal: 300 * time.Millisecond}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// selfOf is how a shell calls this program again: as it was called, or through go run, whose binary is gone soon.
func selfOf(called string) string {
	if strings.Contains(called, string(os.PathSeparator)+"go-build") {
		return "go run ./cmd/weft"
	}
	return called
}

// program is one call of weft with everything it takes from outside, so that tests can call it too.
type program struct {
	environ  []string
	readFile func(name string) ([]byte, error)
	stdout   io.Writer
	stderr   io.Writer
	exit     func(code int) // ends the process at once
	self     string         // how a shell calls this program; "": weft
	// oneSignal is the time after a signal another one counts as the same: wrappers such as timeout signal the process
	// and its group.
	oneSignal time.Duration
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	agent := isForAgent(args)
	if agent {
		lines := &output.Lines{To: p.stdout}
		defer lines.Close()
		p.stdout = lines
	}
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	p.tellFault(c, err, agent)
	if commandline.IsUsage(err) {
		return exitUsage
	}
	return exitFailed
}

// tellFault prints an error: each of those that were joined on a line.
func (p *program) tellFault(c *cobra.Command, err error, agent bool) {
	if agent {
		p.tellAgent(c, err)
		return
	}
	for _, fault := range commandline.Faults(err) {
		fmt.Fprintln(p.stderr, "weft:", strings.TrimPrefix(fault.Error(), "weft: "))
	}
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "A wide-column database with DynamoDB's API, SQL over MySQL's protocol, and Z-order indexes",
		Long: `Weft is a wide-column database over one ordered, transactional key space. One set of tables is served over

  DynamoDB's HTTP API   127.0.0.1:8000   for every AWS SDK and the AWS CLI
  SQL, MySQL's protocol 127.0.0.1:33060  for every MySQL client and driver
  HBase's Thrift APIs   off by default   for HBase's Java API over Thrift2, happybase and other Thrift clients
  HTTP for operators    127.0.0.1:8080   metrics, health checks and reports

and embedded in Go programs by package github.com/weftdb/weft. Data are kept in a folder or in a TiKV cluster.
Start with weft demo, or with weft serve.`,
		Args:          commandline.UnknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(commandline.FlagError)
	root.SetUsageFunc(writeUsage)
	root.Version = buildShown().Text() // cobra puts "weft version " before it
	root.AddCommand(p.serveCommand(), p.demoCommand(), p.sqlCommand(),
		p.adviseCommand(), heatpage.Command(p.printPage),
		heatpage.SimulateCommand(p.stdout), p.userCommand(),
		p.backupCommand(), p.restoreCommand(), p.keyCommand(), certcommand.Command(p.stdout),
		p.versionCommand(), p.manCommand())
	root.AddCommand(p.bulkCommands()...)
	root.AddCommand(p.pageCommands()...)
	root.AddCommand(p.packagedCommands()...)
	root.AddCommand((&testcontrol.Client{Tell: p.sendAdmin}).Commands()...)
	for _, name := range []string{"sql", "ddb", "explain", "advise"} {
		if c, _, err := root.Find([]string{name}); err == nil {
			p.forAgents(c)
		}
	}
	commandline.NameArguments(root)
	p.completeNames(root)
	return root
}

// completeTimeout bounds the wait after Tab.
const completeTimeout = 2 * time.Second

// completeNames completes the names of tables for the commands below root that take one and ask the admin port.
func (p *program) completeNames(root *cobra.Command) {
	for _, c := range root.Commands() {
		words := strings.Fields(c.Use)
		if len(words) == 2 && strings.Trim(words[1], "[]") == "TABLE" && c.Flags().Lookup("admin-addr") != nil {
			c.ValidArgsFunction = p.completeTables
		}
	}
}

// completeTables lists the tables of the server at --admin-addr; none, if it does not answer.
func (p *program) completeTables(c *cobra.Command, args []string, _ string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTimeout)
	defer cancel()
	answer, err := p.askAdmin(ctx, http.MethodGet, c.Flag("admin-addr").Value.String(), "/api/tables", nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer answer.Close()
	var tables []struct{ Database, Name string }
	_ = json.NewDecoder(io.LimitReader(answer, adminBytesMax)).Decode(&tables) // no name is completed then
	var names []cobra.Completion
	for _, t := range tables {
		names = append(names, strings.TrimPrefix(t.Database+"."+t.Name, database.DefaultDatabase+"."))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// version is this source tree's version. A release is a commit that changes it.
const version = "0.1.0-dev"

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit it was built from, and the platform",
		Args:  commandline.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return output.WriteJSON(p.stdout, buildShown())
			}
			_, err := fmt.Fprintf(p.stdout, "weft version %s\n", buildShown().Text())
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// builtFrom describes the source of the binary.
type builtFrom struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// buildShown describes this binary.
func buildShown() builtFrom {
	b := build()
	return builtFrom{b.Version, b.Revision, b.GoVersion, runtime.GOOS + "/" + runtime.GOARCH}
}

// Text describes it for people, on one line.
func (b builtFrom) Text() string {
	return fmt.Sprintf("%s (commit %s, %s, %s)", b.Version, b.Commit, b.Go, b.Platform)
}

// build asks the binary what it was built from.
func build() metric.Build {
	b := metric.Build{Version: version, Revision: "unknown", GoVersion: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			b.Revision = setting.Value[:min(12, len(setting.Value))]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			b.Version += "+modified"
		}
	}
	return b
}
