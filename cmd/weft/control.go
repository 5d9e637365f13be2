// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/weftdb/weft/cmd/weft/testcontrol"
	"github.com/weftdb/weft/internal/database"
)

// openControls makes what the admin port does for tests.
func (s *server) openControls() {
	s.controls = &testcontrol.Controls{Server: testcontrol.Server{On: s.config.TestControls, Ready: s.checkReady,
		DB: func() *database.DB { return s.database.(*openedDatabase).db }, Audit: s.auditAdmin}}
}
