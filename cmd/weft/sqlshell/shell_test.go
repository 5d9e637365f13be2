// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/server/mysqlwire"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// serve serves an empty database and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	var wire *mysqlwire.Server
	engine := sql.New(sql.Options{DB: testdb.Open(t), Processes: func() []result.Process { return wire.Processes() },
		Kill: func(id uint32, queryOnly bool) bool { return wire.Kill(id, queryOnly) == nil }})
	wire = mysqlwire.New(mysqlwire.Options{Open: func(ctx context.Context, l result.Login) (mysqlwire.Session, error) {
		session, err := engine.Open(ctx, l)
		if err != nil {
			return nil, err
		}
		return session, nil
	}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- wire.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = wire.Shutdown(ctx)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// hostOf returns a host whose output goes to one buffer.
func hostOf(out *bytes.Buffer, stdin string) *Host {
	return &Host{Stdin: strings.NewReader(stdin), Stdout: out, Stderr: out,
		Getenv: func(string) string { return "" }, ReadFile: os.ReadFile,
		Folder: func(context.Context, string, func(context.Context, Dial) error) error {
			return errors.New("no folder in this test")
		},
		Interrupts: uninterrupted}
}

// uninterrupted catches nothing.
func uninterrupted() (<-chan os.Signal, func()) { return nil, func() {} }

// changing is what differs from run to run.
var changing = regexp.MustCompile(`\(\d+\.\d{3} s\)`)

// TestCommands runs command lines; the input is standard input, or a file of the name in "file NAME", whose lines
// follow. keys types what stands in the input at a terminal: <tab>, <c> for Ctrl-C and so on are keys.
func TestCommands(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		address, dir := serve(t), t.TempDir()
		history := &history{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out bytes.Buffer
			var err error
			switch d.Cmd {
			case "file":
				err = os.WriteFile(filepath.Join(dir, d.CmdArgs[0].Key), []byte(d.Input+"\n"), 0o600)
			case "keys":
				err = press(t, address, history, d.Input, &out)
			case "sql":
				err = runLine(t, hostOf(&out, d.Input+"\n"), address, dir, d)
			default:
				d.Fatalf(t, "no command %s", d.Cmd)
			}
			if commandline.IsUsage(err) {
				err = fmt.Errorf("usage: %w", err)
			}
			if err != nil {
				fmt.Fprintln(&out, "error:", strings.ReplaceAll(err.Error(), dir+"/", ""))
			}
			text := strings.ReplaceAll(out.String(), dir+"/", "")
			return changing.ReplaceAllString(text, "(0.000 s)")
		})
	})
}

// runLine runs the command line of a case: the words of its first line, or the text of -e in the input.
func runLine(t *testing.T, h *Host, address, dir string, d *datadriven.TestData) error {
	args := []string{"--server", address}
	for _, arg := range d.CmdArgs {
		word := arg.String()
		if strings.HasSuffix(word, ".sql") {
			word = filepath.Join(dir, word)
		}
		args = append(args, word)
	}
	if d.HasArg("-e") {
		args[len(args)-1] = "--execute=" + d.Input
	}
	command := h.Command()
	command.SetArgs(args)
	command.SetOut(h.Stdout)
	command.SetErr(h.Stderr)
	command.SilenceUsage, command.SilenceErrors = true, true
	return command.ExecuteContext(t.Context())
}

// keyNames are the keys that cases write as words.
var keyNames = strings.NewReplacer("<tab>", "\t", "<c>", "\x03", "<d>", "\x04", "<r>", "\x12", "<up>", "\x1b[A",
	"\n", "\r", "<paste>", "\x1b[200~", "<pasted>", "\x1b[201~")

