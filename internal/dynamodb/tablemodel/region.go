// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"strconv"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Regions is the tag that says with how many regions a table and its indexes begin; put on a table that is there, it
// splits it into as many.
const Regions = "weft:regions"

// The throughput that one region is expected to bear, in units per second: that of DynamoDB's partitions.
const (
	regionReadUnits  = 3_000
	regionWriteUnits = 1_000
)

// regionsOf says how many regions tags ask for; 0 if they ask for none.
func regionsOf(tags []Tag) (count int, err error) {
	for _, tag := range tags {
		if tag.Key == nil || tag.Value == nil || *tag.Key != Regions {
			continue
		}
		count, err = strconv.Atoi(*tag.Value)
		if err != nil || count < 1 || count > database.RegionsMax {
			return 0, exception.Validationf("The tag %s has the value %s; it can be a whole number from 1 to %d",
				Regions, *tag.Value, database.RegionsMax)
		}
	}
	return count, nil
}

// warmRegions is the number of regions that bear warm throughput; 0 if none was asked for.
func warmRegions(w *Warm) int {
	if w == nil {
		return 0
	}
	count := int64(0)
	if w.ReadUnitsPerSecond != nil {
		count = max(count, (*w.ReadUnitsPerSecond+regionReadUnits-1)/regionReadUnits)
	}
	if w.WriteUnitsPerSecond != nil {
		count = max(count, (*w.WriteUnitsPerSecond+regionWriteUnits-1)/regionWriteUnits)
	}
	return int(min(count, database.RegionsMax))
}

// beginning says with which regions a table or index begins, by the tag's count if there is one and by its warm
// throughput else; nil if neither says.
func beginning(tagged int, warm *Warm) *database.RegionSpec {
	count := tagged
	if count == 0 {
		count = warmRegions(warm)
	}
	if count == 0 {
		return nil
	}
	return &database.RegionSpec{Count: count}
}

// RegionCount says into how many regions tags ask a table to be split that is there; 0 if they ask for nothing.
func RegionCount(tags []Tag) (int, error) { return regionsOf(tags) }

// Splits says into how many regions an update asks a table ("") and indexes to be split, by their names: those whose
// warm throughput it raises.
func (u *Update) Splits() map[string]int {
	splits := map[string]int{}
	if n := warmRegions(u.WarmThroughput); n > 1 {
		splits[""] = n
	}
	for i := range u.GlobalSecondaryIndexUpdates {
		one := &u.GlobalSecondaryIndexUpdates[i]
		if one.Update == nil {
			continue
		}
		if n := warmRegions(one.Update.WarmThroughput); n > 1 {
			splits[one.name()] = n
		}
	}
	return splits
}
