// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// expirySpecification is the member TimeToLiveSpecification of a request and its answer.
type expirySpecification struct {
	AttributeName *string
	Enabled       *bool
}

// expiryRequest is the body of UpdateTimeToLive.
type expiryRequest struct {
	tableRequest
	TimeToLiveSpecification *expirySpecification
}

func (s *expirySpecification) check() error {
	const member = "timeToLiveSpecification"
	var faults exception.Constraints
	if s == nil {
		faults.Null(member)
		return faults.Err()
	}
	if s.Enabled == nil {
		faults.Null(member + ".enabled")
	}
	if s.AttributeName == nil {
		faults.Null(member + ".attributeName")
	} else {
		faults.Length(true, *s.AttributeName, member+".attributeName", 255)
	}
	return faults.Err()
}

// updateTimeToLive switches the expiry of a table's items on or off. Amazon lets an hour pass between two changes; here
// the next may follow as soon as one is done.
func (a *API) updateTimeToLive(ctx context.Context, in *expiryRequest) (any, error) {
	wanted := in.TimeToLiveSpecification
	if err := wanted.check(); err != nil {
		return nil, err
	}
	if err := a.setExpiry(ctx, *in.TableName, *wanted.AttributeName, *wanted.Enabled); err != nil {
		return nil, tableError(*in.TableName, err)
	}
	return struct{ TimeToLiveSpecification *expirySpecification }{wanted}, nil
}

func (a *API) setExpiry(ctx context.Context, name, attribute string, enabled bool) error {
	err := a.look(name, func(table *schema.Table) error {
		return checkExpiry(database.ExpiryOf(table), attribute,
			enabled)
	})
	if err != nil {
		return err
	}
	table, err := a.Open(name)
	if err != nil {
		return err
	}
	if !enabled {
		attribute = ""
	}
	err = table.SetExpiry(ctx, attribute)
	if err != nil && database.KindOf(err) == database.KindBusy { // another request came in between
		return tablemodel.InUse(name)
	}
	return err
}

// checkExpiry refuses a request that changes nothing. The last text is from memory.
func checkExpiry(now database.Expiry, attribute string, enabled bool) error {
	isOn := now.State == database.ExpiryBuilding || now.State == database.ExpiryActive
	switch {
	case isOn && now.Attribute != attribute:
		return exception.Validation("TimeToLive is active on a different AttributeName: current AttributeName is " +
			now.Attribute)
	case isOn && enabled:
		return exception.Validation("TimeToLive is already enabled")
	case !isOn && !enabled:
		return exception.Validation("TimeToLive is already disabled")
	case now.State == database.ExpiryRemoving:
		return exception.Validation("Time to live has been modified multiple times within a fixed interval")
	}
	return nil
}

// describeTimeToLive shows how far expiry is switched on or off.
func (a *API) describeTimeToLive(_ context.Context, in *tableRequest) (any, error) {
	var now database.Expiry
	err := a.look(*in.TableName, func(table *schema.Table) error {
		now = database.ExpiryOf(table)
		return nil
	})
	if err != nil {
		return nil, tableError(*in.TableName, err)
	}
	type description struct {
		TimeToLiveStatus string
		AttributeName    string `json:",omitempty"`
	}
	return struct{ TimeToLiveDescription description }{description{expiryStatus(now.State), now.Attribute}}, nil
}

func expiryStatus(state database.ExpiryState) string {
	switch state {
	case database.ExpiryBuilding:
		return "ENABLING"
	case database.ExpiryActive:
		return "ENABLED"
	case database.ExpiryRemoving:
		return "DISABLING"
	}
	return "DISABLED"
}
