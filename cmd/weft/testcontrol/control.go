// SPDX-License-Identifier: Apache-2.0

// Package testcontrol serves the tests of programs against a server with --test-controls: it marks its
// state and returns to it, and lets requests fail on purpose. It holds the pages of the admin port and the commands
// that ask for them.
//
// Knows: marks by their names, rules of faults.
// Never: how a mark works, how a request fails, how the admin port is reached.
package testcontrol

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/fault"
	"github.com/weftdb/weft/internal/server/console"
)

// baseMark is the mark that is meant where none is named. Start makes it.
const baseMark = "base"

// Server is the part of a server that the package needs.
type Server struct {
	// On says that the server is there for tests.
	On bool
	// Ready reports whether the server is ready, or answers why not.
	Ready func(w http.ResponseWriter) bool
	// DB returns the database of a server that is ready.
	DB func() *database.DB
	// DatabaseOf returns the database with the tables of an access key, in a region where that matters.
	DatabaseOf func(key, region string) (name string, err error)
	// Returned is called after each return to a mark.
	Returned func()
	// Audit records what an administrator did; err is why it failed.
	Audit func(r *http.Request, action, resource string, err error)
}

// Controls are the marks of a server, by their names, and its faults. It is safe for concurrent use.
type Controls struct {
	Server
	Faults fault.Plan
	mu     sync.Mutex // held while a mark is made or returned to
	marks  map[markID]*database.Mark
}

// markID names a mark: of one database, or of all together.
type markID struct{ database, name string }

// Start makes the mark that a reset without a name returns to. It does nothing if the server is not there for tests, or
// can't have marks.
func (c *Controls) Start(ctx context.Context, db *database.DB) error {
	if !c.On {
		return nil
	}
	if _, several := db.Gateway(); several {
		return nil
	}
	return c.mark(ctx, db, markID{"", baseMark})
}

// Begin makes the mark that a reset of one database returns to where none is named. It does nothing if the server is
// not there for tests.
func (c *Controls) Begin(ctx context.Context, db *database.DB, name string) error {
	if !c.On {
		return nil
	}
	return c.mark(ctx, db, markID{name, baseMark})
}

// mark makes a mark, in the place of one of that name.
func (c *Controls) mark(ctx context.Context, db *database.DB, id markID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	mark, err := db.Mark(ctx)
	if err != nil {
		return err
	}
	if c.marks == nil {
		c.marks = map[markID]*database.Mark{}
	}
	before := c.marks[id]
	if c.marks[id] = mark; before != nil {
		return before.Forget()
	}
	return nil
}

// reset returns to a mark: for one database to its own, or else to the one of all that has the name.
func (c *Controls) reset(ctx context.Context, id markID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	mark, ok := c.marks[id]
	if !ok {
		mark, ok = c.marks[markID{"", id.name}]
	}
	if !ok {
		return &database.Error{Kind: database.KindNotFound,
			Detail: fmt.Sprintf("there is no mark %q: make it with weft mark", id.name)}
	}
	defer c.Returned()
	if id.database != "" {
		return mark.ReturnDatabase(ctx, id.database, dynamodb.TokensOf(id.database))
	}
	return mark.Return(ctx)
}

// Pages are the pages of the admin port.
func (c *Controls) Pages() []console.Page {
	return []console.Page{
		{Pattern: "POST /mark", For: console.Administrators,
			Help:    "of a server with --test-controls: mark the state of all tables, or of those of ?access-key=KEY, as ?name=NAME",
			Handler: c.page("weft mark", c.markPage)},
		{Pattern: "POST /reset", For: console.Administrators,
			Help:    "of a server with --test-controls: return to the mark ?name=NAME, by default to the start; with ?access-key=KEY, the tables of that key alone",
			Handler: c.page("weft reset", c.resetPage)},
		{Pattern: "GET /faults", For: console.Readers,
			Help:    "of a server with --test-controls: the rules by which requests fail on purpose, as JSON",
			Handler: c.page("", c.faultsPage)},
		{Pattern: "POST /faults", For: console.Administrators,
			Help:    "of a server with --test-controls: add such rules, an array of JSON",
			Handler: c.page("weft fault", c.addFaultsPage)},
		{Pattern: "DELETE /faults", For: console.Administrators,
			Help:    "of a server with --test-controls: drop such rules",
			Handler: c.page("weft fault", c.clearFaultsPage)},
	}
}

