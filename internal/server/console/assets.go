// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// built holds the files of the web console as `make console` writes them: compressed, under their names and .gz.
//
//go:embed dist
var built embed.FS // immutable

// assetsPath is the path of the web console. All its links are relative, so that a proxy may serve it below a path of
// its own.
const assetsPath = "/console/"

// asset is one file of the web console.
type asset struct {
	compressed []byte
	kind, tag  string
}

// readAssets reads all files of a folder by their names without .gz.
func readAssets(files fs.FS) (map[string]asset, error) {
	assets := map[string]asset{}
	names, err := fs.Glob(files, "*.gz")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		name = strings.TrimSuffix(path.Base(name), ".gz")
		assets[name] = asset{content, kindOf(name), `"` + hex.EncodeToString(sum[:12]) + `"`}
	}
	return assets, nil
}

// kindOf is the content type of a file. The system's table is not asked: it differs between machines.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// serveAssets answers with the files. A browser keeps them and asks each time whether they are still the same.
func serveAssets(assets map[string]asset) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, assetsPath)
		name = cmp.Or(name, "index.html")
		a, ok := assets[name]
		if !ok {
			notFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", a.tag)
		header.Set("Vary", "Accept-Encoding")
		if r.Header.Get("If-None-Match") == a.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Type", a.kind)
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			header.Set("Content-Encoding", "gzip")
			_, _ = w.Write(a.compressed) // the client is gone; nobody to tell
			return
		}
		if reader, err := gzip.NewReader(bytes.NewReader(a.compressed)); err == nil {
			_, _ = io.Copy(w, reader) // a test reads every file; the client may be gone
		}
	}
}

// showsHTML reports whether a browser asks for a page, not a program.
func showsHTML(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
