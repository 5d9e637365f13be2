// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"math"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/order"
)

// regionsOf says with which regions a table or index begins whose key begins with a part; nil if its options ask for
// none. The bounds are values of that part's type. Errors: *fault.Error.
func (t *Table) regionsOf(first *schema.KeyPart, options map[string]string) (*database.RegionSpec, error) {
	start, hasStart := options[optionStartKey]
	end, hasEnd := options[optionEndKey]
	splits, hasSplits := options[optionSplitKeys]
	spec := &database.RegionSpec{}
	if n, ok := wholeOf(options[optionRegions]); ok {
		spec.Count = n
	}
	var err error
	switch {
	case !hasStart && !hasEnd && !hasSplits:
		if spec.Count == 0 {
			return nil, nil
		}
		spec.From, spec.To = t.spanOf(first)
		return spec, nil
	case first.Computed():
		name, value := optionSplitKeys, splits
		if !hasSplits {
			name, value = optionStartKey, start
		}
		return nil, badOption(name, value,
			"the key begins with "+first.Name+", whose values are spread evenly: give "+optionRegions+" alone")
	case hasSplits && (hasStart || hasEnd):
		return nil, badOption(optionSplitKeys, splits, "it excludes STARTKEY and ENDKEY")
	case hasSplits:
		points := strings.Split(splits, ",")
		if len(points) >= regionsMax {
			return nil, badOption(optionSplitKeys, splits, "these are too many regions")
		}
		spec.Keys, err = t.ascendingValues(first, optionSplitKeys, splits, points)
		return spec, err
	case hasStart != hasEnd || spec.Count == 0:
		return nil, badOption(optionRegions, options[optionRegions], "NUMREGIONS, STARTKEY and ENDKEY go together")
	}
	ends, err := t.ascendingValues(first, optionStartKey, start, []string{start, end})
	if err == nil {
		spec.From, spec.To = ends[0], ends[1]
	}
	return spec, err
}

// SplitAt reads SET 'SPLITKEYS' = .. of ALTER TABLE: where more regions of the table begin. ok is false for other
// actions. Errors: *fault.Error.
func (t *Table) SplitAt(actions []tree.AlterAction) (spec *database.RegionSpec, ok bool, err error) {
	if len(actions) != 1 {
		return nil, false, nil
	}
	set, ok := actions[0].(*tree.SetOptions)
	if !ok || !isSplit(set.Options) {
		return nil, false, nil
	}
	spec, err = t.splitAt(&t.Descriptor.Primary, set.Options[0].Value)
	return spec, true, err
}

// SplitIndexAt reads SET 'SPLITKEYS' = .. of ALTER INDEX: where more regions of the index begin. Errors: *fault.Error.
func (t *Table) SplitIndexAt(index string, options []tree.Option) (*database.RegionSpec, error) {
	if !isSplit(options) {
		return nil, refusal("ALTER INDEX .. SET takes '%s' alone: an index is dropped and made anew to change its other options", optionSplitKeys)
	}
	x, ok := t.Descriptor.Index(index)
	if !ok {
		return nil, t.UnknownIndex(fault.NoSuchIndex, index)
	}
	if x.Search {
		return nil, refusal("a search index can't be split at keys: its entries lie by words")
	}
	return t.splitAt(x, options[0].Value)
}

func isSplit(options []tree.Option) bool {
	return len(options) == 1 && strings.EqualFold(options[0].Name, optionSplitKeys)
}

func (t *Table) splitAt(x *schema.Index, keys string) (*database.RegionSpec, error) {
	return t.regionsOf(firstPart(x.Key), map[string]string{optionSplitKeys: keys})
}

func wholeOf(text string) (n int, ok bool) {
	d, ok := pointOf(text, datum.Type{Base: datum.BigInt})
	return int(d.Int()), ok && text != ""
}

// ascendingValues reads texts as values of a part's type that ascend.
func (t *Table) ascendingValues(first *schema.KeyPart, name, option string, texts []string) ([]value.Value, error) {
	typed := t.TypeOfPart(first)
	var last datum.Datum
	values := make([]value.Value, 0, len(texts))
	for i, text := range texts {
		d, ok := pointOf(text, typed)
		if !ok {
			return nil, badOption(name, option,
				"'"+text+"' is no "+TypeName(typed)+", the type of the first key column '"+first.Column()+"'")
		}
		if i > 0 && datum.Order(last, d) >= 0 {
			return nil, badOption(name, option, "the points must ascend")
		}
		stored, err := datum.AppendValue(nil, d, typed)
		if err != nil {
			return nil, badOption(name, option, err.Error())
		}
		values, last = append(values, stored), d
	}
	return values, nil
}

// hundredYears are the days from 1970 on over which dates are spread.
const hundredYears = 36_525

// spanOf are the values between which regions are spread evenly if only their number is given: from 0 to the greatest
// that the type has. Both are missing where package database knows as much.
func (t *Table) spanOf(first *schema.KeyPart) (from, to value.Value) {
	var most datum.Datum
	typed := t.TypeOfPart(first)
	if first.Computed() {
		return nil, nil
	}
	switch typed.Base {
	case datum.TinyInt:
		most = datum.Int(math.MaxInt8)
	case datum.SmallInt:
		most = datum.Int(math.MaxInt16)
	case datum.Integer:
		most = datum.Int(math.MaxInt32)
	case datum.BigIntUnsigned:
		most = datum.Uint(math.MaxUint64)
	case datum.Date:
		return intValue(0), intValue(hundredYears)
	case datum.Time:
		return intValue(0), intValue(24 * 3600 * 1_000_000 / typed.TimeUnit())
	case datum.DecimalBase:
		power, err := order.ParseDecimal([]byte("1" + strings.Repeat("0", max(1, typed.Precision-typed.Scale))))
		if err != nil || typed.Precision == 0 {
			return nil, nil
		}
		most = datum.Decimal(power)
	default:
		return nil, nil
	}
	from, err := datum.AppendValue(nil, datum.Int(0), typed)
	to, err2 := datum.AppendValue(nil, most, typed)
	if err != nil || err2 != nil {
		return nil, nil
	}
	return from, to
}

func intValue(x int64) value.Value {
	v, _ := datum.AppendValue(nil, datum.Int(x), datum.Type{Base: datum.BigInt}) // an integer is one
	return v
}

// firstPart is the first part that a key shows.
func firstPart(parts []schema.KeyPart) *schema.KeyPart {
	x := schema.Index{Key: parts}
	return &x.Visible()[0]
}
