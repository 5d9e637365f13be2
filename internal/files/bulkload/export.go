// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The manifests of an export of a DynamoDB table to S3.
const (
	manifestSummary = "manifest-summary.json"
	manifestFiles   = "manifest-files.json"
)

// exportSummary is the part of the summary that matters here.
type exportSummary struct {
	OutputFormat string `json:"outputFormat"`
	ExportType   string `json:"exportType"`
	ItemCount    *int64 `json:"itemCount"`
}

// exportFormats are the formats of AWS's exports and of archives. // immutable
var exportFormats = []string{"DYNAMODB_JSON", "ION", "CSV", "PARQUET"}

// exportFile is a line of the list of files.
type exportFile struct {
	ItemCount *int64 `json:"itemCount"`
	MD5       string `json:"md5Checksum"`
	Key       string `json:"dataFileS3Key"`
}

// readExport lists the files of an export whose manifests lie in dir, or in the one export below dir/AWSDynamoDB.
func readExport(dir string) ([]source, error) {
	dir, err := exportDir(dir)
	if err != nil {
		return nil, err
	}
	if err := checkSummary(filepath.Join(dir, manifestSummary)); err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(dir, manifestFiles))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []source
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var entry exportFile
		if err := json.Unmarshal(line, &entry); err != nil || entry.Key == "" {
			return nil, fmt.Errorf("%s:%d: not a line of a manifest: %.100s", file.Name(), n, line)
		}
		s, err := entry.find(dir)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file.Name(), n, err)
		}
		all = append(all, s)
	}
	return all, lines.Err()
}

func exportDir(dir string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, manifestFiles)); err == nil {
		return dir, nil
	}
	for _, pattern := range [...]string{"*", "AWSDynamoDB/*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern, manifestFiles))
		if err != nil {
			return "", err
		}
		if len(found) > 1 {
			return "", fmt.Errorf("%s holds %d exports; name the folder of one", dir, len(found))
		}
		if len(found) == 1 {
			return filepath.Dir(found[0]), nil
		}
	}
	return "", fmt.Errorf("%s has no %s, so it is not an export of a DynamoDB table; to import files, name them", dir,
		manifestFiles)
}

func checkSummary(path string) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the list of files is enough
	}
	if err != nil {
		return err
	}
	var summary exportSummary
	if err := json.Unmarshal(raw, &summary); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case summary.OutputFormat != "" && !slices.Contains(exportFormats, summary.OutputFormat):
		return fmt.Errorf("%s: the export is in the format %s; export it as one of %s", path, summary.OutputFormat,
			strings.Join(exportFormats, ", "))
	case summary.ExportType == "INCREMENTAL_EXPORT":
		return fmt.Errorf("%s: an incremental export holds changes, not items; import a full export", path)
	}
	return nil
}

// find looks for the file where S3 had it relative to the manifests, which is the folder data next to them.
func (e *exportFile) find(dir string) (source, error) {
	base := filepath.Base(filepath.FromSlash(e.Key))
	for _, path := range [...]string{filepath.Join(dir, "data", base), filepath.Join(dir, base)} {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		s := source{name: path, path: path, size: info.Size(), atNS: info.ModTime().UnixNano(), md5: e.MD5, items: -1,
			format: DynamoDB}
		switch {
		case strings.HasSuffix(base, ".ion.gz"):
			s.format = Ion
		case strings.HasSuffix(base, ".csv.gz"):
			s.format = CSV
		case strings.HasSuffix(base, ".parquet"):
			s.format = Parquet
		}
		if e.ItemCount != nil {
			s.items = *e.ItemCount
		}
		return s, nil
	}
	return source{}, fmt.Errorf("the file data/%s of the export is missing; download the whole export", base)
}

// check compares a file with the sum that the manifest has.
func (s *source) check() error {
	if s.md5 == "" {
		return nil
	}
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := md5.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if got := base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != s.md5 {
		return fmt.Errorf("%s: its MD5 is %s, but the manifest says %s; download it again", s.name, got, s.md5)
	}
	return nil
}
