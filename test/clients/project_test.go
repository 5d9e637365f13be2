// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestTypeORM runs it with a schema of its own kind, and as a project with decorators, migrations and its command line.
func TestTypeORM(t *testing.T) {
	runScript(t, "typeorm.mjs", "typeorm", "typeorm")
	runShell(t, "typeorm.sh", "typeorm", "typeorm-project")
}

// TestDrizzleKit runs Drizzle's command line, and its relational queries.
func TestDrizzleKit(t *testing.T) { runShell(t, "drizzle-kit.sh", "drizzle-kit", "drizzle-kit") }

// TestPrisma runs its client, which needs packages of npm alone. Its command line makes tables with an engine that it
// fetches from a host of its own: that is not run.
func TestPrisma(t *testing.T) {
	runScript(t, "prisma/client.mjs", "../prisma/node_modules/@prisma/client", "prisma")
}

// runShell runs a script for the shell, which uses command lines of the package for Node.js.
func runShell(t *testing.T, file, library, golden string) {
	t.Helper()
	p := script(t, file, library, golden)
	p.command[0] = "bash"
	p.test(t)
}
