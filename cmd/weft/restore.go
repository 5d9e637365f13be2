// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/storecommand"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// restoreFlags are the flags of `weft restore` besides settings.
type restoreFlags struct {
	id, keyFile, at string
	table           tableRestore
	inPlace, yes    bool
}

// tableRestore is one call of `weft restore --table`, as the admin port takes it.
type tableRestore struct {
	Database string `json:"database,omitempty"`
	Table    string `json:"table"`
	At       string `json:"at"`
	As       string `json:"as,omitempty"` // the name of the table to make; "": the table itself is changed
}

// restoreCommand is `weft restore`.
func (p *program) restoreCommand() *cobra.Command {
	var f restoreFlags
	command := &cobra.Command{
		Use:   "restore [PLACE]",
		Short: "Restore a whole database from a place, or one table of a running server as it was",
		Long: `Restore a whole database: a backup that weft backup made, the newest one unless --backup names another, to the folder of --data, which must be
empty or not there, or to another engine that holds nothing. --at restores what weft serve --ship shipped, as it was at a time; "latest" is the
newest that was shipped. Every byte is checked by its digest, and nothing opens what is there before all of it is.
A folder is then opened, and every entry in it is read: if that fails, nothing is left of the restore, and the exit
code is 1. Start a server on it afterwards.

` + storageHelp + `

Or restore one table of a running server as it was at a time, with --table: as another table with --as, or in place. The table must have
point-in-time recovery (UpdateContinuousBackups). In place means that changes since then are taken back one after the other while the table is used: the command asks
first, or wants --yes.

A time is written as 2026-11-24T14:02:00Z, with another offset than Z, as seconds since 1970, or as 15m for a quarter of an hour ago.`,
		Example: `  weft restore /mnt/backups --data /var/lib/weft-restored
  weft restore s3://backups/weft --backup 20261124T021005Z-.. --key-file weft.key --data ./restored
  weft restore s3://backups/shipped --at 2026-11-24T14:01:59Z --data /var/lib/weft-restored
  weft restore --table orders --at 2026-11-24T14:01:59Z --as orders-before
  weft restore --table orders --at 15m --in-place`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.table.Table != "" {
				if len(args) > 0 {
					return commandline.Usage(errors.New("--table restores from the server's own journal: leave the place out"))
				}
				return p.restoreTable(c, &f)
			}
			if len(args) == 0 {
				return commandline.Usage(errors.New("name the place of the backups, or a table with --table"))
			}
			return p.restore(c, args[0], &f)
		},
	}
	addStoreFlags(command)
	flags := command.Flags()
	flags.StringVar(&f.id, "backup", "", "`ID` of the backup, as weft backup list prints it (default: the newest)")
	flags.StringVar(&f.keyFile, "key-file", "", "`FILE` with the secret key that decrypts the backup")
	flags.StringVar(&f.at, "at", "", "`TIME` to restore, or latest")
	flags.StringVar(&f.table.Table, "table", "", "restore this `TABLE` of the server at --admin-addr")
	flags.StringVar(&f.table.Database, "database", "", "`DATABASE` of the table (default: that of DynamoDB's tables)")
	flags.StringVar(&f.table.As, "as", "", "`NAME` of a new table to restore to, next to the present one")
	flags.BoolVar(&f.inPlace, "in-place", false, "change the table itself")
	flags.BoolVar(&f.yes, "yes", false, "do not ask before the table itself is changed")
	return command
}

// parseMoment reads a time as users write it.
func parseMoment(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d", &seconds); err == nil && fmt.Sprint(seconds) == text {
		return time.Unix(seconds, 0), nil
	}
	return time.Time{}, commandline.Usage(fmt.Errorf(
		"--at %q is no time: write it as %s, or as 15m for a quarter of an hour ago", text,
		now.UTC().Truncate(time.Second).Format(time.RFC3339)))
}

// restoreTable asks a running server to restore a table.
func (p *program) restoreTable(c *cobra.Command, f *restoreFlags) error {
	switch {
	case f.at == "" || f.at == "latest":
		return commandline.Usage(errors.New("say with --at as of when the table is restored"))
	case f.inPlace == (f.table.As != ""):
		return commandline.Usage(errors.New("say where to: --as NAME makes another table, --in-place changes the table itself"))
	}
	conf, _, err := resolve(inputs{givenFlags(c.Flags()), p.environ, p.readFile})
	if err != nil {
		return err
	}
	at, err := parseMoment(f.at, time.Now())
	if err != nil {
		return err
	}
	f.table.At = at.UTC().Format(time.RFC3339Nano)
	if f.inPlace && !f.yes {
		if err := p.confirm(c.InOrStdin(),
			fmt.Sprintf("All changes of table %s after %s will be taken back, in the table itself. Type its name to go on: ", f.table.Table, f.table.At), f.table.Table); err != nil {
			return err
		}
	}
	return p.sendAdmin(c.Context(), http.MethodPost, conf.AdminAddr, "/restore", &f.table)
}

// confirm wants a person to type a word.
func (p *program) confirm(in io.Reader, question, word string) error {
	if file, ok := in.(*os.File); ok && !term.IsTerminal(int(file.Fd())) {
		return commandline.Usage(errors.New("nobody can be asked here: add --yes to change the table itself"))
	}
	fmt.Fprint(p.stderr, question)
	line, err := bufio.NewReader(in).ReadString('\n')
	if strings.TrimSpace(line) != word {
		return errors.Join(errors.New("not confirmed: nothing was changed"), err)
	}
	return nil
}

