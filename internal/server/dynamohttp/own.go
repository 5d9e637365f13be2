// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"net/http"
	"strings"
	"sync"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/security/signature"
)

// Owner says whose tables a client sees.
type Owner string

// The owners.
const (
	OwnerOff       Owner = "off"        // everybody sees all tables
	OwnerKey       Owner = "key"        // each access key has its own
	OwnerKeyRegion Owner = "key-region" // each access key has its own in each region
)

// OwnTables returns a function for Options.Within that gives clients the tables of the access key which their requests
// name; nil if everybody sees all. Keys need not exist, and signatures are not verified. The tables of a key are in a
// database of its name, which is made with the first one. A key of twelve digits is the account in ARNs.
func OwnTables(api *dynamodb.API, by Owner) func(r *http.Request) API {
	if by != OwnerKey && by != OwnerKeyRegion {
		return nil
	}
	var known sync.Map // by the name of the database: *dynamodb.API
	return func(r *http.Request) API {
		key, region := signature.Named(r)
		name := "key-" + strings.ReplaceAll(key, "\x00", "")
		if by == OwnerKeyRegion {
			name += "-" + strings.ReplaceAll(region, "\x00", "")
		} else {
			region = ""
		}
		if own, ok := known.Load(name); ok {
			return own.(*dynamodb.API)
		}
		own, _ := known.LoadOrStore(name, api.Own(name, region, accountOf(key)))
		return own.(*dynamodb.API)
	}
}

// accountOf is the account that an access key stands for; "" for most.
func accountOf(key string) string {
	if len(key) == 12 && strings.Trim(key, "0123456789") == "" {
		return key
	}
	return ""
}
