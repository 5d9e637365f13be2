// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unpacked is where test/clients/install puts programs that are not installed, and where they are found without it.
func unpacked(t *testing.T, name string) (path string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(".sql", "usr", "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		return name
	}
	return path
}

// mariadb is the command line client that Debian calls mysql, too.
func mariadb(t *testing.T) program {
	t.Helper()
	skipUnlessWanted(t)
	client := unpacked(t, "mariadb")
	version, ok := ask(client, "--version")
	if !ok {
		t.Skipf("there is no `mariadb`: install the package mariadb-client-core: %s", version)
	}
	plugins, err := filepath.Glob(filepath.Join(filepath.Dir(client), "..", "lib", "*", "libmariadb3", "plugin"))
	if err != nil || len(plugins) == 0 {
		plugins = []string{""}
	}
	return program{title: version, command: []string{"bash", "mariadb.sh"}, golden: "mariadb",
		environ: []string{"MYSQL=" + client, "MYSQLDUMP=" + unpacked(t, "mariadb-dump"), "PLUGINS=" + plugins[0]}}
}

// TestMariaDB runs the command line client and mysqldump.
func TestMariaDB(t *testing.T) { mariadb(t).test(t) }

// TestRestore takes a dump of MariaDB's into Weft and back, and runs sysbench.
func TestRestore(t *testing.T) { besideMariaDB(t, "restore", "mariadb-install-db", "sysbench") }

// TestDashboards sends the statements of Grafana and Metabase to Weft and to MariaDB.
func TestDashboards(t *testing.T) {
	besideMariaDB(t, "dashboards", "mariadb-install-db", "mariadb-tzinfo-to-sql", "/usr/share/zoneinfo/Asia/Tokyo")
}

// besideMariaDB runs a script that starts MariaDB's server.
func besideMariaDB(t *testing.T, script string, needs ...string) {
	p := mariadb(t)
	server := "/usr/sbin/mariadbd"
	for _, needed := range append(needs, server) {
		_, program := exec.LookPath(needed)
		if _, file := os.Stat(needed); program != nil && file != nil {
			t.Skipf("there is no %s: install the packages mariadb-server-core, sysbench and tzdata", needed)
		}
	}
	p.command, p.golden, p.environ = []string{"bash", script + ".sh"}, script, append(p.environ, "MARIADBD="+server)
	p.test(t)
}

