// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// registration puts package weftsql's driver in the place of MySQL's, for a suite that opens "mysql".
const registration = `
import (
	"database/sql"

	_ "github.com/weftdb/weft/weftsql"
)

var _ = func() (none struct{}) {
	db, err := sql.Open("weft", "mem:")
	if err != nil {
		panic(err)
	}
	sql.Register("mysql", db.Driver())
	return none
}()
`

// TestSqlxSuite runs sqlx's own tests for MySQL, as they are published, on a database in their process.
func TestSqlxSuite(t *testing.T) {
	skipUnlessWanted(t)
	passed := suite{module: "github.com/jmoiron/sqlx",
		environ: []string{"SQLX_POSTGRES_DSN=skip", "SQLX_SQLITE_DSN=skip", "SQLX_MYSQL_DSN=mem:sqlx"}}.run(t)
	if passed < 35 {
		t.Errorf("%d tests have passed: are those of MySQL among them?", passed)
	}
}

// suite is the tests of a module of the folder orms.
type suite struct {
	module  string
	environ []string
}

// run runs the tests of a copy of the module, to which it adds the registration, and returns how many have passed.
func (s suite) run(t *testing.T) (passed int) {
	t.Helper()
	orms, err := filepath.Abs("orms")
	if err != nil {
		t.Fatal(err)
	}
	if said, err := s.command(orms, "mod", "download").CombinedOutput(); err != nil {
		t.Skipf("the modules can't be had here: %v: %s", err, said)
	}
	dir := s.copy(t, orms)
	command := s.command(orms, "test", "-modfile="+filepath.Join(dir, "suite.mod"),
		"-ldflags=-X github.com/go-sql-driver/mysql.driverName=", "-vet=off", "-count=1", "-v", s.module)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", s.module, err, output)
	}
	return len(regexp.MustCompile(`(?m)^--- PASS`).FindAll(output, -1))
}

func (s suite) command(dir string, arguments ...string) *exec.Cmd {
	command := exec.Command("go", arguments...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0"), s.environ...)
	return command
}

// copy makes a folder with the module and a suite.mod, which is that of orms but takes the module from there.
func (s suite) copy(t *testing.T, orms string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	listed, err := s.command(orms, "list", "-m", "-f", "{{.Dir}}", s.module).Output()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "module")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(string(listed)))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(copied, "weft_test.go"), "package "+filepath.Base(s.module)+"\n"+registration)
	root := filepath.Join(orms, "..", "..", "..")
	modules := strings.Replace(read(t, filepath.Join(orms, "go.mod")), "=> ../../..", "=> "+root, 1)
	write(t, filepath.Join(dir, "suite.mod"), modules+"\nreplace "+s.module+" => "+copied+"\n")
	write(t, filepath.Join(dir, "suite.sum"), read(t, filepath.Join(orms, "go.sum")))
	return dir
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
