// SPDX-License-Identifier: Apache-2.0

package variable

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// ServerVersion is the version that the server reports. Clients choose their features by the number in front.
const ServerVersion = "8.0.36-weft"

// Catalog is the table of variables and their global values. It is safe for concurrent use.
type Catalog struct {
	all    []definition // by name
	change sync.Mutex
	global atomic.Pointer[Values]
	zones  sync.Map // *Zone by its exact name
}

// Values are the values of all variables, for the server or for a session. They are not changed: a change makes other
// Values.
type Values struct {
	Settings
	texts []string // as SHOW VARIABLES shows them, in the catalog's order
}

// NewCatalog makes the table with its defaults.
func NewCatalog() *Catalog {
	c := &Catalog{all: slices.Concat(own(), session(), inert(), server())}
	slices.SortFunc(c.all, func(a, b definition) int { return strings.Compare(a.name, b.name) })
	v := &Values{texts: make([]string, len(c.all))}
	for i := range c.all {
		v.texts[i] = c.all[i].preset
	}
	v.Settings = c.settings(v)
	c.global.Store(v)
	return c
}

// Preset sets what a server knows when it starts, whoever may change the variable later. Errors: fault.UnknownVariable.
func (c *Catalog) Preset(name, shown string) error {
	at, ok := c.find(name)
	if !ok {
		return c.unknown(name)
	}
	c.change.Lock()
	defer c.change.Unlock()
	v := &Values{texts: slices.Clone(c.global.Load().texts)}
	v.texts[at] = shown
	v.Settings = c.settings(v)
	c.global.Store(v)
	return nil
}

// Global returns the values with which sessions begin.
func (c *Catalog) Global() *Values { return c.global.Load() }

// find returns the position of a variable.
func (c *Catalog) find(name string) (int, bool) {
	at, ok := slices.BinarySearchFunc(c.all, name,
		func(d definition, name string) int { return strings.Compare(d.name, name) })
	if !ok && strings.ToLower(name) != name {
		return c.find(strings.ToLower(name))
	}
	return at, ok
}

// unknown is the error for a variable that there is not.
func (c *Catalog) unknown(name string) error {
	return fault.New(fault.UnknownVariable, name).Meant(strings.ToLower(name), func(yield func(string) bool) {
		for i := range c.all {
			if !yield(c.all[i].name) {
				return
			}
		}
	})
}

// Get returns a variable's value as an expression has it. Errors: fault.UnknownVariable.
func (c *Catalog) Get(v *Values, name string) (datum.Datum, error) {
	at, ok := c.find(name)
	if !ok {
		return datum.Null, c.unknown(name)
	}
	shown := v.texts[at]
	switch c.all[at].kind {
	case toggle:
		return datum.Int(bit(shown == "ON")), nil
	case integer:
		n, err := strconv.ParseUint(shown, 10, 64)
		if err != nil {
			return datum.Null, nil
		}
		return datum.Uint(n), nil
	case decimal:
		n, _ := strconv.ParseFloat(shown, 64) // it was judged when it was set
		return datum.Float64(n), nil
	}
	if shown == "NULL" {
		return datum.Null, nil
	}
	return datum.Text([]byte(shown)), nil
}

func bit(x bool) int64 {
	if x {
		return 1
	}
	return 0
}

// Each calls visit for each variable in the order of names, with its value as SHOW VARIABLES shows it, until it returns
// an error.
func (c *Catalog) Each(v *Values, visit func(name, shown string) error) error {
	for i := range c.all {
		if err := visit(c.all[i].name, v.texts[i]); err != nil {
			return err
		}
	}
	return nil
}

// Set returns Values with one variable changed, for a session. A nil value is its default. Errors:
// fault.UnknownVariable, GlobalVariable, ReadOnlyVariable, WrongVariableValue, WrongVariableType.
func (c *Catalog) Set(v *Values, name string, value *datum.Datum) (*Values, error) {
	at, ok := c.find(name)
	switch {
	case !ok:
		return nil, c.unknown(name)
	case c.all[at].access == readOnly:
		return nil, fault.New(fault.ReadOnlyVariable, c.all[at].name)
	case c.all[at].access == globalOnly:
		return nil, fault.New(fault.GlobalVariable, c.all[at].name)
	}
	return c.with(v, at, value)
}

