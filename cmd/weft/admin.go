// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/database"
)

// adminTimeout is the time a server may take to answer a page of its admin port: some read a sample of a table.
const adminTimeout = time.Minute

// adminBytesMax bounds what is read of an answer.
const adminBytesMax = 64 << 20

// printPage prints a page of the admin port of a server that runs.
func (p *program) printPage(ctx context.Context, addr, page string, query url.Values) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	return p.sendAdmin(ctx, http.MethodGet, addr, page+"?"+query.Encode(), nil)
}

// sendAdmin sends a request to the admin port, and prints the answer. A nil request has no body.
func (p *program) sendAdmin(ctx context.Context, method, addr, target string, request any) error {
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			return err
		}
	}
	answer, err := p.askAdmin(ctx, method, addr, target, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	_, err = io.Copy(p.stdout, io.LimitReader(answer, adminBytesMax))
	return err
}

// Variables by which commands reach an admin port with TLS. They are no settings of a server.
const (
	adminCAVariable   = envPrefix + "ADMIN_CA"   // file with the authority of the server's certificate
	adminCertVariable = envPrefix + "ADMIN_CERT" // files with a certificate and its key, for a server that wants one
	adminKeyVariable  = envPrefix + "ADMIN_KEY"
)

// askAdmin sends a request to the admin port at HOST:PORT or https://HOST:PORT, and returns the body of an answer that
// is not an error.
func (p *program) askAdmin(ctx context.Context, method, addr, target string, body []byte) (io.ReadCloser, error) {
	environ, err := readEnviron(p.environ)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	config, err := p.adminTLS(environ)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(addr, "://") {
		addr = map[bool]string{true: "https://", false: "http://"}[config.RootCAs != nil] + addr
	}
	request, err := http.NewRequestWithContext(ctx, method, addr+target, bytes.NewReader(body))
	if err != nil {
		return nil, commandline.Usage(fmt.Errorf("--admin-addr: %w", err))
	}
	if token := environ[adminTokenVariable]; token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Weft-Console", "1") // below /api/ it is asked for
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		if dynamoport.IsOtherProtocol(err) {
			return nil, notAdmin(addr)
		}
		return nil, fmt.Errorf("no server answers at the admin port (set --admin-addr, or open a folder with --data): %w",
			err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // the status says enough
	if strings.Contains(string(text), "HTTP request to an HTTPS server") {
		return nil, fmt.Errorf("the admin port asks for TLS: set %s to the PEM file of its authority", adminCAVariable)
	}
	return nil, adminFault(addr, answer, text)
}

// adminFault words an error reply. Those of an admin port are plain text that says enough; of a page that it does not
// have, only net/http speaks.
func adminFault(addr string, answer *http.Response, text []byte) error {
	said := strings.TrimSpace(string(text))
	plain := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain")
	if !plain || said == "" || said == "404 page not found" || answer.StatusCode == http.StatusMethodNotAllowed {
		return notAdmin(addr)
	}
	return errors.New(said)
}

func notAdmin(addr string) error {
	return fmt.Errorf("%s is not the admin port of a Weft server of this version: set --admin-addr to the server's, "+
		"which is %s by default", addr, preset("admin-addr"))
}

// adminTLS is how commands speak to an admin port with TLS.
func (p *program) adminTLS(environ map[string]string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if name := environ[adminCAVariable]; name != "" {
		authority, err := p.readFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", adminCAVariable, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(authority) {
			return nil, fmt.Errorf("%s: %s holds no certificate in PEM", adminCAVariable, name)
		}
	}
	if name := environ[adminCertVariable]; name != "" {
		certificate, err := tls.LoadX509KeyPair(name, environ[adminKeyVariable])
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", adminCertVariable, adminKeyVariable, err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return config, nil
}

// page answers a page of the admin port about the table that the request names: render writes it as text, or as JSON.
func (s *server) page(render func(r *http.Request, db *database.DB, asJSON bool) ([]byte, error)) http.HandlerFunc {
	return s.whenReady(func(w http.ResponseWriter, r *http.Request) {
		body, err := render(r, s.database.(*openedDatabase).db, r.FormValue("format") == "json")
		switch {
		case err != nil && r.Context().Err() != nil: // the client is gone; nobody to tell, and nothing has failed
			return
		case errors.As(err, new(heatpage.BadRequest)):
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		case err != nil && database.KindOf(err) == database.KindNotFound:
			names := survey.Tables(s.database.(*openedDatabase).db)
			http.Error(w, commandline.NoTable(r.FormValue("table"), names).Error(), http.StatusNotFound)
			return
		case err != nil:
			s.log.Error("failed to build a page of the admin port", "page", r.URL.Path, "table", r.FormValue("table"),
				"error", err)
			http.Error(w, "failed to read the table: see the log", http.StatusInternalServerError)
			return
		}
		setContentType(w, r)
		_, _ = w.Write(body) // the client is gone; nobody to tell
	})
}

// whenReady is a handler for the time when the server is ready; before, there may be no database.
func (s *server) whenReady(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.checkReady(w) {
			handler(w, r)
		}
	}
}

// setContentType says how a page is written, and reports whether JSON is asked for.
func setContentType(w http.ResponseWriter, r *http.Request) (asJSON bool) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if asJSON = r.FormValue("format") == "json"; asJSON {
		w.Header().Set("Content-Type", "application/json")
	}
	return asJSON
}

// decodeRequest reads a request to the admin port, or answers why it can't be read.
func decodeRequest(w http.ResponseWriter, r *http.Request, request any) bool {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(request); err != nil {
		http.Error(w, "the request can't be read: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

// checkReady reports whether the server is ready, or answers why not.
func (s *server) checkReady(w http.ResponseWriter) bool {
	if err := s.Ready(); err != nil {
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
		return false
	}
	return true
}
