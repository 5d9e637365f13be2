// SPDX-License-Identifier: Apache-2.0

// Package planted proves that the tests of a change find faults: it plants one in the core of each part of the product
// and wants a test to fail. It runs in long runs.
//
// Knows: lines of the product's code, and which packages' tests watch them.
// Never: how the tests find a fault.
package planted

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// root is the folder of the main module.
const root = "../.."

// TestPlanted reads files of faults. Each is a command
//
//	fault file=FOLDER/FILE.go tests=(./PACKAGE, ./PACKAGE)
//	the line as it stands
//	the line with the fault
//	----
//	found
//
// White space at the ends of lines does not count; the line must stand once in the file.
func TestPlanted(t *testing.T) {
	rounds.SkipUnlessLong(t)
	found, count := 0, 0
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var file string
			d.ScanArgs(t, "file", &file)
			var tests []string
			for _, argument := range d.CmdArgs {
				if argument.Key == "tests" {
					tests = argument.Vals
				}
			}
			count++
			if output := run(t, plant(t, d, file), tests); strings.Contains(output, "[build failed]") {
				d.Fatalf(t, "the fault does not compile:\n%s", output)
			} else if strings.Contains(output, "--- FAIL") || strings.Contains(output, "panic:") {
				found++
				return "found\n"
			}
			return "not found\n"
		})
	})
	t.Logf("%d of %d planted faults are found", found, count)
}

// plant writes the file with the fault, and what makes the go command take it for the other one. It returns the path of
// that.
func plant(t *testing.T, d *datadriven.TestData, file string) (overlay string) {
	t.Helper()
	right, wrong, ok := strings.Cut(d.Input, "\n")
	path, err := filepath.Abs(filepath.Join(root, file))
	if err != nil || !ok {
		d.Fatalf(t, "want two lines, and a file: %v", err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, places := strings.Split(string(source), "\n"), 0
	for i := range lines {
		if strings.TrimSpace(lines[i]) == strings.TrimSpace(right) {
			places++
			lines[i] = wrong
		}
	}
	if places != 1 {
		d.Fatalf(t, "the line stands %d times in %s", places, file)
	}
	dir := t.TempDir()
	planted := filepath.Join(dir, filepath.Base(file))
	description, err := json.Marshal(map[string]any{"Replace": map[string]string{path: planted}})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	for name, content := range map[string][]byte{planted: []byte(strings.Join(lines, "\n")), overlay: description} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}

// run returns what the tests of packages print, in the rounds of a change.
func run(t *testing.T, overlay string, packages []string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go",
		append([]string{"test", "-overlay", overlay, "-vet=off", "-timeout=20m"}, packages...)...)
	command.Dir = root
	command.Env = append(os.Environ(), "WEFT_ROUNDS=1", "WEFT_TEST_BINARY=")
	output, err := command.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(fmt.Errorf("%v: %w", command.Args, err))
	}
	return string(output)
}