// SetGlobal changes a variable for sessions that begin later. Errors: those of Set.
func (c *Catalog) SetGlobal(name string, value *datum.Datum) error {
	at, ok := c.find(name)
	switch {
	case !ok:
		return c.unknown(name)
	case c.all[at].access == readOnly || c.all[at].access == sessionOnly:
		return fault.New(fault.ReadOnlyVariable, c.all[at].name)
	}
	c.change.Lock()
	defer c.change.Unlock()
	changed, err := c.with(c.global.Load(), at, value)
	if err == nil {
		c.global.Store(changed)
	}
	return err
}

// twins are names of one variable: immutable.
var twins = map[string]string{
	"tx_isolation": "transaction_isolation", "transaction_isolation": "tx_isolation",
	"tx_read_only": "transaction_read_only", "transaction_read_only": "tx_read_only",
	"last_insert_id": "identity", "identity": "last_insert_id",
}

func (c *Catalog) with(v *Values, at int, value *datum.Datum) (*Values, error) {
	d := &c.all[at]
	shown := d.preset
	if value != nil {
		var err error
		if shown, err = c.judge(d, *value); err != nil {
			return nil, err
		}
	}
	if d.access == ignored || v.texts[at] == shown {
		return v, nil
	}
	changed := &Values{texts: slices.Clone(v.texts)}
	changed.texts[at] = shown
	if twin, ok := twins[d.name]; ok {
		other, _ := c.find(twin)
		changed.texts[other] = shown
	}
	changed.Settings = c.settings(changed)
	return changed, nil
}

// judge returns how a value is shown, if it may be the variable's.
func (c *Catalog) judge(d *definition, value datum.Datum) (string, error) {
	given := valueText(value)
	switch d.kind {
	case toggle:
		return d.judgeToggle(given)
	case integer:
		return d.judgeInteger(value, given)
	case decimal:
		if _, err := strconv.ParseFloat(given, 64); err != nil {
			return "", fault.New(fault.WrongVariableType, d.name)
		}
		return given, nil
	case words:
		for i, word := range d.words {
			if strings.EqualFold(word, given) || given == strconv.Itoa(i) {
				return word, nil
			}
		}
		return "", fault.New(fault.WrongVariableValue, d.name, given)
	}
	if d.kind == modes {
		return judgeModes(value, given)
	}
	if d.name == "time_zone" {
		if _, ok := c.ZoneNamed(given); !ok {
			return "", fault.New(fault.UnknownZone, given)
		}
		return given, nil
	}
	return given, nil
}

func (d *definition) judgeToggle(given string) (string, error) {
	switch strings.ToUpper(given) {
	case "ON", "1", "TRUE":
		return "ON", nil
	case "OFF", "0", "FALSE":
		return "OFF", nil
	}
	return "", fault.New(fault.WrongVariableValue, d.name, given)
}

// judgeInteger takes a number beyond the bounds as the bound, as MySQL does.
func (d *definition) judgeInteger(value datum.Datum, given string) (string, error) {
	n, err := strconv.ParseInt(given, 10, 64)
	switch {
	case value.Kind() == datum.KindUint:
		return strconv.FormatUint(value.Uint(), 10), nil
	case err != nil:
		return "", fault.New(fault.WrongVariableType, d.name)
	case n < d.min:
		n = d.min
	case d.max > 0 && n > d.max:
		n = d.max
	}
	return strconv.FormatInt(n, 10), nil
}

// valueText is a value as a person writes it.
func valueText(value datum.Datum) string {
	switch value.Kind() {
	case datum.KindNull:
		return "NULL"
	case datum.KindInt, datum.KindBool:
		return strconv.FormatInt(value.Int(), 10)
	case datum.KindUint:
		return strconv.FormatUint(value.Uint(), 10)
	case datum.KindFloat:
		return strconv.FormatFloat(value.Float(), 'g', -1, 64)
	case datum.KindDecimal:
		return value.Decimal().String()
	}
	return string(value.Bytes())
}
