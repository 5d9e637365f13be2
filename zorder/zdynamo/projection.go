// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// projection is a query's projection with what the kit must see besides.
type projection struct {
	expression string
	names      map[string]string // the caller's and those of what was added
	added      []string          // attributes that were not asked for
}

// project completes the caller's projection. Paths into attributes that the kit needs whole find nothing, for keys and
// coded attributes are scalars: they are left out, since DynamoDB refuses paths that overlap.
func (x *Index) project(q *Query) (projection, error) {
	p := projection{names: maps.Clone(q.Names)}
	if p.names == nil {
		p.names = map[string]string{}
	}
	for name := range q.Names {
		if strings.HasPrefix(name, "#zd") {
			return p, fmt.Errorf("the name %s is used by the kit", name)
		}
	}
	for name := range q.Values {
		if strings.HasPrefix(name, ":zd") {
			return p, fmt.Errorf("the value %s is used by the kit", name)
		}
	}
	if q.Projection == "" {
		return p, nil
	}
	var paths, whole []string
	for path := range strings.SplitSeq(q.Projection, ",") {
		path = strings.TrimSpace(path)
		root, rest := path, ""
		if i := strings.IndexAny(path, ".["); i >= 0 {
			root, rest = path[:i], path[i:]
		}
		if name, ok := q.Names[root]; ok {
			root = name
		}
		if !slices.Contains(x.needed, root) {
			paths = append(paths, path)
		} else if rest == "" {
			whole = append(whole, root)
		}
	}
	for i, name := range x.needed {
		ours := fmt.Sprintf("#zd%d", i)
		p.names[ours] = name
		paths = append(paths, ours)
		if !slices.Contains(whole, name) {
			p.added = append(p.added, name)
		}
	}
	p.expression = strings.Join(paths, ", ")
	p.forget(q)
	return p, nil
}

var placeholder = regexp.MustCompile(`#\w+`)

// forget drops the names that only paths use that were left out: DynamoDB refuses names that nothing uses.
func (p *projection) forget(q *Query) {
	used := placeholder.FindAllString(p.expression+" "+q.Filter, -1)
	for _, name := range placeholder.FindAllString(q.Projection, -1) {
		if !slices.Contains(used, name) {
			delete(p.names, name)
		}
	}
}

// strip takes out of an item what was not asked for.
func (p *projection) strip(item Item) {
	for _, name := range p.added {
		delete(item, name)
	}
}
