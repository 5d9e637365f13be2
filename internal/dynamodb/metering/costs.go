// SPDX-License-Identifier: Apache-2.0

package metering

import "github.com/weftdb/weft/internal/dynamodb/attributejson"

// Costs are what a transaction cost on its tables, in the order in which it names them. The zero value is nothing.
type Costs []tableCost

type tableCost struct {
	table string
	Capacity
}

// Of returns the cost of a table, to be added to. sort names its units: see Capacity.Sort.
func (c *Costs) Of(table, sort string) *Capacity {
	for i := range *c {
		if (*c)[i].table == table {
			return &(*c)[i].Capacity
		}
	}
	*c = append(*c, tableCost{table, Capacity{Sort: sort}})
	return &(*c)[len(*c)-1].Capacity
}

// Append appends ConsumedCapacity, if the mode asks for it.
func (c Costs) Append(dst []byte, mode string) []byte {
	if !IsWanted(mode) {
		return dst
	}
	dst = append(attributejson.AppendMember(dst, "ConsumedCapacity"), '[')
	for i := range c {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c[i].Capacity.Append(dst, mode, c[i].table)
	}
	return append(dst, ']')
}
