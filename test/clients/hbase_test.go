// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
)

// hbaseCalls is the number of random calls that HBase and Weft are asked for a change.
const hbaseCalls = 2_000

// hbaseJava is HBase's jars with the programs of the folder hbase.
type hbaseJava struct{ path string }

// newHBaseJava compiles the programs. The test is skipped where there is no JDK, or HBase could not be fetched.
func newHBaseJava(t *testing.T) hbaseJava {
	skipUnlessWanted(t)
	needJDK(t)
	if _, err := os.Stat(".hbase/complete"); err != nil {
		t.Skip("there is no .hbase/complete: test/clients/install could not fetch HBase from Maven Central")
	}
	sources, err := filepath.Glob("hbase/*.java")
	if err != nil {
		t.Fatal(err)
	}
	classes := t.TempDir()
	if output, ok := ask("javac", append([]string{"-proc:none", "-nowarn", "-cp", ".hbase/*", "-d", classes},
		sources...)...); !ok {
		t.Fatal(output)
	}
	return hbaseJava{classes + string(os.PathListSeparator) + ".hbase/*"}
}

// command runs one of the programs. HBase looks into packages of Java that are closed otherwise.
func (j hbaseJava) command(ctx context.Context, arguments ...string) *exec.Cmd {
	list := []string{"-Xmx800m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"}
	for _, name := range []string{"java.lang", "java.lang.reflect", "java.io", "java.nio", "java.net",
		"java.util.concurrent", "sun.nio.ch", "jdk.internal.ref"} {
		list = append(list, "--add-opens=java.base/"+name+"=ALL-UNNAMED")
	}
	return exec.CommandContext(ctx, "java", append(append(list, "-cp", j.path), arguments...)...)
}

// run runs one of the programs and returns what it prints.
func (j hbaseJava) run(t *testing.T, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sectionTimeout)
	defer cancel()
	var output, complaints bytes.Buffer
	command := j.command(ctx, arguments...)
	command.Stdout, command.Stderr = &output, &complaints
	if err := command.Run(); err != nil {
		t.Errorf("%s: %v\n%s%s", arguments[0], err, output.String(), complaints.String())
	}
	return output.String()
}

// startHBase starts HBase, and returns the addresses of its Thrift2 over HTTP, Thrift2 over sockets, and Thrift1.
func (j hbaseJava) startHBase(t *testing.T) [3]string {
	var addrs, ports [3]string
	for i := range addrs {
		addrs[i] = freeAddr(t)
		_, ports[i], _ = net.SplitHostPort(addrs[i])
	}
	command := j.command(t.Context(), "Standalone", t.TempDir(), ports[0], ports[1], ports[2])
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
	})
	for begun := time.Now(); ; time.Sleep(time.Second) {
		if !slices.ContainsFunc(addrs[:], func(addr string) bool { return !isListening(addr) }) {
			return addrs
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("HBase ended: %v\n%s", err, log.String())
		default:
			if time.Since(begun) > 3*time.Minute {
				t.Fatal("HBase was not ready after 3 minutes")
			}
		}
	}
}

func isListening(addr string) bool {
	connection, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		connection.Close()
	}
	return err == nil
}

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// startThrift starts the server with HBase's APIs, and returns the addresses of Thrift2 and Thrift1.
func startThrift(t *testing.T) (two, one string) {
	two, one = freeAddr(t), freeAddr(t)
	server := harness.Start(t, binary, harness.Options{Args: []string{"--hbase-addr", two, "--hbase-thrift1-addr",
		one}})
	t.Cleanup(func() { stop(t, server) })
	return two, one
}

// quickstart is a program that a golden file has a case for with each transport and protocol.
type quickstart struct {
	golden  string
	command []string // "ADDR" in it is the address of the server
}

// test compares what the program prints. The key of addrs is a case's arguments, or "" for all cases; a case without an
// address is left out.
func (q quickstart) test(t *testing.T, addrs map[string]string) {
	t.Helper()
	datadriven.RunTest(t, "testdata/hbase/"+q.golden, func(t *testing.T, d *datadriven.TestData) string {
		var way []string
		for _, argument := range d.CmdArgs {
			way = append(way, argument.Key)
		}
		addr := cmp.Or(addrs[strings.Join(way, " ")], addrs[""])
		if addr == "" {
			return d.Expected
		}
		command := append(slices.Clone(q.command), way...)
		command[slices.Index(command, "ADDR")] = addr
		output, ok := ask(command[0], command[1:]...)
		if !ok {
			t.Errorf("%v: %s", command, output)
		}
		return output
	})
}

