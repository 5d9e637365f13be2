// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// Dial opens a connection to a server that speaks MySQL's protocol.
type Dial func(ctx context.Context) (net.Conn, error)

// Host is the part of the program that the command needs.
type Host struct {
	Stdin          io.Reader // a terminal if it is an *os.File that is one
	Stdout, Stderr io.Writer
	// Getenv reads a variable of the environment.
	Getenv func(name string) string
	// ReadFile reads a file whole.
	ReadFile func(name string) ([]byte, error)
	// Folder serves a folder that no server has open, to this process alone, while work runs.
	Folder func(ctx context.Context, folder string, work func(context.Context, Dial) error) error
	// Interrupts catches the user's Ctrl-C until stop is called.
	Interrupts func() (interrupts <-chan os.Signal, stop func())
}

// PasswordVariable is the variable of the environment that holds the user's password.
const PasswordVariable = "WEFT_PASSWORD"

// flags are the flags of weft sql.
type flags struct {
	execute                 string
	server, user, database  string
	tls, ca, data, format   string
	password, force, timing bool
}

// Command is `weft sql`.
func (h *Host) Command() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "sql [FILE ...]",
		Short: "Run statements of SQL: a shell, scripts, pipes",
		Long: `Run statements of SQL on a server, or on a folder that no server has open: those of -e, those of files, or those that come through a pipe.
At a terminal the command is a shell with completion (Tab), a history (arrows, Ctrl-R) and commands that \? lists.

At a terminal answers are tables, elsewhere TSV. NULL is the word in tables, an empty field in CSV and TSV (an empty text has quotes), and null
in JSON. Binary values are in hexadecimal digits. Each set of rows of --format json is one array.

The first statement that fails ends the command with exit code 1; --force goes on, and then ends with it. Errors have MySQL's number, and the
file and line of the statement. Ctrl-C ends the statement that runs. The user's password is that of ` + PasswordVariable + `, or is asked for with
--password. The history is in ~/.weft_history, or in weft/history below XDG_STATE_HOME; statements with passwords are left out.`,
		Example: `  weft sql
  weft sql -e "SELECT * FROM orders LIMIT 10" --format json
  weft sql schema.sql rows.sql
  weft sql --data ./weft-data -e "SHOW TABLES"
  weft sql --server db.example.com:33060 --user ann --password --tls required`,
		RunE: func(c *cobra.Command, files []string) error { return h.run(c, files, &f) },
	}
	o := command.Flags()
	o.SortFlags = false
	o.StringVarP(&f.execute, "execute", "e", "", "run the statements of this `TEXT`")
	o.StringVar(&f.format, "format", "", "print answers as `table`, vertical, csv, tsv, json or jsonl")
	o.BoolVar(&f.force, "force", false, "go on after a statement that failed")
	o.BoolVar(&f.timing, "timing", false, "print how long each statement took")
	o.StringVar(&f.server, "server", "127.0.0.1:33060", "`ADDRESS` of the server's port for MySQL's protocol")
	o.StringVarP(&f.user, "user", "u", "root", "`NAME` of the user")
	o.BoolVarP(&f.password, "password", "p", false, "ask for the user's password")
	o.StringVarP(&f.database, "database", "D", "default", "`NAME` of the database to begin in")
	o.StringVar(&f.tls, "tls", "preferred",
		"`off`, preferred (the server's certificate is not checked) or required (it is)")
	o.StringVar(&f.ca, "ca", "", "check the server's certificate with the authority in this `FILE`")
	o.StringVar(&f.data, "data", "", "a data `FOLDER` that no server has open, in place of a server")
	for name, words := range map[string][]string{"format": formats[:], "tls": {"off", "preferred", "required"}} {
		// The only error is a flag that does not exist.
		_ = command.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	return command
}

func (h *Host) run(c *cobra.Command, files []string, f *flags) error {
	executes := c.Flags().Changed("execute")
	switch {
	case executes && len(files) > 0:
		return commandline.Usage(errors.New("-e takes the place of files: leave out one of them"))
	case f.format != "" && !slices.Contains(formats[:], f.format):
		return commandline.Usage(fmt.Errorf("--format is %s, not %q", strings.Join(formats[:], ", "), f.format))
	case f.data != "" && c.Flags().Changed("server"):
		return commandline.Usage(errors.New("--data takes the place of --server: leave out one of them"))
	}
	config, err := h.config(f)
	if err != nil {
		return err
	}
	if f.data == "" {
		return h.serve(c.Context(), config, files, executes, f)
	}
	return h.Folder(c.Context(), f.data, func(ctx context.Context, dial Dial) error {
		config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
		return h.serve(ctx, config, files, executes, f)
	})
}

