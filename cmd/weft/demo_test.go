// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestDemo: what the demo's last lines say to try works, and nothing that it shows accuses the demo of its own load.
func TestDemo(t *testing.T) {
	rounds.SkipRace(t)
	s, _ := openServer(t, map[string]string{"dynamodb-addr": "127.0.0.1:0", "mysql-addr": "127.0.0.1:0"})
	var stdout, stderr bytes.Buffer
	p := &program{stdout: &stdout, stderr: &stderr}
	if err := p.loadCities(t.Context(), s.database.(*openedDatabase).db); err != nil {
		t.Fatal(err)
	}
	mustGet(t, admin(s), "/hot", "200 There were too few requests")
	mustGet(t, admin(s), "/advise?table=cities", "200 cities: 0 findings")
	p.printDemo(s)
	for line := range strings.Lines(stdout.String()) {
		if len(line) > 101 {
			t.Errorf("a line of %d columns: %s", len(line)-1, line)
		}
	}
	if lines := strings.Count(stdout.String(), "\n"); lines > 26 || !strings.Contains(stdout.String(), " 135,233 cities ") {
		t.Errorf("%d lines:\n%s", lines, &stdout)
	}
	page, err := os.ReadFile("../../docs/demo.md")
	if err != nil {
		t.Fatal(err)
	}
	tryDemoTools(t, s, stdout.String()+string(page))
	tryReadme(t, s)
	tryDemoSQL(t, s, strings.ReplaceAll(stdout.String(), "\\\n", "")+string(page))
}

// tryDemoTools runs the command lines of weft that the demo and its page show.
func tryDemoTools(t *testing.T, s *server, shown string) {
	t.Helper()
	wants := map[string]string{"status": "about", "advise": "cities: 0 findings", "explain": "49 returned",
		"indexes": "by-place", "hot": "requests", "ddb": `"population": 1`}
	tried := map[string]bool{}
	for line := range strings.Lines(strings.ReplaceAll(shown, "\\\n", "")) {
		words, ok := strings.CutPrefix(strings.TrimSpace(line), "weft ")
		if !ok || strings.HasPrefix(words, "sql ") { // tryDemoSQL runs those
			continue
		}
		list := strings.Split(shellWords(t, words), "\n")
		if list[0] == "explain" || list[0] == "ddb" { // the page has the default ports
			list = append(list, "--endpoint", "http://"+addressAt(t, s, "dynamodb"))
		} else {
			list = append(list, "--admin-addr", addressAt(t, s, "admin"))
		}
		var out, errs bytes.Buffer
		q := &program{stdout: &out, stderr: &errs}
		if code := q.run(t.Context(), list); code != 0 || !strings.Contains(out.String(), wants[list[0]]) ||
			wants[list[0]] == "" {
			t.Errorf("%s: exit %d, %s%s", line, code, &out, &errs)
		}
		tried[list[0]] = true
	}
	if len(tried) < len(wants) {
		t.Errorf("the demo shows %v alone:\n%s", tried, shown)
	}
}

// tryDemoSQL runs the statements that the demo shows, in their order, and those that a refusal proposes.
func tryDemoSQL(t *testing.T, s *server, printed string) {
	t.Helper()
	db, err := sql.Open("mysql", "root@tcp("+addressAt(t, s, "mysql")+")/default?multiStatements=true")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(statement string) error {
		_, err := db.ExecContext(t.Context(), statement)
		return err
	}
	statements := regexp.MustCompile(`-t?e "(.*)"`).FindAllStringSubmatch(printed, -1)
	if len(statements) < 5 {
		t.Fatalf("the demo shows %d statements:\n%s", len(statements), printed)
	}
	refused := 0
	for _, match := range statements {
		if err := run(match[1]); err != nil {
			refused++
			if !strings.Contains(err.Error(), "create an index: ALTER TABLE cities ADD COLUMN name VARCHAR") {
				t.Errorf("%s: %v", match[1], err)
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d statements of the demo are refused, want 1", refused)
	}
	// With the index of that remedy the table has all that it may have, and others take the place of those.
	for _, more := range []string{"SELECT city FROM cities WHERE feature_code = 'PPLC'",
		"SELECT city FROM cities WHERE population > 15000000"} { // which indexes hold as a number
		tryRemedy(t, run, more)
	}
}

// tryRemedy runs the statements that the refusal of a query proposes, and then the query.
func tryRemedy(t *testing.T, run func(string) error, refused string) {
	t.Helper()
	remedy := regexp.MustCompile("create an index in place of one of (.*), since cities may have 5: (.*); or allow").
		FindStringSubmatch(fmt.Sprint(run(refused)))
	if remedy == nil {
		t.Fatalf("%s: %v", refused, run(refused))
	}
	dropped := strings.Split(remedy[1], ", ")[0]
	for one := range strings.SplitSeq(strings.Replace(remedy[2], " (or the type of its values)", "", 1), ", then ") {
		if err := run(strings.Replace(one, "DROP INDEX x ", "DROP INDEX "+dropped+" ", 1)); err != nil {
			t.Errorf("the remedy %s: %v", one, err)
		}
	}
	if err := run(refused); err != nil {
		t.Errorf("%s, after the remedy %s: %v", refused, remedy[0], err)
	}
}

// estimate begins what depends on the sample that a number was estimated from.
const estimate = "about "

// tryReadme runs the first queries of README, line by line, and looks for the answers that it shows.
func tryReadme(t *testing.T, s *server) {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(page), "## First queries")
	first, _, _ = strings.Cut(first, "\n## ")
	answer, asked := "", 0
	for line := range strings.Lines(first) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "weft ddb "):
			args := strings.Split(shellWords(t, strings.TrimPrefix(line, "weft ")), "\n")
			answer = mustRun(t, append(args, "--endpoint", "http://"+addressAt(t, s, "dynamodb"))...)
			if asked++; !strings.Contains(answer, `"city": "Tokyo"`) {
				t.Errorf("%s\n%s", line, answer)
			}
		case strings.HasPrefix(line, "> "):
			answer = runAny(t, "sql", "--server", addressAt(t, s, "mysql"), "--format", "table", "-e", line[2:])
			answer, asked = trimmed(answer), asked+1
		case strings.HasPrefix(line, "| "), strings.HasPrefix(line, "ERROR "):
			shown, _, _ := strings.Cut(line, estimate)
			shown, _, _ = strings.Cut(shown, "[..]")
			if !strings.Contains(answer, trimmed(shown)) {
				t.Errorf("README shows %s, but the answer is\n%s", line, answer)
			}
		}
	}
	if asked < 5 {
		t.Errorf("README has %d first queries", asked)
	}
}

// trimmed is a text with one blank where it has several.
func trimmed(text string) string { return strings.Join(strings.Fields(text), " ") }

// shellWords splits words as a shell does, a line for each.
func shellWords(t *testing.T, words string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+words).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// runAny runs a command and returns all that it prints.
func runAny(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	(&program{stdout: &out, stderr: &out}).run(t.Context(), args)
	return out.String()
}

// mustRun runs a command that can't fail.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	var out, faults bytes.Buffer
	if code := (&program{stdout: &out, stderr: &faults}).run(t.Context(), args); code != 0 {
		t.Errorf("weft %v: exit %d, %s", args, code, &faults)
	}
	return out.String()
}
