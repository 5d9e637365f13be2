// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"

	"github.com/weftdb/weft/internal/database"
)

// readiness is the line of --ready-json.
type readiness struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	Engine  string `json:"engine"`
	Data    string `json:"data,omitempty"` // the whole path of the folder, of engine pebble
	// Endpoints are the protocols that are served, by name: URLs of those over HTTP, else HOST:PORT.
	Endpoints map[string]string `json:"endpoints"`
}

// readiness describes the running server.
func (s *server) readiness() readiness {
	r := readiness{Version: version, PID: os.Getpid(), Engine: s.config.Engine, Endpoints: s.endpoints()}
	if dir := s.config.dataDir(); dir != "" {
		r.Data = absolute(dir)
	}
	return r
}

// tellReady writes one line of JSON for the program that started this one.
func (s *server) tellReady(w io.Writer) error { return json.NewEncoder(w).Encode(s.readiness()) }

// endpoints says where each protocol is served, with the ports that the system has chosen.
func (s *server) endpoints() map[string]string {
	scheme := "http://"
	if s.tls != nil {
		scheme = "https://"
	}
	all := map[string]string{}
	for _, d := range s.protocols {
		address := d.Addr().String()
		switch d.Name() {
		case "dynamodb", "admin":
			address = scheme + address
		}
		all[d.Name()] = address
	}
	if admin, on := all["admin"]; on {
		all["console"] = admin + "/console/"
	}
	return all
}

// serverPage is GET /api/server on the admin port: the content of the line of --ready-json.
func (s *server) serverPage(*http.Request, *database.DB, bool) ([]byte, error) {
	return json.Marshal(s.readiness())
}
