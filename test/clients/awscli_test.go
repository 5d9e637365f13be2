// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandLine runs the AWS CLI: the first of version 2 among the system's, the one in the path and that of the
// folder .venv, else the first of version 1. Each command is a process that needs most of a second, so one version is
// enough.
func TestCommandLine(t *testing.T) {
	skipUnlessWanted(t)
	if _, ok := ask("bash", "-c", "true"); !ok {
		t.Skip("there is no bash, which the script of the AWS CLI needs")
	}
	var found program
	for _, tool := range []string{"/usr/bin/aws", "aws", ".venv/bin/aws"} {
		version, ok := ask(tool, "--version")
		version, _, _ = strings.Cut(version, " ")
		if !ok || found.title != "" && !strings.HasPrefix(version, "aws-cli/2.") {
			continue
		}
		if strings.HasPrefix(tool, ".") {
			tool, _ = filepath.Abs(tool)
		}
		found = program{title: version, command: []string{"bash", "awscli.sh"}, golden: "awscli",
			environ: []string{"AWS=" + tool}}
		if strings.HasPrefix(version, "aws-cli/2.") {
			break
		}
		found.cannot = map[string]string{"binary": "version 1 has no --cli-binary-format"}
	}
	if found.title == "" {
		t.Skip("there is no `aws`: install the package awscli")
	}
	t.Parallel()
	found.test(t)
}
