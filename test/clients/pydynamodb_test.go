// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestPydynamodb runs pydynamodb, a driver of Python's for PartiQL, and its dialect for SQLAlchemy.
func TestPydynamodb(t *testing.T) {
	skipUnlessWanted(t)
	const python = ".venv-sql/bin/python3"
	version, ok := ask(python, "-c", "import pydynamodb; print(pydynamodb.__version__)")
	if !ok {
		t.Skip("pydynamodb is not there: make test-clients installs it")
	}
	program{title: "pydynamodb " + version, command: []string{python, "pydynamodb_client.py"},
		golden: "pydynamodb"}.test(t)
}
