// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// nodeMajorMin is the oldest Node.js that the SDK for JavaScript runs on.
const nodeMajorMin = 20

// runScript runs a script for Node.js, which uses the package, that must be installed beside it.
func runScript(t *testing.T, file, library, golden string) {
	t.Helper()
	script(t, file, library, golden).test(t)
}

// script is a script for Node.js as a client.
func script(t *testing.T, file, library, golden string) program {
	t.Helper()
	skipUnlessWanted(t)
	version, ok := ask("node", "--version")
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if number, err := strconv.Atoi(major); !ok || err != nil || number < nodeMajorMin {
		t.Skipf("%s needs Node.js %d or newer, here is: %s", library, nodeMajorMin, version)
	}
	manifest, err := os.ReadFile(filepath.Join("node_modules", filepath.FromSlash(library), "package.json"))
	if err != nil {
		t.Skipf("%s is not installed: `npm ci` in test/clients could not run: %v", library, err)
	}
	var installed struct{ Version string }
	if err := json.Unmarshal(manifest, &installed); err != nil {
		t.Fatal(err)
	}
	return program{title: strings.TrimPrefix(library, "../prisma/node_modules/") + " " + installed.Version,
		command: []string{"node", file}, golden: golden}
}

// TestJavaScript runs the AWS SDK for JavaScript, its bare client and its document client.
func TestJavaScript(t *testing.T) {
	runScript(t, "javascript.mjs", "@aws-sdk/lib-dynamodb", "javascript")
}
