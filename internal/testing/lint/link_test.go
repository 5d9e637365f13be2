// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bufio"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClientsStayOut: what benchmarks, black-box tests and the client kit need is in the go.mod files of their own
// modules, not in the one that an embedding program gets.
func TestClientsStayOut(t *testing.T) {
	for _, module := range requiredModules(readFile(t, "go.mod", "every module has one")) {
		if below(module, "github.com/aws") || below(module, "github.com/dolthub") ||
			below(module, "github.com/anishathalye") || below(module, "modernc.org/sqlite") ||
			below(module, modulePath) {
			t.Errorf("go.mod requires %s: move what imports it to the module test, bench or zorder/zdynamo", module)
		}
	}
}

// embedded are the modules that a program links which embeds package weft.
var embedded = strings.Fields(`
github.com/RaduBerinde/axisds
github.com/RaduBerinde/btreemap
github.com/beorn7/perks
github.com/blevesearch/segment
github.com/blevesearch/snowballstem
github.com/cespare/xxhash/v2
github.com/cockroachdb/crlib
github.com/cockroachdb/errors
github.com/cockroachdb/logtags
github.com/cockroachdb/pebble/v2
github.com/cockroachdb/redact
github.com/cockroachdb/swiss
github.com/cockroachdb/tokenbucket
github.com/getsentry/sentry-go
github.com/gogo/protobuf
github.com/golang/snappy
github.com/google/uuid
github.com/klauspost/compress
github.com/kr/pretty
github.com/kr/text
github.com/minio/minlz
github.com/munnerz/goautoneg
github.com/pkg/errors
github.com/prometheus/client_golang
github.com/prometheus/client_model
github.com/prometheus/common
github.com/prometheus/procfs
github.com/rogpeppe/go-internal
github.com/tidwall/btree
github.com/weftdb/weft
golang.org/x/exp
golang.org/x/sys
golang.org/x/text
google.golang.org/protobuf
`) // immutable

// TestEmbedded: an embedding program links the modules above, and no other.
func TestEmbedded(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}",
		modulePath)
	command.Env = append(command.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	listed, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := strings.Fields(string(listed))
	slices.Sort(modules)
	if modules = slices.Compact(modules); !slices.Equal(modules, embedded) {
		t.Errorf("package weft links the modules\n%s\nwant\n%s", strings.Join(modules, "\n"),
			strings.Join(embedded, "\n"))
	}
}

// TestProtocolsStayOut: a program that embeds package weft links no dialect and no server, and the driver of
// database/sql no server. Keys are what programs import; values are folders of packages that they don't link.
func TestProtocolsStayOut(t *testing.T) {
	for imported, absent := range map[string][]string{
		".": {"internal/sql", "internal/dynamodb", "internal/hbase", "internal/server", "weftsql", "weftdynamo",
			"wefttest"},
		"kv/pebble":  {"internal"},
		"weftsql":    {"internal/dynamodb", "internal/hbase", "internal/server", "weftdynamo"},
		"weftdynamo": {"internal/sql", "internal/hbase", "internal/server/mysqlwire", "weftsql"},
	} {
		listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", path.Join(modulePath, imported)).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", imported, err)
		}
		for _, linked := range strings.Fields(string(listed)) {
			if slices.ContainsFunc(absent,
				func(folder string) bool { return below(linked, path.Join(modulePath, folder)) }) {
				t.Errorf("a program with %s links %s", path.Join(modulePath, imported), linked)
			}
		}
	}
}

// TestEmbeddedSums makes a program that embeds package weft on Pebble: its go.sum holds what that links, and nothing of
// the server's own libraries, although they are in the same go.mod. Prometheus's client is Pebble's.
func TestEmbeddedSums(t *testing.T) {
	dir := t.TempDir()
	weft, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"go.mod": "module embedding\n\ngo 1.26.0\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath +
			" => " + weft + "\n",
		"main.go": "package main\n\nimport (\n\t_ \"" + modulePath + "\"\n\t_ \"" + modulePath + "/kv/pebble\"\n)\n\n" +
			"func main() {}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "go", "list", "-mod=mod", "-deps", ".")
	command.Dir = dir
	command.Env = append(command.Environ(), "GOWORK=off", "GOSUMDB=off", "CGO_ENABLED=0")
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go list: %v\n%s", err, said)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(sums), "github.com/cockroachdb/pebble/v2 ") {
		t.Errorf("the go.sum lacks Pebble: it is not that of the program\n%s", sums)
	}
	for _, module := range strings.Fields(`github.com/minio/minio-go/v7 github.com/parquet-go/parquet-go filippo.io/age
		github.com/spf13/cobra google.golang.org/grpc github.com/tikv/client-go/v2 github.com/pelletier/go-toml/v2`) {
		if strings.Contains(string(sums), module+" ") {
			t.Errorf("the go.sum of a program that embeds package weft has %s: package weft must not import it", module)
		}
	}
}

// TestClusterClientStaysOut asks the go command what is linked: the client of TiKV, as large as everything else
// together, comes only with the tag tikv.
func TestClusterClientStaysOut(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		linked    bool
	}{
		{[]string{"github.com/weftdb/weft", "github.com/weftdb/weft/kv/pebble"}, false},
		{[]string{"github.com/weftdb/weft/cmd/weft"}, false},
		{[]string{"-tags", "tikv", "github.com/weftdb/weft/cmd/weft"}, true},
	} {
		listed, err := exec.CommandContext(t.Context(), "go",
			append([]string{"list", "-deps"}, c.arguments...)...).Output()
		if err != nil {
			t.Fatalf("go list %v: %v", c.arguments, err)
		}
		var found []string
		for _, path := range strings.Fields(string(listed)) {
			if strings.HasPrefix(path, "github.com/tikv/") || strings.HasPrefix(path, "github.com/pingcap/") ||
				path == "github.com/weftdb/weft/kv/tikv" {
				found = append(found, path)
			}
		}
		if (len(found) > 0) != c.linked {
			t.Errorf("go list %v: %d packages of the cluster's client %v, want some: %t", c.arguments, len(found),
				found, c.linked)
		}
	}
}

// TestUnusedMethodsGo: the linker leaves methods out of the binary that nothing calls. It must keep them all, 9 MB of
// them, once code can be reached that calls methods by names it computes, as text/template does.
func TestUnusedMethodsGo(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-dumpdep", "-o", t.TempDir(),
		path.Join(modulePath, "cmd/weft"))
	command.Env = append(command.Environ(), "CGO_ENABLED=0")
	uses, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(uses); lines.Scan(); { // each: user -> used
		user, used, _ := strings.Cut(lines.Text(), " -> ")
		if strings.HasSuffix(used, "<ReflectMethod>") && !strings.HasPrefix(used, "reflect.") {
			t.Errorf("%s calls methods by computed names, for %s: with it, the binary has all unused methods", used, user)
		}
	}
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestBinaryStaysSmall: the server links none of these packages, which are for tests, for pages of HTML or for AWS.
func TestBinaryStaysSmall(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", path.Join(modulePath, "cmd/weft")).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, linked := range strings.Fields(string(listed)) {
		for _, absent := range []string{"html/template", "testing", "net/http/httptest", "net/rpc", "plugin",
			"github.com/aws", "github.com/stretchr", "k8s.io", "go.opentelemetry.io"} {
			if below(linked, absent) {
				t.Errorf("cmd/weft links %s", linked)
			}
		}
	}
}
