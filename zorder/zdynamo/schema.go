// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// Errors of this package; what is returned wraps one of them, or comes from the SDK, and says more.
var (
	// ErrSchema says that a Schema is incomplete or contradicts itself.
	ErrSchema = errors.New("zdynamo: not a schema")
	// ErrItem says that an item cannot be given an address: a key attribute or a coded attribute is missing, or has a
	// wrong type.
	ErrItem = errors.New("zdynamo: the item does not fit the schema")
	// ErrQuery says that a query contradicts the schema or itself.
	ErrQuery = errors.New("zdynamo: not a query of this schema")
	// ErrToken says that a token is damaged, or belongs to another query or another schema.
	ErrToken = errors.New("zdynamo: the token does not belong to this query")
	// ErrContended says that an item was changed by others whenever Update tried.
	ErrContended = errors.New("zdynamo: the item keeps changing; try again later")
)

// Item is an item as the SDK has it.
type Item = map[string]types.AttributeValue

// Attribute is one dimension of the index. Values of other types than the codec's are errors when an item is stamped.
// An item without the attribute is not in the index, unless the codec was made with nulls=first.
type Attribute struct {
	Name  string
	Codec *codec.Codec
}

// Schema says where addresses are and what they are made of. It must stay the same as long as there are items: other
// codecs or another plan are another index, under another address attribute.
type Schema struct {
	Table string
	// Index names the secondary index whose sort key is Address. "" is the table itself.
	Index string
	// Partition names the partition key attribute of Index, or of the table.
	Partition string
	// Address names the sort key attribute, of type B.
	Address string
	// TableKey names the table's one or two key attributes. It may be nil if Index is "".
	TableKey []string
	// Attributes are the dimensions. With the default Plan the first owns the first bit.
	Attributes []Attribute
	// Plan interleaves the codes; its widths are the codecs' bits. Default: round robin.
	Plan *zorder.Plan
	// Tail names attributes whose values follow the Z-address in Address, so that items with equal codes are different
	// items where Address is the key of the table. Each must be a string, number or binary that every item has.
	Tail []string
}

// Index reads and writes through a Schema. It does not change and is safe for concurrent use.
type Index struct {
	schema      Schema
	plan        *zorder.Plan
	print       [sha256.Size]byte // of all that positions and codes depend on
	needed      []string          // attributes that a page must bring
	attributeOf map[string]int
}

// New checks a schema and makes its Index. The schema's slices are copied.
func New(schema Schema) (*Index, error) {
	schema.Attributes, schema.Tail, schema.TableKey = slices.Clone(schema.Attributes), slices.Clone(schema.Tail),
		slices.Clone(schema.TableKey)
	if schema.Index == "" && schema.TableKey == nil {
		schema.TableKey = []string{schema.Partition, schema.Address}
	}
	x := &Index{schema: schema, plan: schema.Plan, attributeOf: map[string]int{}}
	if err := x.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if err := x.fingerprint(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	for _, name := range slices.Concat([]string{schema.Partition, schema.Address}, schema.TableKey, x.names()) {
		if !slices.Contains(x.needed, name) {
			x.needed = append(x.needed, name)
		}
	}
	return x, nil
}

func (x *Index) names() []string {
	names := make([]string, len(x.schema.Attributes))
	for i, a := range x.schema.Attributes {
		names[i] = a.Name
	}
	return names
}

func (x *Index) check() error {
	s := &x.schema
	if s.Table == "" || s.Partition == "" || s.Address == "" || s.Partition == s.Address {
		return errors.New("name the table, the partition key and, apart from it, the attribute of the address")
	}
	if len(s.TableKey) < 1 || len(s.TableKey) > 2 {
		return errors.New("TableKey must name the one or two key attributes of the table, which every index holds")
	}
	widths := make([]int, len(s.Attributes))
	for i, a := range s.Attributes {
		if _, twice := x.attributeOf[a.Name]; twice || a.Name == "" || a.Name == s.Address {
			return fmt.Errorf("attribute %q must have a name of its own", a.Name)
		}
		if a.Codec == nil {
			return fmt.Errorf("attribute %q has no codec", a.Name)
		}
		x.attributeOf[a.Name], widths[i] = i, a.Codec.Bits()
	}
	if x.plan == nil {
		plan, err := zorder.RoundRobin(widths...)
		if err != nil {
			return err
		}
		x.plan = plan
	}
	if !slices.Equal(x.plan.Widths(), widths) {
		return fmt.Errorf("the plan is of %v bits, the codecs of %v", x.plan.Widths(), widths)
	}
	return nil
}

// fingerprint takes in everything that decides where an item lies.
func (x *Index) fingerprint() error {
	text := fmt.Appendf(nil, "%q %q %q %q %q %q %q", x.schema.Table, x.schema.Index, x.schema.Partition,
		x.schema.Address, x.schema.TableKey, x.schema.Tail, x.plan.Text())
	for _, a := range x.schema.Attributes {
		stored, err := a.Codec.MarshalText()
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, " %q %s", a.Name, stored)
	}
	x.print = sha256.Sum256(text)
	return nil
}