// config says how the server is reached.
func (h *Host) config(f *flags) (*mysql.Config, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", f.server, f.user, f.database
	config.Logger, config.Passwd = &mysql.NopLogger{}, h.Getenv(PasswordVariable)
	config.ConnectionAttributes = "program_name:weft sql"
	config.Timeout = connectTimeout
	if f.password {
		var err error
		if config.Passwd, err = h.askPassword(); err != nil {
			return nil, err
		}
	}
	if f.data != "" {
		return config, nil
	}
	name, _, err := net.SplitHostPort(f.server)
	if err != nil {
		return nil, commandline.Usage(fmt.Errorf("--server %q is no address such as 127.0.0.1:33060", f.server))
	}
	words := map[string]string{"off": "false", "preferred": "preferred", "required": "true"}
	if config.TLSConfig = words[f.tls]; config.TLSConfig == "" {
		return nil, commandline.Usage(fmt.Errorf("--tls is off, preferred or required, not %q", f.tls))
	}
	if f.ca != "" {
		config.TLSConfig = ""
		config.TLS, err = h.authority(f.ca, name)
	}
	return config, err
}

// connectTimeout is the time in which the server must accept a connection.
const connectTimeout = 10 * time.Second

// authority checks the server's certificate with those of a file.
func (h *Host) authority(file, server string) (*tls.Config, error) {
	text, err := h.ReadFile(file)
	if err != nil {
		return nil, commandline.Usage(fmt.Errorf("--ca: %w", err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, commandline.Usage(fmt.Errorf("--ca: there is no certificate in %s", file))
	}
	return &tls.Config{RootCAs: pool, ServerName: server, MinVersion: tls.VersionTLS12}, nil
}

// askPassword reads the password without showing it.
func (h *Host) askPassword() (string, error) {
	file := h.terminal()
	if file == nil {
		return "", commandline.Usage(errors.New("--password asks at a terminal: elsewhere set " + PasswordVariable))
	}
	fmt.Fprint(h.Stderr, "Password: ")
	password, err := term.ReadPassword(int(file.Fd()))
	fmt.Fprintln(h.Stderr)
	return string(password), err
}

// terminal is standard input if that is a terminal, else nil.
func (h *Host) terminal() *os.File {
	if file, ok := h.Stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// serve connects and runs what is asked for.
func (h *Host) serve(ctx context.Context, config *mysql.Config, files []string, executes bool, f *flags) (err error) {
	c, err := connect(ctx, config, h.Interrupts)
	if errors.Is(err, mysql.ErrInvalidConn) {
		return fmt.Errorf("the server at %s does not speak MySQL's protocol: set --server to the address of --mysql-addr",
			f.server)
	}
	if refused := (*mysql.MySQLError)(nil); err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("no server answers at %s (set --server, or open a folder with --data): %w", f.server, err)
	} else if err != nil {
		return plain(refused)
	}
	defer func() { err = errors.Join(err, c.close()) }()
	s := &shell{connection: c, stdout: h.Stdout, stderr: h.Stderr, timing: f.timing, force: f.force, now: time.Now,
		names: &names{}}
	if err := s.setFormat(h.formatOf(f.format)); err != nil {
		return err
	}
	switch {
	case executes:
		name := "" // one line needs no number
		if strings.Contains(f.execute, "\n") {
			name = "-e"
		}
		return s.runScript(ctx, name, strings.NewReader(f.execute))
	case len(files) > 0:
		return s.runFiles(ctx, files, h.Stdin)
	case h.terminal() != nil:
		return s.greet(ctx, h)
	}
	return s.runScript(ctx, "standard input", h.Stdin)
}

// formatOf is the format that was asked for, else tables for people and TSV for programs.
func (h *Host) formatOf(format string) string {
	if format != "" {
		return format
	}
	if file, ok := h.Stdout.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return "table"
	}
	return "tsv"
}

// runFiles runs scripts one after the other; - is standard input.
func (s *shell) runFiles(ctx context.Context, files []string, stdin io.Reader) (err error) {
	for _, name := range files {
		err = errors.Join(err, s.runFile(ctx, name, stdin))
		if s.left || err != nil && !s.force {
			break
		}
	}
	return err
}

func (s *shell) runFile(ctx context.Context, name string, stdin io.Reader) error {
	if name == "-" {
		return s.runScript(ctx, "standard input", stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.runScript(ctx, name, f)
}

// greet is the shell for a person at a terminal.
func (s *shell) greet(ctx context.Context, h *Host) error {
	for _, one := range backslashes() {
		s.names.commands = append(s.names.commands, one.name)
	}
	_, stop := h.Interrupts() // between statements, too: it leaves the shell only with Ctrl-D
	defer stop()
	version, err := s.texts(ctx, "SELECT VERSION()")
	if err != nil {
		return plain(err)
	}
	fmt.Fprintf(s.stderr, "The server is %s. Statements end with a semicolon; \\? lists commands, Ctrl-D leaves.\n", version[0][0])
	in := h.terminal()
	e := &editor{in: in, out: h.Stdout, history: openHistory(historyFile(h.Getenv)),
		raw: func() (int, int, func(), error) {
			state, err := term.MakeRaw(int(in.Fd()))
			if err != nil {
				return 0, 0, nil, err
			}
			width, height, _ := term.GetSize(int(in.Fd())) // without it, it is 0
			return width, height, func() { _ = term.Restore(int(in.Fd()), state) }, nil
		}}
	return s.interact(ctx, e)
}
