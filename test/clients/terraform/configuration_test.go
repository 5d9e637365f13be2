// SPDX-License-Identifier: Apache-2.0

package terraform

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// configuration is a table as a file of Terraform describes it. Two of them are equal if their texts are.
type configuration struct {
	name       string
	hash, rnge string
	attributes map[string]string // name to type
	billing    string
	read       int64
	write      int64
	global     map[string]index
	local      map[string]index
	expiry     string // attribute, or ""
	recovery   bool   // point in time
	protected  bool
	encrypted  bool
	stream     string // view type, or ""
	class      string
	tags       map[string]string
}

// index is a global or a local index. A local one has no capacity, and its hash key is the table's.
type index struct {
	hash, rnge  string
	projection  string
	others      []string // of projection INCLUDE
	read, write int64
}

// parse reads lines such as `hash_key = customer`. Without a line a setting has the provider's default.
func parse(text string) (configuration, error) {
	c := configuration{billing: "PROVISIONED", class: "STANDARD", attributes: map[string]string{},
		global: map[string]index{}, local: map[string]index{}, tags: map[string]string{}}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return c, fmt.Errorf("want: name = value, not %q", line)
		}
		if err := c.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return c, fmt.Errorf("%s: %w", line, err)
		}
	}
	return c, nil
}

func (c *configuration) set(key, value string) (err error) {
	first, rest, _ := strings.Cut(value, " ")
	switch key {
	case "name":
		c.name = value
	case "hash_key":
		c.hash = value
	case "range_key":
		c.rnge = value
	case "attribute":
		c.attributes[first] = rest
	case "billing_mode":
		c.billing = value
	case "read_capacity":
		c.read, err = strconv.ParseInt(value, 10, 64)
	case "write_capacity":
		c.write, err = strconv.ParseInt(value, 10, 64)
	case "global_secondary_index":
		c.global[first], err = parseIndex(rest)
	case "local_secondary_index":
		c.local[first], err = parseIndex(rest)
	case "ttl":
		c.expiry = value
	case "stream_view_type":
		c.stream = value
	case "table_class":
		c.class = value
	case "tag":
		c.tags[first] = rest
	case "point_in_time_recovery":
		c.recovery, err = strconv.ParseBool(value)
	case "deletion_protection_enabled":
		c.protected, err = strconv.ParseBool(value)
	case "server_side_encryption":
		c.encrypted, err = strconv.ParseBool(value)
	default:
		err = fmt.Errorf("there is no setting %s", key)
	}
	return err
}

// parseIndex reads words such as `hash=stage range=placed projection=INCLUDE others=a,b read=1 write=2`.
func parseIndex(text string) (i index, err error) {
	i.projection = "ALL"
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "hash":
			i.hash = value
		case "range":
			i.rnge = value
		case "projection":
			i.projection = value
		case "others":
			i.others = strings.Split(value, ",")
		case "read":
			i.read, err = strconv.ParseInt(value, 10, 64)
		case "write":
			i.write, err = strconv.ParseInt(value, 10, 64)
		default:
			err = fmt.Errorf("an index has no %s", key)
		}
		if err != nil {
			return i, err
		}
	}
	slices.Sort(i.others)
	return i, nil
}

// text is the configuration, one setting a line, in one order.
func (c configuration) text() []string {
	lines := []string{
		"name = " + c.name, "hash_key = " + c.hash, "range_key = " + c.rnge, "billing_mode = " + c.billing,
		fmt.Sprint("read_capacity = ", c.read), fmt.Sprint("write_capacity = ", c.write),
		"ttl = " + c.expiry, fmt.Sprint("point_in_time_recovery = ", c.recovery),
		fmt.Sprint("deletion_protection_enabled = ", c.protected), fmt.Sprint("server_side_encryption = ", c.encrypted),
		"stream_view_type = " + c.stream, "table_class = " + c.class,
	}
	for _, name := range slices.Sorted(maps.Keys(c.attributes)) {
		lines = append(lines, "attribute = "+name+" "+c.attributes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.global)) {
		lines = append(lines, "global_secondary_index = "+name+" "+c.global[name].text())
	}
	for _, name := range slices.Sorted(maps.Keys(c.local)) {
		lines = append(lines, "local_secondary_index = "+name+" "+c.local[name].text())
	}
	for _, key := range slices.Sorted(maps.Keys(c.tags)) {
		lines = append(lines, "tag = "+key+" "+c.tags[key])
	}
	return lines
}

func (i index) text() string {
	return fmt.Sprintf("hash=%s range=%s projection=%s others=%s read=%d write=%d", i.hash, i.rnge, i.projection,
		strings.Join(i.others, ","), i.read, i.write)
}

// difference is what a plan prints.
func difference(found, wanted configuration) string {
	before, after := found.text(), wanted.text()
	var lines []string
	for _, line := range before {
		if !slices.Contains(after, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			lines = append(lines, "+ "+line)
		}
	}
	if len(lines) == 0 {
		return "no difference"
	}
	return "\n" + strings.Join(lines, "\n")
}