// pythonSQL is the interpreter that has MySQL's clients for Python.
func pythonSQL(t *testing.T, module string) (python, version string) {
	t.Helper()
	skipUnlessWanted(t)
	own, err := filepath.Abs(filepath.Join(".venv-sql", "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	for _, python := range []string{own, "python3"} {
		if version, ok := ask(python, "-c", fmt.Sprintf("import %s as m; print(m.__version__)", module)); ok {
			return python, version
		}
	}
	t.Skipf("no python3 here has %s: test/clients/install could not install it", module)
	return "", ""
}

// python is a module as a client.
func python(t *testing.T, module string) program {
	t.Helper()
	interpreter, version := pythonSQL(t, module)
	return program{title: module + " " + version, command: []string{interpreter, "mysql_client.py", module}}
}

// TestPython runs PyMySQL and MySQL's own connector. Only the second can prepare statements.
func TestPython(t *testing.T) {
	for module, golden := range map[string]string{"pymysql": "pymysql", "mysql.connector": "connector-python"} {
		t.Run(golden, func(t *testing.T) {
			p := python(t, module)
			p.golden = golden
			p.test(t)
		})
	}
}

// TestPythonORM runs SQLAlchemy with Alembic, Django with its own applications, and peewee with its migrator, over
// PyMySQL.
func TestPythonORM(t *testing.T) {
	for _, tool := range []struct{ module, script, golden string }{
		{"sqlalchemy", "sqlalchemy_client.py", "sqlalchemy"}, {"django", "django/client.py", "django"},
		{"peewee", "peewee_client.py", "peewee"},
	} {
		t.Run(tool.golden, func(t *testing.T) {
			interpreter, version := pythonSQL(t, tool.module)
			program{title: tool.module + " " + version, command: []string{interpreter, tool.script},
				golden: tool.golden}.test(t)
		})
	}
}

// TestMycli runs mycli.
func TestMycli(t *testing.T) {
	python, _ := pythonSQL(t, "mycli")
	tool := filepath.Join(filepath.Dir(python), "mycli")
	version, ok := ask(tool, "--version")
	if !ok {
		t.Skip("there is no mycli: test/clients/install could not install it")
	}
	program{title: version, command: []string{"bash", "mycli.sh"}, golden: "mycli",
		environ: []string{"MYCLI=" + tool}}.test(t)
}

// Drivers and libraries for Node.js.

func TestMySQL2(t *testing.T)    { runScript(t, "mysql2.mjs", "mysql2", "mysql2") }
func TestKnex(t *testing.T)      { runScript(t, "knex.mjs", "knex", "knex") }
func TestKysely(t *testing.T)    { runScript(t, "kysely.mjs", "kysely", "kysely") }
func TestDrizzle(t *testing.T)   { runScript(t, "drizzle.mjs", "drizzle-orm", "drizzle") }
func TestSequelize(t *testing.T) { runScript(t, "sequelize.mjs", "sequelize", "sequelize") }

// TestGoORM runs GORM, xorm, sqlx, bun and ent, against the server and on a database in their own process: both answer
// the same.
func TestGoORM(t *testing.T) {
	skipUnlessWanted(t)
	orms := program{title: "GORM, xorm, sqlx, bun and ent",
		command: []string{compiled(t, "orms", "go", "build", "-o", ".", ".")}, golden: "orms"}
	t.Run("server", orms.test)
	orms.environ = []string{"SQL_HOST="}
	t.Run("process", orms.test)
}

// TestRust runs sqlx and SeaORM.
func TestRust(t *testing.T) {
	skipUnlessWanted(t)
	if version, ok := ask("cargo", "--version"); !ok {
		t.Skipf("there is no cargo: %s", version)
	}
	program{title: "sqlx and SeaORM", command: []string{compiled(t,
		filepath.Join("rust", "target", "debug", "weft-clients"), "cargo", "build", "--quiet", "--locked")},
		golden: "rust"}.test(t)
}

// compiled builds a client in its folder, the first part of the program's path, and returns the path. Where its
// libraries can't be had, the test skips.
func compiled(t *testing.T, path, command string, arguments ...string) string {
	t.Helper()
	dir, rest, nested := strings.Cut(path, string(filepath.Separator))
	if !nested {
		rest = dir
	}
	c := exec.Command(command, arguments...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off")
	if said, err := c.CombinedOutput(); err != nil {
		t.Skipf("%s can't be built here: %v: %s", dir, err, said)
	}
	found, err := filepath.Abs(filepath.Join(dir, rest))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// needJDK skips a test where there is no JDK.
func needJDK(t *testing.T) {
	t.Helper()
	skipUnlessWanted(t)
	version, ok := ask("java", "-version")
	if _, compiles := ask("javac", "-version"); !ok || !compiles {
		t.Skipf("there is no JDK of version 17 or newer: %s", version)
	}
}

// jdbc is a JDBC driver: the newest of the jars that match.
func jdbc(t *testing.T, scheme, jars string) program {
	t.Helper()
	needJDK(t)
	found, err := filepath.Glob(jars)
	if err != nil || len(found) == 0 {
		t.Skipf("there is no %s: test/clients/install could not fetch it", jars)
	}
	jar, err := filepath.Abs(found[len(found)-1])
	if err != nil {
		t.Fatal(err)
	}
	classes := t.TempDir()
	if output, ok := ask("javac", "-d", classes, "Jdbc.java"); !ok {
		t.Fatal(output)
	}
	path := classes + string(os.PathListSeparator) + jar
	return program{title: strings.TrimSuffix(filepath.Base(jar), ".jar"),
		command: []string{"java", "-cp", path, "Jdbc", scheme}, golden: "jdbc-" + scheme}
}

func mysqlJDBC(t *testing.T) program { return jdbc(t, "mysql", ".sql/mysql-connector-j-*.jar") }

func mariadbJDBC(t *testing.T) program {
	return jdbc(t, "mariadb", ".sql/usr/share/java/mariadb-java-client-[0-9]*.jar")
}

// TestJDBC runs MySQL's driver for Java, which DBeaver uses, and MariaDB's.
func TestJDBC(t *testing.T) {
	t.Run("mysql", func(t *testing.T) { mysqlJDBC(t).test(t) })
	t.Run("mariadb", func(t *testing.T) { mariadbJDBC(t).test(t) })
}

// TestJava runs tools in Java, each a class of the folder java. What it reads besides, as migrations, is found there
// too.
func TestJava(t *testing.T) {
	needJDK(t)
	if _, err := os.Stat(".sql/java/complete"); err != nil {
		t.Skip("there is no .sql/java/complete: test/clients/install could not fetch the tools in Java")
	}
	classes, path := t.TempDir(), "java"+string(os.PathListSeparator)+filepath.Join(".sql", "java", "*")
	sources, err := filepath.Glob("java/*.java")
	if err != nil {
		t.Fatal(err)
	}
	if output, ok := ask("javac", append([]string{"-proc:none", "-nowarn", "-cp", path, "-d", classes},
		sources...)...); !ok {
		t.Fatal(output)
	}
	path = classes + string(os.PathListSeparator) + path
	for _, class := range []string{"Pool", "Migration", "Changes", "Objects", "Mappers", "Records"} {
		t.Run(class, func(t *testing.T) {
			command := []string{"java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path, "Show", class}
			program{title: class, command: command, golden: "java-" + strings.ToLower(class)}.test(t)
		})
	}
}
