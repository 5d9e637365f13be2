// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandLine runs every AWS CLI found: the system's, the one in the path, and that of the folder .venv.
func TestCommandLine(t *testing.T) {
	skipUnlessWanted(t)
	if _, ok := ask("bash", "-c", "true"); !ok {
		t.Skip("there is no bash, which the script of the AWS CLI needs")
	}
	seen := map[string]bool{}
	for _, tool := range []string{"/usr/bin/aws", "aws", ".venv/bin/aws"} {
		version, ok := ask(tool, "--version")
		version, _, _ = strings.Cut(version, " ")
		if !ok || seen[version] {
			continue
		}
		seen[version] = true
		if strings.HasPrefix(tool, ".") {
			tool, _ = filepath.Abs(tool)
		}
		t.Run(strings.TrimPrefix(version, "aws-cli/"), func(t *testing.T) {
			program{title: version, command: []string{"bash", "awscli.sh"}, golden: "awscli", environ: []string{"AWS=" + tool}}.test(t)
		})
	}
	if len(seen) == 0 {
		t.Skip("there is no `aws`: install the package awscli")
	}
}
