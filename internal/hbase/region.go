// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"hash/fnv"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// Location is a region: a range of row keys. Empty bounds are none.
type Location struct {
	Start, Stop []byte
	ID          int64
	Name        string
}

// Locations returns the regions of a table in the order of their keys.
func (a *API) Locations(ctx context.Context, name TableName) ([]Location, error) {
	if err := a.authorizeTable(ctx, "Locations", name); err != nil {
		return nil, err
	}
	p, _, err := a.pin(name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	regions, err := p.Regions(ctx, "")
	if err != nil {
		return nil, faultOf(err)
	}
	list := make([]Location, 0, len(regions))
	for _, r := range regions {
		hash := fnv.New64a()
		hash.Write([]byte(r.ID))
		l := Location{ID: int64(hash.Sum64() >> 1), Start: boundOf(r.Start), Stop: boundOf(r.End)}
		l.Name = name.String() + "," + string(l.Start) + "," + r.ID
		list = append(list, l)
	}
	return list, nil
}

// boundOf is the row key at which a region begins or ends.
func boundOf(parts []database.KeyValue) []byte {
	for _, part := range parts {
		if !part.Hidden && part.Value.Kind() == value.Binary {
			return bytes.Clone(part.Value.Bytes())
		}
	}
	return nil
}

// Location returns the region that a row is in, or would be.
func (a *API) Location(ctx context.Context, name TableName, row []byte) (Location, error) {
	list, err := a.Locations(ctx, name)
	if err != nil {
		return Location{}, err
	}
	for _, l := range list {
		if bytes.Compare(row, l.Start) >= 0 && (len(l.Stop) == 0 || bytes.Compare(row, l.Stop) < 0) {
			return l, nil
		}
	}
	return Location{}, failure("client.NoServerForRegionException", "no region of table %s has the row", name)
}
