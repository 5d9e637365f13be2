// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/cmd/weft/output"
)

// shell runs statements on one connection and prints what they answer.
type shell struct {
	*connection
	stdout, stderr io.Writer
	format         string
	printer        printer
	timing, force  bool
	talks          bool // to a person: it says what statements without rows did
	failed         int  // statements
	left           bool // \q was read
	names          *names
	now            func() time.Time
}

// setFormat changes how answers are printed.
func (s *shell) setFormat(format string) error {
	if !slices.Contains(formats[:], format) {
		return fmt.Errorf("there is no format %q: take one of %s", format, strings.Join(formats[:], ", "))
	}
	s.format, s.printer = format, printerOf(format, s.stdout)
	return nil
}

// runScript runs all statements of a text. name stands before the lines of errors. The first error ends it, unless it
// is forced: then errors are printed, and the last one counts them.
func (s *shell) runScript(ctx context.Context, name string, r io.Reader) error {
	lines, text, failed := bufio.NewReader(r), new(script), s.failed
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			text.add(line)
		}
		if err != nil {
			text.close()
		}
		if stop := s.runSteps(ctx, text, func(one step, err error) error {
			err = &located{name, one.line, err}
			if !s.force {
				return err
			}
			fmt.Fprintln(s.stderr, "weft:", err)
			return nil
		}); stop != nil || s.left {
			return stop
		}
		switch {
		case errors.Is(err, io.EOF) && s.failed > failed:
			return &located{name: name, cause: fmt.Errorf("%s failed", count(int64(s.failed-failed), "statement"))}
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// runSteps runs what a script has ready. tell is told errors; the error that it returns ends the script.
func (s *shell) runSteps(ctx context.Context, text *script, tell func(step, error) error) error {
	for {
		one, ok := text.next()
		if !ok || s.left {
			return nil
		}
		if err := s.runStep(ctx, one); err != nil {
			s.failed++
			if err = tell(one, err); err != nil {
				return err
			}
		}
	}
}

func (s *shell) runStep(ctx context.Context, one step) error {
	if one.command {
		return s.runCommand(ctx, one.text)
	}
	p := s.printer
	if one.vertical {
		p = printerOf("vertical", s.stdout)
	}
	return s.runStatement(ctx, one.text, p)
}

// runStatement runs a statement and prints its answer.
func (s *shell) runStatement(ctx context.Context, text string, p printer) error {
	begun := s.now()
	a, err := s.run(ctx, text, p)
	if err != nil {
		return plain(err)
	}
	took := s.now().Sub(begun)
	word := first(text)
	if word == "use" {
		err = s.follow(ctx)
	}
	if word != "select" && word != "show" {
		s.names.forget()
	}
	s.tell(a, took)
	if s.talks && word != "show" {
		err = errors.Join(err, s.warn(ctx))
	}
	return err
}

// tell says how much a statement did, to a person, and how long it took, if that is wanted.
func (s *shell) tell(a answer, took time.Duration) {
	var said string
	switch {
	case !s.talks && !s.timing:
		return
	case a.tables:
		said = count(a.rows, "row")
	case a.affected >= 0:
		said = "OK, " + count(a.affected, "row") + " affected"
	default:
		said = "OK"
	}
	if s.timing {
		said += fmt.Sprintf(" (%.3f s)", took.Seconds())
	}
	fmt.Fprintln(s.stderr, said)
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// warn prints the warnings of the last statement.
func (s *shell) warn(ctx context.Context) error {
	rows, err := s.session.QueryContext(ctx, "SHOW WARNINGS")
	if err != nil {
		return plain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			return err
		}
		fmt.Fprintf(s.stderr, "%s %d: %s\n", level, code, flat([]byte(message)))
	}
	return rows.Err()
}

// located is an error of a statement in a script.
type located struct {
	name  string // "": the command line
	line  int    // 0: no line of its own
	cause error
}

// Error says where it was.
func (l *located) Error() string {
	switch {
	case l.name == "":
		return l.cause.Error()
	case l.line == 0:
		return fmt.Sprintf("%s: %v", l.name, l.cause)
	}
	return fmt.Sprintf("%s:%d: %v", l.name, l.line, l.cause)
}

// Unwrap returns the server's error.
func (l *located) Unwrap() error { return l.cause }

// plain words an error: the server's as MySQL's client does, a lost connection with what it means.
func plain(err error) error {
	var refused *mysql.MySQLError
	switch {
	case errors.As(err, &refused):
		code := int(refused.Number)
		return &output.Hinted{Code: code, Hint: output.SQLHint(code),
			Err: fmt.Errorf("ERROR %d (%s): %s", code, refused.SQLState[:], refused.Message)}
	case errors.Is(err, mysql.ErrInvalidConn):
		return errors.New("the connection to the server is lost: whether the statement was executed is not known")
	}
	return err
}
