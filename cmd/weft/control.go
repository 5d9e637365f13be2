// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/weftdb/weft/cmd/weft/testcontrol"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/server/dynamohttp"
)

// openControls makes what the admin port does for tests.
func (s *server) openControls() {
	s.controls = &testcontrol.Controls{Server: testcontrol.Server{On: s.config.TestControls, Ready: s.checkReady,
		DB: func() *database.DB { return s.database.(*openedDatabase).db }, Audit: s.auditAdmin,
		DatabaseOf: s.databaseOf, Returned: func() {
			if s.own != nil {
				s.own.Forget()
			}
		}}}
}

// databaseOf is the database with the tables of an access key.
func (s *server) databaseOf(key, region string) (name string, err error) {
	by := dynamohttp.Owner(s.config.OwnTables)
	switch {
	case by == dynamohttp.OwnerOff:
		return "", errors.New("all access keys share the tables of this server: start it with --own-tables")
	case by == dynamohttp.OwnerKeyRegion && region == "":
		return "", errors.New("an access key has other tables in each region: name the region, too")
	case by == dynamohttp.OwnerKey && region != "":
		return "", errors.New("an access key has the same tables in all regions of this server: leave the region out")
	}
	return by.Database(key, region), nil
}
