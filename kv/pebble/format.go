// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// The file WEFT names the engine and the format of a folder. It is written when the engine has made its files. Until
// then the file WEFT.new says that the folder is being made: if it is found alone, that was interrupted, nobody has
// written anything yet, and it is made again.
const (
	markerName    = "WEFT"
	markerNewName = "WEFT.new"
	markerTmpName = "WEFT.tmp"
	markerEngine  = "pebble"
	markerFormat  = 1 // what this package writes: latest version only, keys as in keys.go
	markerMaxSize = 4 << 10
)

// engineFormat is the version of Pebble's files. It is part of markerFormat: raise both together.
const engineFormat = pebble.FormatValueSeparation

// harmlessNames may lie in a folder that is otherwise empty. // immutable
var harmlessNames = []string{"LOCK", "lost+found", markerTmpName}

// ownNames are the names of this package's files that hold no data. // immutable
var ownNames = []string{markerNewName, stateName, stateTmpName, probeName}

// checkMarker reads the folder's marker. fresh says that the folder is empty, and claimed; finishMarker must follow.
// The folder is locked.
func checkMarker(fs vfs.FS, dir string) (fresh bool, err error) {
	text, err := readMarker(fs, dir)
	if errors.Is(err, os.ErrNotExist) {
		return true, claim(fs, dir)
	}
	if err != nil {
		return false, err
	}
	return false, parseMarker(text)
}

func readMarker(fs vfs.FS, dir string) (string, error) {
	f, err := fs.Open(fs.PathJoin(dir, markerName))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, markerMaxSize))
	return string(text), errors.Join(err, f.Close())
}

// parseMarker reports whether this program can open a folder with this marker.
func parseMarker(text string) error {
	engine, format := "", 0
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "engine":
			engine = value
		case "format":
			format, _ = strconv.Atoi(value)
		}
	}
	switch {
	case engine == "" || format <= 0:
		return fmt.Errorf("%w: the file %s is damaged: "+waysOut, kv.ErrFormat, markerName)
	case engine != markerEngine:
		return fmt.Errorf("%w: the folder belongs to the engine %q; open it with that one; "+
			"if there is none, the file %s is damaged: "+waysOut,
			kv.ErrFormat, engine, markerName)
	case format > markerFormat:
		return fmt.Errorf("%w: the folder has format %d and this program knows up to %d; use a newer program, or restore a backup made by this one",
			kv.ErrFormat, format, markerFormat)
	}
	return nil
}

// isStore reports whether the folder holds a store, of whatever format, or one that was being made.
func isStore(fs vfs.FS, dir string) bool {
	for _, name := range []string{markerName, markerNewName} {
		if _, err := fs.Stat(fs.PathJoin(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// claim makes an empty folder ours.
func claim(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(harmlessNames, name) })
	if slices.Contains(names, markerNewName) {
		return removeAll(fs, dir, names)
	}
	if len(names) > 0 {
		return lostFormat(names[0])
	}
	if err := writeFile(fs, fs.PathJoin(dir, markerNewName), nil); err != nil {
		return err
	}
	return syncDir(fs, dir)
}

// lostFormat returns the error about a folder with files but without the marker.
func lostFormat(name string) error {
	return fmt.Errorf("%w: the folder holds %q but no file %s, so this program didn't make it; choose an empty folder; "+
		"if it is a store that has lost the file, "+waysOut, kv.ErrFormat, name, markerName)
}

// removeAll removes what an interrupted creation left, but for the file that tells of it. A creation writes no data:
// whatever could hold some is left alone.
func removeAll(fs vfs.FS, dir string, names []string) error {
	for _, name := range names {
		_, engines := numberOf(name)
		engines = engines || strings.HasPrefix(name, "marker.") || strings.HasSuffix(name, ".dbtmp")
		if !engines && !slices.Contains(ownNames, name) {
			return lostFormat(name)
		}
	}
	for _, name := range logsOf(names) {
		if p, err := partOf(fs, dir, name); err != nil || p.size > logHeaderBytes { // more than the mark of its end
			return errors.Join(err, lostFormat(name))
		}
	}
	for _, name := range names {
		if name == markerNewName {
			continue
		}
		if err := fs.Remove(fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	return syncDir(fs, dir)
}

// writeMarker writes the marker durably, whole or not at all.
func writeMarker(fs vfs.FS, dir string) error {
	text := fmt.Sprintf("engine %s\nformat %d\npebble %s\n", markerEngine, markerFormat, engineFormat)
	return replaceFile(fs, dir, markerTmpName, markerName, []byte(text))
}

// replaceFile writes a file durably, whole or not at all.
func replaceFile(fs vfs.FS, dir, tmp, name string, data []byte) error {
	tmp = fs.PathJoin(dir, tmp)
	if err := writeFile(fs, tmp, data); err != nil {
		return err
	}
	if err := fs.Rename(tmp, fs.PathJoin(dir, name)); err != nil {
		return err
	}
	return syncDir(fs, dir)
}

func writeFile(fs vfs.FS, name string, data []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(fs vfs.FS, dir string) error {
	f, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// makeDir creates a folder with its parents, durably.
func makeDir(fs vfs.FS, dir string) error {
	var parents []string
	for at := dir; ; {
		if _, err := fs.Stat(at); !errors.Is(err, os.ErrNotExist) {
			break
		}
		parent := fs.PathDir(at)
		if parent == at {
			break
		}
		parents = append(parents, parent)
		at = parent
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, parent := range slices.Backward(parents) {
		if err := syncDir(fs, parent); err != nil {
			return err
		}
	}
	return nil
}
