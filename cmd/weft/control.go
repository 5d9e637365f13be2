// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/weftdb/weft/cmd/weft/testcontrol"
	"github.com/weftdb/weft/internal/database"
)

// openControls makes what the admin port does for tests.
func (s *server) openControls() {
	s.controls = &testcontrol.Controls{Server: testcontrol.Server{On: s.config.TestControls, Ready: s.checkReady,
		DB: func() *database.DB { return s.database.(*openedDatabase).db }, Audit: s.auditAdmin}}
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