// restoreHandler answers POST /restore of the admin port, when the table is restored.
func (s *server) restoreHandler(w http.ResponseWriter, r *http.Request) {
	var request tableRestore
	if !decodeRequest(w, r, &request) {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, request.At)
	if err != nil {
		http.Error(w, "the time can't be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	if !s.checkReady(w) {
		return
	}
	begun := time.Now()
	answer, err := restoreTable(r.Context(), s.database.(*openedDatabase).db, &request, at)
	s.auditAdmin(r, "weft restore --table", strings.TrimSpace(request.Table+" "+request.As), err)
	if err != nil {
		s.log.Error("restoring a table failed", "table", request.Table, "as", request.As, "at", request.At, "error",
			err)
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	s.log.Info("table restored", "table", request.Table, "as", request.As, "at", request.At, "seconds",
		time.Since(begun).Seconds())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, answer) // the client is gone; nobody to tell
}

// restoreTable restores a table and waits until it is there.
func restoreTable(ctx context.Context, db *database.DB, request *tableRestore, at time.Time) (string, error) {
	if request.As != "" {
		arrival, err := db.Recovery().RestoreAt(ctx, request.Database, request.Table, at, request.As,
			func(*schema.Table) error { return nil })
		if err == nil {
			err = db.Recovery().WaitArrival(ctx, arrival.ID)
		}
		return fmt.Sprintf("table %s is as %s was at %s\n", request.As, request.Table, request.At), err
	}
	changes, err := db.Recovery().Rewind(ctx, request.Database, request.Table, at)
	if err != nil && changes > 0 {
		err = fmt.Errorf("%d changes were taken back before this; ask again to go on: %w", changes, err)
	}
	return fmt.Sprintf("table %s is as it was at %s: %d changes were taken back\n", request.Table, request.At, changes),
		err
}

// restore restores a whole database.
func (p *program) restore(c *cobra.Command, place string, f *restoreFlags) error {
	conf, err := p.resolveQuiet(givenFlags(c.Flags()))
	if err != nil {
		return err
	}
	from, err := openStorage(place, p.environ)
	if err != nil {
		return commandline.Usage(err)
	}
	o := backup.RestoreOptions{ID: f.id,
		Store: func(ctx context.Context) (kv.Store, kv.Admin, error) { return p.emptyStore(ctx, conf) }}
	if conf.Engine == "pebble" {
		o.Dir, o.Check = conf.Data, p.checkRestored
	}
	if o.Open, err = p.opener(f.keyFile); err != nil {
		return err
	}
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	ctx, stop := p.stopOnSignal(c.Context(), s)
	defer stop()
	begun, line := time.Now(), storecommand.NewStatusLine(p.stderr)
	o.Progress = showCopied(line, "restore")
	if f.at != "" {
		return p.restoreShipped(ctx, f, from, conf, o, line)
	}
	b, err := backup.Restore(ctx, from, o)
	line.Clear()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "restored %s of %s: %d files with %d bytes in %.1f s\n", b.ID,
		b.Made.Format(time.RFC3339), len(b.Files), b.Bytes(), time.Since(begun).Seconds())
	return err
}

// checkRestored opens the database in a folder and reads every entry, with the checksum of each block.
func (p *program) checkRestored(ctx context.Context, dir string) error {
	return p.openFolder(ctx, dir, func(c *config) { c.readOnly = true },
		func(s *server) error { return kv.ReadAll(ctx, s.database.(*openedDatabase).engine.store) })
}

// restoreShipped restores what was shipped.
func (p *program) restoreShipped(ctx context.Context, f *restoreFlags, from storage.Storage, conf *config,
	o backup.RestoreOptions, line *storecommand.StatusLine) (err error) {
	if f.id != "" {
		return commandline.Usage(errors.New("--at chooses the backup: leave --backup out"))
	}
	if conf.Engine != "pebble" {
		return commandline.Usage(errors.New("what was shipped is restored to a folder: use engine pebble, and weft copy to go on to another one"))
	}
	var at time.Time
	if f.at != "latest" {
		if at, err = parseMoment(f.at, time.Now()); err != nil {
			return err
		}
	}
	o.Reopen = func(ctx context.Context, dir string) (kv.Store, error) {
		inside := *conf
		inside.Data = dir
		store, _, err := p.emptyStore(ctx, &inside)
		return store, err
	}
	begun := time.Now()
	b, reached, err := backup.RestoreAt(ctx, from, at, o)
	line.Clear()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "restored as of %s, from backup %s and what was shipped after it, in %.1f s\n",
		reached.UTC().Format("2006-01-02T15:04:05.000Z"), b.ID, time.Since(begun).Seconds())
	if err == nil && reached.UnixMilli() < at.UnixMilli() {
		_, err = fmt.Fprintf(p.stdout, "nothing later than that was shipped\n")
	}
	return err
}

// emptyStore opens the engine of the configuration for a restore.
func (p *program) emptyStore(ctx context.Context, conf *config) (kv.Store, kv.Admin, error) {
	if conf.Engine == "mem" {
		return nil, nil, commandline.Usage(errors.New("engine mem is lost at exit: restore to a folder or a cluster"))
	}
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit, metrics: metric.New(build())}
	e, err := openEngine(ctx, s)
	return e.store, e.admin, err
}

// opener decrypts with the keys of a file; nil without one.
func (p *program) opener(keyFile string) (func(io.Reader) (io.Reader, error), error) {
	if keyFile == "" {
		return nil, nil
	}
	text, err := p.readFile(keyFile)
	if err != nil {
		return nil, err
	}
	identities, err := age.ParseIdentities(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyFile, err)
	}
	return func(r io.Reader) (io.Reader, error) { return age.Decrypt(r, identities...) }, nil
}
