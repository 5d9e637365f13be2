// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"

	"github.com/weftdb/weft/kv"
)

// Names of Pebble's files. A marker is an empty file whose name holds its value.
const (
	manifestPrefix = "MANIFEST-"
	optionsPrefix  = "OPTIONS-"
	logSuffix      = ".log"
	currentMarker  = "manifest"       // the name of the manifest in use
	formatMarker   = "format-version" // the version of Pebble's files
)

// waysOut ends the errors about files that are missing or damaged.
const waysOut = "copy the folder again from where it is whole, its empty files included, " +
	"or restore a backup (weft restore)"

// damage returns an error about a file of the store. Nothing was changed.
func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s; nothing was changed; "+waysOut, kv.ErrDamaged, fmt.Sprintf(format, args...))
}

// numberOf returns the number in the name of a log, a manifest or a file of options; ok is false for other names.
func numberOf(name string) (number uint64, ok bool) {
	digits := strings.TrimSuffix(name, logSuffix)
	if digits == name {
		digits = strings.TrimPrefix(strings.TrimPrefix(name, manifestPrefix), optionsPrefix)
		if digits == name {
			return 0, false
		}
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// logsOf returns the logs among names, in the order of their numbers.
func logsOf(names []string) []string {
	var logs []string
	for _, name := range names {
		if _, ok := numberOf(name); ok && strings.HasSuffix(name, logSuffix) {
			logs = append(logs, name)
		}
	}
	slices.SortFunc(logs, func(a, b string) int {
		left, _ := numberOf(a)
		right, _ := numberOf(b)
		return int(left) - int(right)
	})
	return logs
}

// checkParts refuses a store whose engine files are not all there, and returns the name of its manifest. From a folder
// without them Pebble would make an empty store and delete the files of the other. left may be nil.
func checkParts(fs vfs.FS, dir string, left *endState) (manifest string, err error) {
	manifest, err = atomicfs.ReadMarker(fs, dir, currentMarker)
	if err == nil && manifest == "" {
		err = lostMarker(fs, dir, currentMarker, left.manifestName(fs, dir))
	}
	if err != nil {
		return "", err
	}
	format, err := atomicfs.ReadMarker(fs, dir, formatMarker)
	switch {
	case err != nil:
		return "", err
	case format == "":
		return "", lostMarker(fs, dir, formatMarker, engineFormat.String())
	case !exists(fs, fs.PathJoin(dir, manifest)):
		return "", damage("the file %s is missing, the list of the data's files", manifest)
	}
	return manifest, nil
}

// lostMarker returns the error about a marker that is missing. value is its value, "" if it is unknown.
func lostMarker(fs vfs.FS, dir, marker, value string) error {
	err := damage("the empty file marker.%s.* is missing", marker)
	if value == "" {
		return err
	}
	return fmt.Errorf("%w; if no other file was lost, make it again: touch %s", err,
		fs.PathJoin(dir, fmt.Sprintf("marker.%s.%06d.%s", marker, 1, value)))
}

func exists(fs vfs.FS, name string) bool {
	_, err := fs.Stat(name)
	return err == nil
}

// checkManifest refuses a manifest that is damaged before its end: Pebble takes the first record that it can't read for
// the end. A record that is cut short at the very end was being written when the process ended, and what it says had
// not happened yet: torn is its length.
func checkManifest(fs vfs.FS, dir, name string) (torn int64, err error) {
	text, err := readWhole(fs, fs.PathJoin(dir, name))
	if err != nil {
		return 0, err
	}
	records := record.NewReader(bytes.NewReader(text), 0)
	for end := int64(0); ; end = records.Offset() {
		r, err := records.Next()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		switch {
		case err == nil:
		case end == 0:
			return 0, damage("the file %s, the list of the data's files, is empty or damaged at its beginning", name)
		case errors.Is(err, io.EOF):
			return 0, nil
		case hasRecord(text, end):
			return 0, damage("the file %s, the list of the data's files, is damaged %d bytes from its beginning", name,
				end)
		default:
			return int64(len(text)) - end, nil
		}
	}
}

// The form of a manifest: blocks of chunks, each with a header of a checksum, a length and a type. A record is one
// chunk or several.
const (
	blockBytesOfRecords = 32 << 10
	chunkHeaderBytes    = 7
	chunkFull           = 1
	chunkFirst          = 2
)

// hasRecord reports whether a record begins anywhere behind a position.
func hasRecord(text []byte, from int64) bool {
	for at := int(from) + 1; at+chunkHeaderBytes <= len(text); at++ {
		header := text[at : at+chunkHeaderBytes]
		end := at + chunkHeaderBytes + int(binary.LittleEndian.Uint16(header[4:]))
		if header[6] != chunkFull && header[6] != chunkFirst || end == at+chunkHeaderBytes || end > len(text) ||
			at/blockBytesOfRecords != (end-1)/blockBytesOfRecords {
			continue
		}
		sum := crc32.Checksum(text[at+6:end], castagnoli)
		if (sum>>15|sum<<17)+0xa282ead8 == binary.LittleEndian.Uint32(header) { // masked, as LevelDB does
			return true
		}
	}
	return false
}

// manifestBytesMax bounds what is read of a manifest. Pebble begins another one at 128 MiB, or after one list of all
// files that is longer.
const manifestBytesMax = 1 << 30

func readWhole(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name, vfs.SequentialReadsOption)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, manifestBytesMax))
	return text, errors.Join(err, f.Close())
}
