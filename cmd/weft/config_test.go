// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestCommandLine runs command lines that end by themselves. The input is the environment, and after a line "file NAME"
// that file.
func TestCommandLine(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".txt" {
			return // a store
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "weft" {
				d.Fatalf(t, "no command %s", d.Cmd)
			}
			var args []string
			for _, arg := range d.CmdArgs {
				args = append(args, arg.String())
			}
			environ, fileName, file := scanInput(d.Input)
			var stdout, stderr bytes.Buffer
			p := &program{environ: environ, stdout: &stdout, stderr: &stderr,
				exit: func(int) { t.Error("exit was called") }}
			p.readFile = func(name string) ([]byte, error) {
				if name != fileName {
					return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("no such file")}
				}
				return []byte(file), nil
			}
			code := p.run(context.Background(), args)
			return fmt.Sprintf("%s%sexit %d\n", stdout.String(), stderr.String(), code)
		})
	})
}

func scanInput(input string) (environ []string, fileName, file string) {
	head, tail, found := strings.Cut("\n"+input, "\nfile ")
	if found {
		fileName, file, _ = strings.Cut(tail, "\n")
	}
	for _, line := range strings.Split(head, "\n") {
		if line != "" {
			environ = append(environ, line)
		}
	}
	return environ, fileName, file
}

// TestDefaultsAreValid keeps --help from promising defaults that do not parse, or that print differently from how they
// are written.
func TestDefaultsAreValid(t *testing.T) {
	for _, s := range settings(new(config)) {
		if err := s.value.Set(s.preset); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if s.value.String() != s.preset {
			t.Errorf("the default of %s is written %q and prints %q", s.name, s.preset, s.value.String())
		}
	}
}

// FuzzSize checks that sizes print as they are read.
func FuzzSize(f *testing.F) {
	for _, seed := range []string{"64MiB", "1", "12 kB", "9223372036854775807", "-1", "1e9", "", "B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		var first, second int64
		if (size{&first, 0}).Set(typed) != nil {
			return
		}
		if first < 0 {
			t.Fatalf("%q is %d", typed, first)
		}
		if err := (size{&second, 0}).Set(formatSize(first)); err != nil || first != second {
			t.Fatalf("%q is %d, printed as %s, which is %d, %v", typed, first, formatSize(first), second, err)
		}
	})
}

// TestMySQLNeedsTLS: who must show a certificate must do so over MySQL's protocol, too, on this machine as well.
func TestMySQLNeedsTLS(t *testing.T) {
	for _, one := range []struct {
		address, certificate, authority string
		insecure, want                  bool
	}{
		{"127.0.0.1:1", "", "", false, false}, {"0.0.0.0:1", "", "", true, false},
		{"127.0.0.1:1", "c", "", false, false}, {"0.0.0.0:1", "c", "", false, true},
		{"0.0.0.0:1", "c", "", true, false},
		{"127.0.0.1:1", "c", "a", false, true}, {"0.0.0.0:1", "c", "a", true, true},
	} {
		c := &config{MySQLAddr: one.address, Insecure: one.insecure}
		c.TLS.Certificate, c.TLS.ClientCA = one.certificate, one.authority
		if got := c.mysqlNeedsTLS(); got != one.want {
			t.Errorf("%+v: %t", one, got)
		}
	}
}
