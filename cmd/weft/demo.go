// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/cities"
)

// demoTable is the name of the demo's table.
const demoTable = "cities"

// demoBatch is the number of cities one commit of the load holds.
const demoBatch = 500

// demoCommand is `weft demo`.
func (p *program) demoCommand() *cobra.Command {
	var load string
	var tell bool
	command := &cobra.Command{
		Use:   "demo",
		Short: "Serve a temporary database of 135,233 cities",
		Long: `Serve a temporary database of 135,233 cities with five indexes, and print commands to try. The data come from GeoNames
(CC-BY 4.0). A light load of requests keeps the web console's pages busy. Ctrl-C ends the demo and removes its folder.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if load != "light" && load != off {
				return usageError{fmt.Errorf("--load is %q: it must be light or off", load)}
			}
			given := givenFlags(c.Flags())
			delete(given, "load")
			if given["log-level"] == "" {
				given["log-level"] = "warn"
			}
			conf, all, err := resolve(inputs{given, p.environ, p.readFile})
			if err != nil {
				return err
			}
			openHBase(conf, all)
			o := demoOptions{temporary: given["data"] == "", load: load != off, tell: tell}
			return p.demo(c.Context(), conf, o)
		},
	}
	command.Flags().StringVar(&load, "load", "light", "requests that the demo sends to itself: light, or off")
	command.Flags().BoolVar(&tell, "ready-json", false, readyHelp)
	addSettingFlags(command, "data", "engine", "dynamodb-addr", "mysql-addr", "hbase-addr", "hbase-thrift1-addr",
		"admin-addr", "log-level")
	return command
}

// openHBase serves HBase's APIs in the demo if no setting says where.
func openHBase(conf *config, all []resolvedSetting) {
	for _, r := range all {
		switch {
		case r.source != "default":
		case r.name == "hbase-addr":
			conf.HBaseAddr = "127.0.0.1:9190"
		case r.name == "hbase-thrift1-addr":
			conf.HBaseThrift1Addr = "127.0.0.1:9191"
		}
	}
}

// demoOptions are what weft demo is asked for besides settings.
type demoOptions struct {
	temporary bool // the folder is the demo's own, to be removed
	load      bool // it sends requests to itself
	tell      bool // it prints the line of --ready-json instead of its text
}

// demo serves until a signal comes.
func (p *program) demo(ctx context.Context, conf *config, o demoOptions) (err error) {
	if o.temporary {
		if conf.Data, err = os.MkdirTemp("", "weft-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(conf.Data)) }()
	}
	return p.withServer(ctx, conf, func(ctx context.Context, s *server) error { return p.runDemo(ctx, s, o) })
}

// runDemo loads the cities and serves them. The load needs no credentials, so there is none with access control.
func (p *program) runDemo(ctx context.Context, s *server, o demoOptions) error {
	if err := p.loadCities(ctx, s.database.(*openedDatabase).db); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	if o.load && s.config.Auth != "required" {
		stop, err := startDemoLoad(ctx, s)
		if err != nil {
			return err
		}
		defer stop()
	}
	if o.tell {
		if err := s.tellReady(p.stdout); err != nil {
			return err
		}
	} else {
		p.printDemo(s)
	}
	return s.Run(ctx)
}

// demoSpec is the table: cities by country and name, and three indexes that show what indexes can be.
func demoSpec() (database.TableSpec, error) {
	kind, err := database.Part("concat(country,'#',feature_code)", schema.String)
	if err != nil {
		return database.TableSpec{}, err
	}
	largest, err := database.Part("desc(population)", schema.Number)
	if err != nil {
		return database.TableSpec{}, err
	}
	return database.TableSpec{
		Name: demoTable, Key: database.Columns("country", schema.String, "city", schema.String),
		Indexes: []database.IndexSpec{
			{Name: "by-population", Key: database.Columns("country", schema.String, "population", schema.Number)},
			{Name: "capitals", Key: database.Columns("capital", schema.String, "country", schema.String)},
			{Name: "by-kind", Key: []schema.KeyPart{kind, largest}},
		},
	}, nil
}

// loadCities makes the table and fills it, many cities a commit. This is not counted as requests: it would be called
// out as what it is, writes in the order of the key.
func (p *program) loadCities(ctx context.Context, db *database.DB) error {
	ctx = heat.OwnWork(ctx)
	spec, err := demoSpec()
	if err != nil {
		return err
	}
	table, err := db.CreateTable(ctx, spec)
	if database.KindOf(err) == database.KindExists {
		fmt.Fprintf(p.stderr, "The table %s already exists; nothing was loaded.\n", demoTable)
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.fill(ctx, db, table); err != nil {
		return err
	}
	return indexLoaded(ctx, db, table)
}

// fill writes all cities.
func (p *program) fill(ctx context.Context, db *database.DB, table *database.Table) error {
	pin, err := table.Pin()
	if err != nil {
		return err
	}
	defer pin.Release()
	l := loader{db: db, pin: pin, bar: newProgress(p.stderr, "cities", cities.Count), seen: map[string]int{}}
	err = cities.Each(func(c cities.City) error { return l.add(ctx, c) })
	return errors.Join(err, l.flush(ctx), l.bar.finish())
}

// placeKey is the key of the index by-place: boxes of latitudes, longitudes and populations are near each other in its
// order.
const placeKey = "zorder(lat f64, lon f64, population u64)"

// indexLoaded adds the Z-order index, which learns on the loaded table how the cities are spread, and the search index
// of their names.
func indexLoaded(ctx context.Context, db *database.DB, table *database.Table) error {
	place, err := database.Part(placeKey, schema.Binary)
	if err != nil {
		return err
	}
	names, err := database.Words("standard", "name")
	if err != nil {
		return err
	}
	for _, index := range []database.IndexSpec{{Name: "by-place", Key: []schema.KeyPart{place}},
		{Name: "by-name", Search: true, Key: []schema.KeyPart{names}}} {
		if err := table.AddIndex(ctx, index); err != nil {
			return err
		}
	}
	return db.WaitJobs(ctx)
}

// loader collects cities into commits.
type loader struct {
	db    *database.DB
	pin   database.Pinned
	bar   *progress
	seen  map[string]int // how often a country and name came
	batch []database.TableWrite
}

func (l *loader) add(ctx context.Context, c cities.City) error {
	row, err := l.document(c).AppendRow(nil, l.pin.Names())
	if err != nil {
		return err
	}
	l.batch = append(l.batch, database.TableWrite{Table: l.pin, Write: database.Write{Op: database.OpPut, Row: row}})
	if len(l.batch) < demoBatch {
		return nil
	}
	return l.flush(ctx)
}

func (l *loader) flush(ctx context.Context) error {
	if len(l.batch) == 0 {
		return nil
	}
	_, err := l.db.WriteAll(ctx, l.batch)
	l.bar.add(len(l.batch))
	l.batch = l.batch[:0]
	return err
}

// document is the item of a city. Only capitals have the attribute capital, so the index on it is sparse; cities of one
// name in one country are distinguished by a number.
func (l *loader) document(c cities.City) database.Document {
	key := c.Name
	if l.seen[c.Country+c.Name]++; l.seen[c.Country+c.Name] > 1 {
		key = fmt.Sprintf("%s#%d", c.Name, l.seen[c.Country+c.Name])
	}
	d := database.Document{
		"country": c.Country, "city": key, "name": c.Name, "population": c.Population, "feature_code": c.FeatureCode,
		"lat": json.Number(c.Lat), "lon": json.Number(c.Lon),
	}
	if c.Elevation != "" {
		d["elevation"] = json.Number(c.Elevation)
	}
	if c.FeatureCode == "PPLC" {
		d["capital"] = "yes"
	}
	return d
}

// printDemo says what can be tried.
func (p *program) printDemo(s *server) {
	aws := "aws dynamodb"
	var api net.Addr
	for _, d := range s.protocols {
		if d.Name() == "dynamodb" {
			api = d.Addr()
			aws += " --endpoint-url http://" + d.Addr().String() + " --region " + s.config.Region
		}
	}
	out := func(format string, args ...any) { fmt.Fprintf(p.stdout, format+"\n", args...) }
	for _, d := range s.protocols {
		if d.Name() == "admin" {
			out("\nThe web console: %s://%s/console/", map[bool]string{true: "https", false: "http"}[s.tls != nil],
				d.Addr())
		}
	}
	out("\nWeft is serving %d cities (GeoNames, CC-BY 4.0). Any credentials work:\n", cities.Count)
	out("  export AWS_ACCESS_KEY_ID=demo AWS_SECRET_ACCESS_KEY=demo\n")
	out("# One city\n  %s get-item --table-name cities --key '{\"country\":{\"S\":\"JP\"},\"city\":{\"S\":\"Kyoto\"}}'\n", aws)
	out("# Names that begin with San, in Spain\n  %s query --table-name cities --key-condition-expression 'country = :c AND begins_with(city, :p)' "+
		"--expression-attribute-values '{\":c\":{\"S\":\"ES\"},\":p\":{\"S\":\"San\"}}'\n", aws)
	out("# The ten largest cities of India, by an ordered index\n  %s query --table-name cities --index-name by-population --no-scan-index-forward --limit 10 "+
		"--key-condition-expression 'country = :c' --expression-attribute-values '{\":c\":{\"S\":\"IN\"}}'\n", aws)
	out("# All capitals, by a sparse index\n  %s query --table-name cities --index-name capitals --key-condition-expression 'capital = :y' "+
		"--expression-attribute-values '{\":y\":{\"S\":\"yes\"}}' --projection-expression 'country, city, population'\n", aws)
	out("# Regional capitals of Brazil, largest first, by an index on a computed key that no item stores\n  %s query --table-name cities "+
		"--index-name by-kind --limit 5 --key-condition-expression '#kind = :k' --expression-attribute-names '{\"#kind\":\"concat(country,'\"'\"'#'\"'\"',feature_code)\"}' "+
		"--expression-attribute-values '{\":k\":{\"S\":\"BR#PPLA\"}}'\n", aws)
	out("# Count the cities of more than 100,000 people around the Alps, by a Z-order index: it finds 49 and examines about 400 of %d entries (ScannedCount)\n"+
		"  %s scan --table-name cities --index-name by-place --select COUNT --filter-expression 'lat BETWEEN :s AND :n AND lon BETWEEN :w AND :e AND population > :p' "+
		"--expression-attribute-values '{\":s\":{\"N\":\"43.5\"},\":n\":{\"N\":\"48.5\"},\":w\":{\"N\":\"5\"},\":e\":{\"N\":\"16.5\"},\":p\":{\"N\":\"100000\"}}'\n", cities.Count, aws)
	for _, d := range s.protocols {
		if d.Name() == "mysql" {
			printDemoSQL(out, d.Addr())
		}
	}
	for _, d := range s.protocols {
		if d.Name() == "hbase-thrift1" {
			printDemoHBase(out, d.Addr())
		}
	}
	for _, d := range s.protocols {
		if d.Name() == "admin" {
			printDemoTools(out, api, d.Addr())
		}
	}
	out("Ctrl-C ends the demo.")
}

// printDemoHBase says what can be tried over HBase's Thrift1 API, and how SQL sees it.
func printDemoHBase(out func(format string, args ...any), at net.Addr) {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return
	}
	out("HBase's APIs, with happybase (pip install happybase); Thrift2 is on port 9190 unless --hbase-addr says otherwise:\n")
	out("# A table, a row with a counter, and a scan; SQL reads it as SELECT * FROM visits\n  python3 -c \"import happybase; c = happybase.Connection('%s', %s); "+
		"c.create_table('visits', {'f': dict(max_versions=3)}); t = c.table('visits'); t.put(b'ann', {b'f:name': b'Ann'}); t.counter_inc(b'ann', b'f:n'); print(list(t.scan()))\"\n", host, port)
}

// printDemoTools says how to look into the server: how queries are answered, how its indexes lie, what it is asked, and
// what could be better.
func printDemoTools(out func(format string, args ...any), api, admin net.Addr) {
	out("Weft's own reports:")
	if api != nil {
		endpoint := ""
		if api.String() != preset("dynamodb-addr") {
			endpoint = " --endpoint http://" + api.String()
		}
		out("# How a query runs, and what it costs\n  weft explain%s --table cities --index by-place --filter 'lat BETWEEN :s AND :n AND lon BETWEEN :w AND :e AND population > :p' "+
			"--values '{\":s\":{\"N\":\"43.5\"},\":n\":{\"N\":\"48.5\"},\":w\":{\"N\":\"5\"},\":e\":{\"N\":\"16.5\"},\":p\":{\"N\":\"100000\"}}' --analyze", endpoint)
	}
	at := ""
	if admin.String() != preset("admin-addr") {
		at = " --admin-addr " + admin.String()
	}
	out("# The indexes, with their keys and sizes\n  weft indexes%s cities", at)
	out("# The load of the last minutes, by key\n  weft hot%s", at)
	out("# Better keys and indexes for the queries so far\n  weft advise%s cities", at)
	out("# All pages of the admin port, including /metrics\n  http://%s/\n", admin)
}

// preset is the default of a setting.
func preset(name string) string {
	for _, s := range settings(new(config)) {
		if s.name == name {
			return s.preset
		}
	}
	return ""
}

// printDemoSQL says what can be tried over the MySQL protocol, on the same table.
func printDemoSQL(out func(format string, args ...any), at net.Addr) {
	mysql := "mysql"
	if host, port, err := net.SplitHostPort(at.String()); err == nil {
		mysql = fmt.Sprintf("mysql -h %s -P %s -u root default", host, port)
	}
	const box = "SELECT country, city, population FROM cities WHERE lat BETWEEN 43.5 AND 48.5 AND lon BETWEEN 5 AND 16.5 AND population > 500000"
	const refused = "SELECT country, city, population FROM cities WHERE name = 'Valencia'"
	out("\nThe same table over the MySQL protocol, for any client of MySQL or MariaDB:\n")
	out("# The large cities around the Alps: a box of three ranges, by the Z-order index\n  %s -te \"%s\"", mysql, box)
	out("# Its plan\n  %s -te \"EXPLAIN %s\"", mysql, box)
	out("# Refused, because it would read every city; the error says what helps\n  %s -te \"%s\"", mysql, refused)
	out("# Names in any spelling, by the search index: São Paulo comes first\n  %s -te \"SELECT country, city, population FROM cities "+
		"WHERE MATCH(name) AGAINST ('sao paolo') ORDER BY population DESC LIMIT 5\"", mysql)
	out("# One of the remedies\n  %s -te \"ALTER TABLE cities ADD COLUMN name VARCHAR; CREATE INDEX idx_cities_name ON cities(name); %s\"\n", mysql, refused)
}
