// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/files/cities"
)

// printDemo says where the demo is served, what can be tried, and where to read on: one screen.
func (p *program) printDemo(s *server) {
	at, text := s.endpoints(), &strings.Builder{}
	fmt.Fprintf(text, "\nWeft serves %s cities (GeoNames, CC-BY 4.0) until Ctrl-C.\n\n", output.Thousands(cities.Count))
	for _, one := range []struct{ title, name string }{{"web console", "console"}, {"DynamoDB", "dynamodb"},
		{"MySQL", "mysql"}, {"HBase Thrift2", "hbase"}, {"HBase Thrift1", "hbase-thrift1"}} {
		if address := at[one.name]; address != "" {
			fmt.Fprintf(text, "  %-13s %s\n", one.title, address)
		}
	}
	text.WriteString("\nTry in another terminal:\n")
	p.tryDynamoDB(text, at["dynamodb"])
	p.trySQL(text, at["mysql"])
	p.tryTools(text, at["admin"])
	text.WriteString("\nMore to try: docs/demo.md. Read on: docs/dynamodb.md, docs/sql.md, docs/hbase.md, docs/zorder.md\n")
	_, _ = fmt.Fprint(p.stdout, text.String()) // the demo serves, whether anyone reads this or not
}

// weft is how a shell calls this program.
func (p *program) weft() string { return cmp.Or(p.self, "weft") }

// flagFor is a flag with an address, "" where that is the preset of the command.
func flagFor(flag, address, preset string) string {
	if address == preset {
		return ""
	}
	return " --" + flag + " " + address
}

// tryDynamoDB shows a query by an index.
func (p *program) tryDynamoDB(text *strings.Builder, endpoint string) {
	if endpoint == "" {
		return
	}
	fmt.Fprintf(text, `# The ten largest cities of India, by an ordered index
  %s ddb query cities '{"country": "IN"}' --index by-population --reverse --limit 10 \
    --attributes city,population%s
`, p.weft(), flagFor("endpoint", endpoint, "http://"+preset("dynamodb-addr")))
}

// trySQL shows a box of three ranges, and a query that is refused, on the same table.
func (p *program) trySQL(text *strings.Builder, at string) {
	if at == "" {
		return
	}
	sql := p.weft() + " sql" + flagFor("server", at, preset("mysql-addr"))
	fmt.Fprintf(text, `# The large cities around the Alps: a box of three ranges, by the Z-order index
  %[1]s -e "SELECT country, city, population FROM cities \
    WHERE lat BETWEEN 43.5 AND 48.5 AND lon BETWEEN 5 AND 16.5 AND population > 500000"
# Refused, because it would read every city; the error says what helps
  %[1]s -e "SELECT * FROM cities WHERE name = 'Valencia'"
`, sql)
}

// tryTools shows how to look into the server.
func (p *program) tryTools(text *strings.Builder, admin string) {
	if admin == "" {
		return
	}
	flag := flagFor("admin-addr", strings.TrimPrefix(admin, "http://"), preset("admin-addr"))
	fmt.Fprintf(text, "# How the server does, and better keys and indexes for the queries so far\n"+
		"  %[1]s status%[2]s\n  %[1]s advise%[2]s cities\n", p.weft(), flag)
}