// page lets a request through if the server is there for tests, and answers a line of text.
func (c *Controls) page(action string, handle func(*http.Request) (answer string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !c.On {
			http.Error(w, "this server is not there for tests: start it with --test-controls", http.StatusForbidden)
			return
		}
		if !c.Ready(w) {
			return
		}
		answer, err := handle(r)
		if action != "" {
			c.Audit(r, action, r.URL.Query().Get("name"), err)
		}
		if err != nil {
			http.Error(w, reasonOf(err), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
		}
		_, _ = io.WriteString(w, answer+"\n") // the client is gone; nobody to tell
	}
}

// reasonOf is the text of an error for people.
func reasonOf(err error) string {
	if e, ok := errors.AsType[*database.Error](err); ok {
		return e.Reason()
	}
	return err.Error()
}

func statusOf(err error) int {
	if database.KindOf(err) == database.KindNotFound {
		return http.StatusNotFound
	}
	return http.StatusUnprocessableEntity
}

func (c *Controls) markPage(r *http.Request) (string, error) {
	id, err := c.markAsked(r)
	if err != nil {
		return "", err
	}
	return "marked as " + id.name, c.mark(r.Context(), c.DB(), id)
}

func (c *Controls) resetPage(r *http.Request) (string, error) {
	id, err := c.markAsked(r)
	if err != nil {
		return "", err
	}
	begun := time.Now()
	err = c.reset(r.Context(), id)
	return fmt.Sprintf("returned to %s in %.1f ms", id.name, float64(time.Since(begun).Microseconds())/1000), err
}

// markAsked is the mark that a request names.
func (c *Controls) markAsked(r *http.Request) (id markID, err error) {
	query := r.URL.Query()
	id.name = cmp.Or(query.Get("name"), baseMark)
	key, region := query.Get("access-key"), query.Get("region")
	if key == "" && region != "" {
		return id, errors.New("a region has tables of its own for an access key: name that, too")
	}
	if key != "" {
		id.database, err = c.DatabaseOf(key, region)
	}
	return id, err
}

func (c *Controls) faultsPage(*http.Request) (string, error) {
	rules := c.Faults.Rules()
	if rules == nil {
		rules = []fault.Rule{}
	}
	text, err := json.MarshalIndent(rules, "", "  ")
	return string(text), err
}

func (c *Controls) addFaultsPage(r *http.Request) (string, error) {
	var rules []fault.Rule
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rules); err != nil {
		return "", fmt.Errorf("the rules can't be read, they are an array of JSON: %w", err)
	}
	for i := range rules {
		if name := rules[i].Operation; name != "" && dynamodb.FindOperation(name) == nil {
			return "", fmt.Errorf("there is no operation %q of DynamoDB's API", name)
		}
	}
	if err := c.Faults.Add(rules...); err != nil {
		return "", err
	}
	return fmt.Sprintf("added; rules now: %d", len(c.Faults.Rules())), nil
}

func (c *Controls) clearFaultsPage(*http.Request) (string, error) {
	c.Faults.Clear()
	return "there are no rules any more", nil
}

// Client is the part of the program that the commands need.
type Client struct {
	// Tell sends a request to the admin port at addr and prints the answer. request is its body as JSON; nil: none.
	Tell func(ctx context.Context, method, addr, target string, request any) error
}