// Plan is the plan of the addresses.
func (x *Index) Plan() *zorder.Plan { return x.plan }

// Schema is the schema, with its defaults filled in. The caller must not change its slices.
func (x *Index) Schema() Schema {
	s := x.schema
	s.Plan = x.plan
	return s
}

// Address returns the address to store with an item: the interleaved codes, then the tail. If a coded attribute is
// missing whose codec knows no nulls, ok is false: the item has no place in the index. The error wraps ErrItem.
func (x *Index) Address(item Item) (address []byte, ok bool, err error) {
	codes := make([][]byte, len(x.schema.Attributes))
	for i, a := range x.schema.Attributes {
		v, err := codecValue(item[a.Name])
		if err == nil {
			codes[i], err = a.Codec.AppendCode(nil, v)
		}
		if errors.Is(err, codec.ErrNull) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("%w: attribute %q: %w", ErrItem, a.Name, err)
		}
	}
	if address, err = x.plan.AppendKeyBytes(nil, codes...); err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrItem, err)
	}
	for _, name := range x.schema.Tail {
		if address, err = appendTail(address, item[name]); err != nil {
			return nil, false, fmt.Errorf("%w: attribute %q of the address's tail: %w", ErrItem, name, err)
		}
	}
	if len(address) > zorder.BytesMax {
		return nil, false, fmt.Errorf("%w: its address has %d bytes, and a sort key at most %d", ErrItem, len(address),
			zorder.BytesMax)
	}
	return address, true, nil
}

// appendTail appends a value so that different values, and rows of them, have different bytes. It is at least one byte.
func appendTail(dst []byte, v types.AttributeValue) ([]byte, error) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return order.AppendBytes(dst, []byte(v.Value)), nil
	case *types.AttributeValueMemberB:
		return order.AppendBytes(dst, v.Value), nil
	case *types.AttributeValueMemberN:
		number, err := order.ParseDecimal([]byte(v.Value))
		return order.AppendDecimal(dst, number), err
	}
	return dst, errors.New("it must be a string, number or binary")
}

// Stamp puts the address into an item, or takes a stale one out if the item has no place in the index. Where the
// address is the key of the table, an item without a place is an error.
func (x *Index) Stamp(item Item) error {
	address, ok, err := x.Address(item)
	if err != nil {
		return err
	}
	if ok {
		item[x.schema.Address] = &types.AttributeValueMemberB{Value: address}
		return nil
	}
	if slices.Contains(x.schema.TableKey, x.schema.Address) {
		return fmt.Errorf("%w: a coded attribute is missing, and the address is the item's key; declare the attribute with nulls=first", ErrItem)
	}
	delete(item, x.schema.Address)
	return nil
}
