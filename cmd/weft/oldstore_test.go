// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpackStore unpacks a store that an older build has made, and returns its folder. testdata/stores has a file for
// each, by the commit of the build.
func unpackStore(t *testing.T, build string) string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "stores", build+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for archive := tar.NewReader(unpacked); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(dir, build)
		}
		if err == nil && header.FileInfo().IsDir() {
			err = os.Mkdir(filepath.Join(dir, header.Name), 0o700)
		} else if err == nil {
			var text []byte
			if text, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(filepath.Join(dir, header.Name), text, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestStoresOfOlderBuilds opens stores that older builds have made: they are whole, before and after a server has had
// them.
func TestStoresOfOlderBuilds(t *testing.T) {
	for build, want := range map[string]string{
		"46aa993f": "checked 2 tables, 90 rows and 90 index entries", // stopped in good order; no feature
		"f5772c0c": "checked 2 tables, 3 rows and 3 index entries",   // killed; features, but no list of them
	} {
		dir := unpackStore(t, build)
		for range 2 {
			code, stdout, stderr := bulkRun(t, "verify", "--data", dir)
			if code != 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, ": 0 faults") {
				t.Errorf("%s: exit %d: %s%s", build, code, stdout, stderr)
			}
			s, _ := openServer(t, map[string]string{"engine": "pebble", "data": dir})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