// press types keys at a shell. What the line editor draws is left out, but for lists of candidates.
func press(t *testing.T, address string, h *history, typed string, out *bytes.Buffer) error {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", address, "root", "default"
	c, err := connect(t.Context(), config, uninterrupted)
	if err != nil {
		return err
	}
	defer c.close()
	s := &shell{connection: c, stdout: out, stderr: out, now: time.Now, names: &names{commands: []string{"d", "q"}}}
	if err := s.setFormat("table"); err != nil {
		return err
	}
	var drawn bytes.Buffer
	e := &editor{in: chunks(keyNames.Replace(typed + "\n")), out: &drawn, history: h,
		raw: func() (int, int, func(), error) { return 200, 24, func() {}, nil }}
	err = s.interact(t.Context(), e)
	for _, line := range strings.Split(moves.ReplaceAllString(drawn.String(), "\n"), "\n") {
		if text := strings.TrimSpace(line); strings.Contains(text, "  ") && !strings.Contains(text, ">") {
			fmt.Fprintln(out, "shown:", text)
		}
	}
	return err
}

// moves are the editor's own: of the cursor, and what it clears.
var moves = regexp.MustCompile("\x1b\\[[0-9?;]*[A-Za-z]")

// chunks hands keys over one read at a time, as a person types them: an escape sequence is one.
func chunks(keys string) io.Reader {
	var readers []io.Reader
	for len(keys) > 0 {
		n := 1
		if keys[0] == 0x1b {
			n = 1 + strings.IndexAny(keys, "A~")
		}
		readers = append(readers, strings.NewReader(keys[:n]))
		keys = keys[n:]
	}
	return io.MultiReader(readers...)
}

// TestInterrupt: Ctrl-C ends the statement and leaves the session as it is.
func TestInterrupt(t *testing.T) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", serve(t), "root", "default"
	interrupts := make(chan os.Signal, 1)
	c, err := connect(t.Context(), config, func() (<-chan os.Signal, func()) { return interrupts, func() {} })
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var out bytes.Buffer
	run := func(statement string) error {
		_, err := c.run(t.Context(), statement, printerOf("csv", &out))
		return plain(err)
	}
	if err := run("SET @x = 5"); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			rows, err := c.texts(context.Background(),
				"SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(600)%'")
			if err != nil || len(rows) > 0 {
				interrupts <- os.Interrupt
				return
			}
		}
	}()
	out.Reset()
	if err := run("SELECT SLEEP(600) AS cut"); err != nil || out.String() != "cut\n1\n" {
		t.Errorf("an interrupted statement: %q, %v", out.String(), err)
	}
	out.Reset()
	if err := run("SELECT @x"); err != nil || out.String() != "@x\n5\n" {
		t.Errorf("after an interrupt: %q, %v", out.String(), err)
	}
}

// TestRevive: after the server has ended the session, the shell goes on in a new one, in the same database.
func TestRevive(t *testing.T) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", serve(t), "root", "default"
	config.Logger = &mysql.NopLogger{}
	c, err := connect(t.Context(), config, uninterrupted)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, statement := range []string{"CREATE DATABASE shop", "USE shop"} {
		if _, err := c.run(t.Context(), statement, printerOf("csv", io.Discard)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.pool.ExecContext(t.Context(), fmt.Sprintf("KILL %d", c.id)); err != nil {
		t.Fatal(err)
	}
	again, err := c.revive(t.Context())
	if err == nil {
		err = c.follow(t.Context())
	}
	if !again || err != nil || c.database != "shop" {
		t.Errorf("revived %t in %s: %v", again, c.database, err)
	}
}

// TestHistory: the file keeps what was typed, without passwords, and does not grow for ever.
func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weft", "history")
	h := openHistory(file)
	for i := range 2*historyMax + 2 {
		h.keep(fmt.Sprintf("SELECT %d;", i))
	}
	h.keep("CREATE USER ann IDENTIFIED BY 'secret';")
	h.keep("SELECT 1\n  FROM t;")
	h.keep("SELECT 1 -- one\n  FROM t;")
	h.keep("  FROM t;")
	h = openHistory(file)
	if h.Len() != historyMax || h.At(0) != "FROM t;" || h.At(1) != "  FROM t;" || h.At(2) != "SELECT 1 -- one" {
		t.Errorf("%d entries, the newest %q, %q, %q", h.Len(), h.At(0), h.At(1), h.At(2))
	}
	if again := openHistory(file); again.Len() != historyMax {
		t.Errorf("%d entries the next time", again.Len())
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
