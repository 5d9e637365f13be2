// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestBoto3 runs every boto3 found: the system's, that of the python3 in the path, and that of the folder .venv.
func TestBoto3(t *testing.T) {
	skipUnlessWanted(t)
	seen := map[string]bool{}
	for _, python := range []string{"/usr/bin/python3", "python3", ".venv/bin/python3"} {
		version, ok := ask(python, "-c", "import boto3; print(boto3.__version__)")
		if !ok || seen[version] {
			continue
		}
		seen[version] = true
		t.Run(version, func(t *testing.T) {
			program{title: "boto3 " + version, command: []string{python, "boto3_client.py"}, golden: "boto3"}.test(t)
		})
	}
	if len(seen) == 0 {
		t.Skip("no python3 here has boto3: install the package python3-boto3")
	}
}
