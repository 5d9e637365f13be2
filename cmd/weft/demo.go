// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/cmd/weft/storecommand"
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
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if load != "light" && load != off {
				return commandline.Usage(fmt.Errorf("--load is %q: it must be light or off", load))
			}
			given := givenFlags(c.Flags())
			delete(given, "load")
			given["log-level"] = cmp.Or(given["log-level"], "warn")
			conf, all, err := resolve(inputs{given, p.environ, p.readFile})
			if err != nil {
				return err
			}
			openHBase(conf, all)
			conf.serves = true
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

// demoOptions are the flags of weft demo besides settings.
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
	row, err := database.AppendRow(nil, l.pin.Names(), l.item(c))
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

// item is the item of a city. Only capitals have the attribute capital, so the index on it is sparse; cities of one
// name in one country are distinguished by a number.
func (l *loader) item(c cities.City) map[string]any {
	key := c.Name
	if l.seen[c.Country+c.Name]++; l.seen[c.Country+c.Name] > 1 {
		key = fmt.Sprintf("%s#%d", c.Name, l.seen[c.Country+c.Name])
	}
	d := map[string]any{
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

// preset is the default of a setting.
func preset(name string) string {
	for _, s := range settings(new(config)) {
		if s.name == name {
			return s.preset
		}
	}
	return ""
}

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

// progressEvery is the least time between two drawings of the bar.
const progressEvery = 100 * time.Millisecond

// progress is a bar on a terminal; elsewhere only its last line is written.
type progress struct {
	out      io.Writer
	what     string
	total    int
	done     int
	begun    time.Time
	drawn    time.Time
	terminal bool
}

func newProgress(out io.Writer, what string, total int) *progress {
	return &progress{out: out, what: what, total: total, begun: time.Now(), terminal: storecommand.IsTerminal(out)}
}

// add counts n more.
func (p *progress) add(n int) {
	p.done += n
	if now := time.Now(); p.terminal && now.Sub(p.drawn) >= progressEvery {
		p.drawn = now
		p.draw("\r")
	}
}

// finish draws the end and begins a new line.
func (p *progress) finish() error {
	begin := ""
	if p.terminal {
		begin = "\r"
	}
	p.draw(begin)
	_, err := fmt.Fprintln(p.out)
	return err
}

func (p *progress) draw(begin string) {
	const width = 30
	seconds := max(time.Since(p.begun).Seconds(), 0.001)
	rate := float64(p.done) / seconds
	filled := min(width*p.done/max(p.total, 1), width)
	left := ""
	if p.done < p.total && rate > 0 {
		left = fmt.Sprintf(", %.0f s left", float64(p.total-p.done)/rate)
	}
	fmt.Fprintf(p.out, "%s%s [%s%s] %d of %d, %.0f/s, %.1f s%s  ", begin, p.what, strings.Repeat("=", filled),
		strings.Repeat(" ", width-filled),
		p.done, p.total, rate, seconds, left)
}