// thriftCode is the folder of what Thrift's compiler made for a language.
func thriftCode(t *testing.T, language string) string {
	t.Helper()
	if _, err := os.Stat(".thrift/complete"); err != nil {
		t.Skip("there is no .thrift/complete: test/clients/install could not install Thrift's compiler")
	}
	return ".thrift/" + language
}

func happybase(t *testing.T) quickstart {
	python, version := pythonSQL(t, "happybase")
	t.Log("happybase " + version)
	return quickstart{"happybase", []string{python, "hbase/quickstart.py", "happybase", "ADDR"}}
}

func pythonThrift(t *testing.T) quickstart {
	python, _ := pythonSQL(t, "happybase")
	version, ok := ask(python, "-c", "import importlib.metadata as m; print(m.version('thrift'))")
	if !ok {
		t.Skip("no python3 here has thrift: test/clients/install could not install it")
	}
	t.Log("thrift " + version)
	return quickstart{"python", []string{python, "hbase/quickstart.py", "thrift", "ADDR", thriftCode(t, "py")}}
}

func nodeThrift(t *testing.T) quickstart {
	skipUnlessWanted(t)
	if _, err := os.Stat("node_modules/thrift"); err != nil {
		t.Skip("there is no node_modules/thrift: test/clients/install could not install it")
	}
	return quickstart{"node", []string{"node", "hbase/quickstart.cjs", "ADDR", thriftCode(t, "js")}}
}

// TestHappybase runs happybase's user guide, its batches, scans and counters, over Thrift1.
func TestHappybase(t *testing.T) {
	program := happybase(t)
	_, one := startThrift(t)
	program.test(t, map[string]string{"": one})
}

// TestPythonThrift calls Thrift2 from Python over HTTP and sockets.
func TestPythonThrift(t *testing.T) {
	program := pythonThrift(t)
	two, _ := startThrift(t)
	program.test(t, map[string]string{"": two})
}

// TestNodeThrift calls Thrift2 from Node.js over HTTP and sockets.
func TestNodeThrift(t *testing.T) {
	program := nodeThrift(t)
	two, _ := startThrift(t)
	program.test(t, map[string]string{"": two})
}

// TestHBaseThrift runs the same programs with HBase itself, so that the golden files have what it answers.
func TestHBaseThrift(t *testing.T) {
	addrs := newHBaseJava(t).startHBase(t)
	t.Run("happybase", func(t *testing.T) { happybase(t).test(t, map[string]string{"buffered binary": addrs[2]}) })
	t.Run("python", func(t *testing.T) {
		pythonThrift(t).test(t, map[string]string{"http binary": addrs[0], "buffered binary": addrs[1],
			"buffered accelerated": addrs[1]})
	})
	t.Run("node", func(t *testing.T) {
		nodeThrift(t).test(t,
			map[string]string{"http": addrs[0], "buffered": addrs[1]})
	})
}

// TestHBaseJava runs HBase's own Java API over Thrift2: Table, Admin, ResultScanner, checkAndMutate, filters. The
// golden files have what HBase itself answers, which TestHBaseOracle checks.
func TestHBaseJava(t *testing.T) {
	java := newHBaseJava(t)
	addr, _ := startThrift(t)
	datadriven.RunTest(t, "testdata/hbase/java",
		func(t *testing.T, d *datadriven.TestData) string { return java.run(t, "Api", addr) })
	datadriven.RunTest(t, "testdata/hbase/details",
		func(t *testing.T, d *datadriven.TestData) string { return java.run(t, "Details", addr) })
}

// TestHBaseOracle asks HBase itself and Weft the same random calls. Answers must be equal.
func TestHBaseOracle(t *testing.T) {
	java := newHBaseJava(t)
	addr, _ := startThrift(t)
	hbase := java.startHBase(t)[0]
	datadriven.RunTest(t, "testdata/hbase/java",
		func(t *testing.T, d *datadriven.TestData) string { return java.run(t, "Api", hbase) })
	datadriven.RunTest(t, "testdata/hbase/details",
		func(t *testing.T, d *datadriven.TestData) string { return java.run(t, "Details", hbase) })
	seed := uint32(rounds.Seed(t))
	t.Log(java.run(t, "Oracle", hbase, addr, fmt.Sprint(seed), fmt.Sprint(rounds.Of(t, hbaseCalls))))
}
