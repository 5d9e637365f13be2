// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/work"
	"github.com/weftdb/weft/internal/dynamodb/exchange"
	"github.com/weftdb/weft/internal/history/backup"
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

// shownWork is one piece of work as GET /api/work tells it.
type shownWork struct {
	Kind     string     `json:"kind"`
	Database string     `json:"database,omitempty"`
	Table    string     `json:"table,omitempty"`
	Object   string     `json:"object,omitempty"` // the index or the backup
	State    work.State `json:"state"`
	Done     int64      `json:"rows"`                  // that are done
	Expected int64      `json:"rowsExpected,omitzero"` // estimated
	Bytes    int64      `json:"bytes,omitzero"`
	Total    int64      `json:"bytesExpected,omitzero"`
	BeganMS  int64      `json:"beganMS,omitzero"`
	EndedMS  int64      `json:"endedMS,omitzero"`
	Fault    string     `json:"fault,omitempty"`
}

// wholeBackup is the kind of a backup that weft backup makes.
const wholeBackup = "backup of the whole database"

// runningBackup is the progress of such a backup.
type runningBackup struct {
	begun time.Time
	now   backup.Progress
}

// workPage is GET /api/work on the admin port. It is JSON whatever is asked for.
func (s *server) workPage(r *http.Request, db *database.DB, _ bool) ([]byte, error) {
	own, err := work.Of(r.Context(), db)
	if err != nil {
		return nil, err
	}
	others, err := exchange.Work(r.Context(), db)
	if err != nil {
		return nil, err
	}
	list := []shownWork{}
	if b := s.backup.Load(); b != nil {
		list = append(list, shownWork{Kind: wholeBackup, State: work.Running, Bytes: b.now.Bytes,
			BeganMS: b.begun.UnixMilli()})
	}
	for _, w := range append(own, others...) {
		list = append(list, shownWork(w))
	}
	return json.Marshal(list)
}
