// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestManual: each command has an example that calls it, and names a page that there is. Each page of the manual is
// that of a command.
func TestManual(t *testing.T) {
	unused := manual()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		words := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "weft"), " ")
		delete(unused, words)
		page := pageOf(c)
		if !strings.Contains(page.example, strings.TrimSpace("weft "+words)) {
			t.Errorf("weft %s has no example: add one to the command, or to manual", words)
		}
		if _, err := os.Stat("../../docs/" + page.file); err != nil {
			t.Errorf("weft %s: %v", words, err)
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				visit(sub)
			}
		}
	}
	visit((&program{}).rootCommand())
	for words := range unused {
		t.Errorf("manual has a page for weft %s, which is no command", words)
	}
}

// TestHelp: commands on stores show the settings of stores alone, in groups; others are accepted, or refused where they
// would mean nothing.
func TestHelp(t *testing.T) {
	for _, one := range []struct {
		args, has, hasNot string
		code              int
	}{
		{"verify --help", "\nStore:\n      --data", "--mysql-addr", 0},
		{"export --help", "\nStore:\n      --data", "--tls-cert", 0},
		{"import --help", "\nStore:\n      --data", "--audit-log", 0},
		{"restore --help", "\nPorts:\n      --admin-addr", "--dynamodb-addr", 0},
		{"copy --help", "\nStore:\n      --tikv-ca", "--engine", 0},
		{"demo --help", "--dynamodb-addr", "--tikv-pd", 0},
		{"serve --help", "\nAccess and encryption:\n      --tls-cert", "The other flags of weft serve", 0},
		{"verify --mysql-addr off --data ./nosuchfolder", "there is no store in ./nosuchfolder", "unknown flag", exitFailed},
		{"--version", "weft version " + version + " (commit ", "{{", 0},
		{"version", "weft version " + version + " (commit ", "{{", 0},
		{"copy --from a --to b --data c", "--data has no meaning for weft copy", "there is no store", exitUsage},
	} {
		var out strings.Builder
		p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile}
		code := p.run(t.Context(), strings.Fields(one.args))
		if code != one.code || !strings.Contains(out.String(), one.has) || strings.Contains(out.String(), one.hasNot) {
			t.Errorf("weft %s: exit %d\n%s", one.args, code, &out)
		}
	}
}

// TestMan: each command has a page for man, with its example, its flags and where more is said.
func TestMan(t *testing.T) {
	folder := t.TempDir()
	var out strings.Builder
	p := &program{stdout: &out, stderr: &out}
	if code := p.run(t.Context(), []string{"man", folder}); code != 0 {
		t.Fatal(code, out.String())
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		page, err := os.ReadFile(folder + "/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"docs/" + pageOf(c).file, ".SH EXAMPLE", ".SH OPTIONS"} {
			if !strings.Contains(strings.ReplaceAll(string(page), `\-`, "-"), want) {
				t.Errorf("the page of %s has no %s", c.CommandPath(), want)
			}
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				visit(sub)
			}
		}
	}
	visit((&program{}).rootCommand())
}