// Commands are `weft mark`, `weft reset` and `weft fault`.
func (c *Client) Commands() []*cobra.Command {
	return []*cobra.Command{
		c.command("mark", "Mark the state of a test server, so that weft reset returns to it",
			`Mark the state of a running server, so that weft reset returns to it. The server must have been started with --test-controls.
Marks are kept in the server's memory, by their names; without one the mark moves that the server made when it started.`,
			"  weft mark\n  weft mark fixtures\n  weft mark --access-key suite-1"),
		c.command("reset", "Return a test server to a mark, or to its start",
			`Return a running server to a mark, in milliseconds: tables, items, indexes, streams and views are what they were; users stay.
Without a name it returns to the last weft mark without a name, or to the server's start. Later marks stand. The server must have
been started with --test-controls.`,
			"  weft reset\n  weft reset fixtures\n  weft reset --access-key suite-1"),
		c.faultCommand(),
	}
}

// faultCommand is `weft fault`.
func (c *Client) faultCommand() *cobra.Command {
	var admin string
	var clear bool
	var rule fault.Rule
	command := &cobra.Command{
		Use: "fault", Short: "Let DynamoDB requests to a test server fail or wait on purpose",
		Long: `Let requests of DynamoDB's API to a running server fail or wait on purpose, to see what a program does then. Each call adds a
rule; without --error, --latency and --lag the command lists the rules, with how often each was met. The server must have been started
with --test-controls.`,
		Example: "  weft fault --error ProvisionedThroughputExceeded --table orders --times 3\n" +
			"  weft fault --error InternalServerError --operation PutItem --share 0.1 --done\n" +
			"  weft fault --latency 200ms\n  weft fault --lag 2s --table orders\n  weft fault --clear",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			ctx := command.Context()
			switch {
			case clear:
				return c.Tell(ctx, http.MethodDelete, admin, "/faults", nil)
			case rule.Error == "" && rule.Latency == 0 && rule.Lag == 0:
				return c.Tell(ctx, http.MethodGet, admin, "/faults", nil)
			}
			return c.Tell(ctx, http.MethodPost, admin, "/faults", []fault.Rule{rule})
		},
	}
	flags := command.Flags()
	flags.StringVar(&rule.Error, "error", "", "how requests fail: the `NAME` of an error that docs/testing.md lists")
	flags.DurationVar((*time.Duration)(&rule.Latency), "latency", 0, "how long requests wait before that")
	flags.DurationVar((*time.Duration)(&rule.Lag), "lag", 0, "how far eventually consistent reads are behind")
	flags.StringVar(&rule.Table, "table", "", "only requests that name the table `NAME`")
	flags.StringVar(&rule.Operation, "operation", "", "only requests of the operation `NAME`, such as PutItem")
	flags.Float64Var(&rule.Share, "share", 0, "only this `SHARE` of them, from 0 to 1; 0 is all")
	flags.IntVar(&rule.Times, "times", 0, "only the next so many of them; 0 is all")
	flags.BoolVar(&rule.Done, "done", false, "carry requests out before they fail, as if the answer were lost")
	flags.BoolVar(&clear, "clear", false, "drop all rules")
	flags.StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	return command
}

func (c *Client) command(name, short, long, example string) *cobra.Command {
	var admin, key, region string
	command := &cobra.Command{
		Use: name + " [NAME]", Short: short, Long: long, Example: example,
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			query := url.Values{}
			for name, value := range map[string]string{"name": strings.Join(args, ""), "access-key": key,
				"region": region} {
				if value != "" {
					query.Set(name, value)
				}
			}
			return c.Tell(command.Context(), http.MethodPost, admin, "/"+name+"?"+query.Encode(), struct{}{})
		},
	}
	flags := command.Flags()
	flags.StringVar(&key, "access-key", "", "only the tables of the access key `KEY`, of a server with --own-tables")
	flags.StringVar(&region, "region", "", "of these, only those in `REGION`, with --own-tables key-region")
	flags.StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	return command
}
