// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// registration puts package weftsql's driver in the place of MySQL's, for a suite that opens "mysql": the database of a
// name is in memory, and stays.
const registration = `
import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	_ "github.com/weftdb/weft/weftsql"
)

type inMemory struct{ driver.DriverContext }

func (m inMemory) Open(string) (driver.Conn, error) { return nil, errors.New("database/sql calls OpenConnector") }

func (m inMemory) OpenConnector(name string) (driver.Connector, error) {
	place, _, _ := strings.Cut(name, "?")
	database := strings.TrimPrefix(place[strings.LastIndexByte(place, '/')+1:], "mysql")
	return m.DriverContext.OpenConnector("mem:suite?database=" + database)
}

var _ = func() (none struct{}) {
	db, err := sql.Open("weft", "mem:suite")
	if err == nil {
		err = db.Ping() // it is open until the process ends
	}
	if err != nil {
		panic(err)
	}
	sql.Register("mysql", inMemory{db.Driver().(driver.DriverContext)})
	return none
}()
`

// TestSqlxSuite runs sqlx's own tests for MySQL, as they are published, on a database in their process.
func TestSqlxSuite(t *testing.T) {
	skipUnlessWanted(t)
	passed := suite{module: "github.com/jmoiron/sqlx",
		environ: []string{"SQLX_POSTGRES_DSN=skip", "SQLX_SQLITE_DSN=skip", "SQLX_MYSQL_DSN=/"}}.run(t)
	if passed < 35 {
		t.Errorf("%d tests have passed: are those of MySQL among them?", passed)
	}
}

// TestXormSuite runs xorm's own tests for MySQL, without the drivers of other databases, which not every registry has.
func TestXormSuite(t *testing.T) {
	skipUnlessWanted(t)
	passed := suite{module: "xorm.io/xorm", folder: "tests",
		arguments: []string{"-db=mysql", "-conn_str=root@tcp(none)/xorm_test", "-show_sql=false"},
		edit: func(dir string) {
			file := filepath.Join(dir, "engine_test.go")
			write(t, file, regexp.MustCompile(`(?m)^\t_ ".*\n`).ReplaceAllString(read(t, file), ""))
		}}.run(t)
	if passed < 300 {
		t.Errorf("%d tests have passed", passed)
	}
}

// TestGormSuite runs the tests for MySQL of the first version of GORM: those of the second are in no registry.
func TestGormSuite(t *testing.T) {
	skipUnlessWanted(t)
	passed := suite{module: "github.com/jinzhu/gorm", version: "v1.9.16", name: "gorm_test",
		environ: []string{"GORM_DIALECT=mysql", "GORM_DSN=root@tcp(none)/mysql?charset=utf8&parseTime=True"},
		edit: func(dir string) {
			file := filepath.Join(dir, "main_test.go") // the other databases' drivers need cgo, or are not asked
			write(t, file, regexp.MustCompile(`(?m)^\t_ ".*dialects/(mssql|sqlite)"\n`).ReplaceAllString(read(t, file), ""))
		}}.run(t)
	if passed < 190 {
		t.Errorf("%d tests have passed", passed)
	}
}

// TestGoquSuite runs goqu's own tests for MySQL.
func TestGoquSuite(t *testing.T) {
	skipUnlessWanted(t)
	passed := suite{module: "github.com/doug-martin/goqu/v9", version: "v9.19.0", folder: "dialect/mysql",
		name: "mysql_test", environ: []string{"MYSQL_URI=root@tcp(none)/mysql?parseTime=true"}}.run(t)
	if passed < 2 {
		t.Errorf("%d tests have passed", passed)
	}
}

// suite is the tests of a module: one of the folder orms, or of a version that is given.
type suite struct {
	module    string
	version   string
	name      string // of the tests' package; default: that of the folder
	folder    string // of the tests within it; empty: it itself
	environ   []string
	arguments []string
	edit      func(dir string) // changes the copy of the folder, if there is a need
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
	dir, binary := s.copy(t, orms), filepath.Join(t.TempDir(), "suite")
	built := s.command(orms, "test", "-c", "-o", binary, "-mod=mod", "-modfile="+filepath.Join(dir, "suite.mod"),
		"-ldflags=-X github.com/go-sql-driver/mysql.driverName=",
		"-vet=off", path.Join(s.module, s.folder))
	if said, err := built.CombinedOutput(); err != nil {
		t.Fatalf("the tests of %s can't be built: %v: %s", s.module, err, said)
	}
	command := exec.Command(binary, append(s.arguments, "-test.v")...)
	command.Dir, command.Env = filepath.Join(dir, "module", s.folder), append(os.Environ(), s.environ...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", s.module, err, output)
	}
	return len(regexp.MustCompile(`(?m)^--- PASS`).FindAll(output, -1))
}

func (s suite) command(dir string, arguments ...string) *exec.Cmd {
	command := exec.Command("go", arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	return command
}

// copy makes a folder with the module and a suite.mod, which is that of orms but takes the module from there.
func (s suite) copy(t *testing.T, orms string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	copied := filepath.Join(dir, "module")
	if err := os.CopyFS(copied, os.DirFS(s.source(t, orms))); err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(copied, s.folder)
	name := cmp.Or(s.name, path.Base(path.Join(s.module, s.folder)))
	write(t, filepath.Join(tests, "weft_test.go"), "package "+name+"\n"+registration)
	if s.edit != nil {
		s.edit(tests)
	}
	root := filepath.Join(orms, "..", "..", "..")
	modules := strings.Replace(read(t, filepath.Join(orms, "go.mod")), "=> ../../..", "=> "+root, 1)
	if s.version != "" {
		modules += "\nrequire " + s.module + " " + s.version + "\n"
	}
	write(t, filepath.Join(dir, "suite.mod"), modules+"\nreplace "+s.module+" => "+copied+"\n")
	write(t, filepath.Join(dir, "suite.sum"), read(t, filepath.Join(orms, "go.sum")))
	return dir
}

// source is the folder of the module's files.
func (s suite) source(t *testing.T, orms string) string {
	t.Helper()
	if s.version == "" {
		listed, err := s.command(orms, "list", "-m", "-f", "{{.Dir}}", s.module).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(listed))
	}
	var found struct{ Dir string }
	said, err := s.command(orms, "mod", "download", "-json", s.module+"@"+s.version).Output()
	if err != nil || json.Unmarshal(said, &found) != nil || found.Dir == "" {
		t.Skipf("the module can't be had here: %v: %s", err, said)
	}
	return found.Dir
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
