// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/cmd/weft/heatpage"
)

// adminTimeout is how long a server may take to answer a page of its admin port: some read a sample of a table.
const adminTimeout = time.Minute

// adminBytesMax bounds what is read of an answer.
const adminBytesMax = 64 << 20

// printPage prints a page of the admin port of a server that runs.
func (p *program) printPage(ctx context.Context, addr, page string, query url.Values) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+page+"?"+query.Encode(), nil)
	if err != nil {
		return usageError{fmt.Errorf("--admin-addr: %w", err)}
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("no server answers at the admin port (set --admin-addr, or read a folder with --data): %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // the status says enough
		return fmt.Errorf("%s: %s", answer.Status, text)
	}
	_, err = io.Copy(p.stdout, io.LimitReader(answer.Body, adminBytesMax))
	return err
}

// page answers a page of the admin port about the table that the request names: render writes it as text, or as JSON.
func (s *server) page(render func(r *http.Request, db *weft.DB, asJSON bool) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.Ready(); err != nil { // before it is, there may be no database
			http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		asJSON := r.FormValue("format") == "json"
		body, err := render(r, s.database.(*openedDatabase).db, asJSON)
		switch {
		case errors.As(err, new(heatpage.BadRequest)):
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		case err != nil && weft.KindOf(err) == weft.KindNotFound:
			http.Error(w, "there is no table "+r.FormValue("table"), http.StatusNotFound)
			return
		case err != nil:
			s.log.Error("failed to build a page of the admin port", "page", r.URL.Path, "table", r.FormValue("table"), "error", err)
			http.Error(w, "failed to read the table: see the log", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if asJSON {
			w.Header().Set("Content-Type", "application/json")
		}
		_, _ = w.Write(body) // the client is gone; nobody to tell
	}
}
