// SPDX-License-Identifier: Apache-2.0

// Package clients runs the programs that people use with DynamoDB and with MySQL against the real server: the AWS CLI,
// boto3, the SDK for JavaScript and the libraries built on it; MySQL's command lines, mysqldump, and drivers with what
// is built on them; HBase's Java API. Each client has a script with sections and a golden file in testdata of what
// every section prints; what readers of streams print is compared with a model. `make test-clients` installs what is
// missing and sets WEFT_TEST_CLIENTS=1; without that variable nothing runs.
//
// Knows: how each client is started, the DynamoDB API and SQL as it has them.
// Never: packages inside the server.
package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/test/harness"
)

// sectionTimeout ends a section that hangs. It is generous: waiters of some clients sleep 20 s between two looks.
const sectionTimeout = 10 * time.Minute

// binary is the server to test: the one that WEFT_TEST_BINARY names, or the one built from these sources.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if !isEnabled() {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "weft-clients")
	if err == nil {
		defer os.RemoveAll(dir)
		binary, err = harness.Compile(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func isEnabled() bool { return os.Getenv("WEFT_TEST_CLIENTS") == "1" }

// program is one client, ready to be run.
type program struct {
	title   string            // with its version, as `aws-cli 2.9.19`
	command []string          // to which the section's name is added
	golden  string            // folder in testdata
	environ []string          // more variables
	cannot  map[string]string // sections that this version can't run, and why
}

// test runs the program's sections, which are the files of its folder in testdata: each as a process of its own on a
// new server. It compares what they print.
func (p program) test(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", p.golden), func(t *testing.T, path string) {
		t.Parallel()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "run" {
				d.Fatalf(t, "want: run [needs=(Operation, ...)]")
			}
			if why := p.cannot[filepath.Base(path)]; why != "" {
				t.Logf("%s: not run: %s", p.title, why)
				return d.Expected
			}
			server := harness.Start(t, binary, harness.Options{Args: []string{"--buckets", t.TempDir()}})
			defer stop(t, server)
			if missing := missingOperations(t, server, d); len(missing) > 0 {
				t.Logf("%s: not run: the server does not have %s", p.title, strings.Join(missing, ", "))
				return d.Expected
			}
			return p.section(t, server, filepath.Base(path))
		})
	})
}

// stop ends a server, which must have had no failure of its own.
func stop(t *testing.T, server *harness.Server) {
	if err := server.Stop(); err != nil {
		t.Errorf("the server did not stop well: %v", err)
	}
	if log := server.Log(); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the server has logged errors:\n%s", log)
	}
}

// section runs one section and returns what it printed. A program that ends with an error fails the test, whatever the
// golden file says.
func (p program) section(t *testing.T, server *harness.Server, name string) string {
	ctx, cancel := context.WithTimeout(t.Context(), sectionTimeout)
	defer cancel()
	var output, complaints bytes.Buffer
	command := exec.CommandContext(ctx, p.command[0], slices.Concat(p.command[1:], []string{name})...)
	command.Env = append(p.variables(t, server), p.environ...)
	command.Stdout, command.Stderr = &output, &complaints
	command.WaitDelay = time.Second
	if err := command.Run(); err != nil {
		t.Errorf("%s: section %s: %v\n%s", p.title, name, err, complaints.String())
		fmt.Fprintln(&output, "the program failed:", err)
	}
	return estimates.ReplaceAllString(output.String(), "")
}

// estimates are what messages say of tables' sizes once those are known, which takes its time.
var estimates = regexp.MustCompile(`, about \d+ of them`)

// variables is an environment in which no client finds settings or credentials of whoever runs the test.
func (p program) variables(t *testing.T, server *harness.Server) []string {
	home := t.TempDir()
	host, port, err := net.SplitHostPort(server.SQL())
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC",
		"TERM=dumb",
		"DYNAMODB_ENDPOINT=http://" + server.Addr(), "SQL_HOST=" + host, "SQL_PORT=" + port,
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1",
		"AWS_CONFIG_FILE=" + home + "/config", "AWS_SHARED_CREDENTIALS_FILE=" + home + "/credentials",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_PAGER=", "PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore",
		"NODE_NO_WARNINGS=1",
	}
}

// missingOperations lists those operations of the argument needs that the server does not know. Once it knows them,
// their sections run.
func missingOperations(t *testing.T, server *harness.Server, d *datadriven.TestData) []string {
	var missing []string
	for _, argument := range d.CmdArgs {
		if argument.Key != "needs" {
			continue
		}
		for _, operation := range argument.Vals {
			if !hasOperation(t, server, operation) {
				missing = append(missing, operation)
			}
		}
	}
	return missing
}

// hasOperation sends the operation an empty request: a server that knows it complains about what is missing instead.
func hasOperation(t *testing.T, server *harness.Server, operation string) bool {
	t.Helper()
	body := []byte("{}")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+server.Addr()+"/",
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	hash := sha256.Sum256(body)
	keys := aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}
	if err := signer.NewSigner().SignHTTP(t.Context(), keys, request, hex.EncodeToString(hash[:]), "dynamodb",
		"us-east-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return !bytes.Contains(text, []byte("UnknownOperationException"))
}

// skipUnlessWanted skips a test of `go test ./...`, which needs Go alone.
func skipUnlessWanted(t *testing.T) {
	t.Helper()
	if !isEnabled() {
		t.Skip("real clients run under `make test-clients`, which sets WEFT_TEST_CLIENTS=1")
	}
}

// ask runs a command and returns what it prints, trimmed; false if it fails or isn't there.
func ask(name string, args ...string) (string, bool) {
	output, err := exec.Command(name, args...).CombinedOutput()
	return strings.TrimSpace(string(output)), err == nil
}
