// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/work"
	"github.com/weftdb/weft/internal/dynamodb/exchange"
)

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
	now   database.BackupProgress
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
