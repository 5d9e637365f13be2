// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/cmd/weft/storecommand"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/storage"
)

// backupRequest is one call of `weft backup`, as the admin port takes it.
type backupRequest struct {
	To         string   `json:"to"`
	Keep       int      `json:"keep,omitempty"`
	Recipients []string `json:"recipients,omitempty"` // who can decrypt it; none: it is not encrypted
}

// backupCommand is `weft backup`.
func (p *program) backupCommand() *cobra.Command {
	var request backupRequest
	var admin, data string
	var asJSON bool
	command := &cobra.Command{
		Use:   "backup PLACE",
		Short: "Back up a whole database while it is used, and only what is new since the last time",
		Long: `Copy the whole database of a running server to a place: all tables, indexes, users and unfinished jobs, as they are at one moment. The server
writes the files itself, so a folder is one of its machine, and credentials are those of its environment. --data backs up a folder that no
server has open instead. A backup to a place that has backups writes only files that are not there yet.

` + storageHelp + `

--recipient encrypts what leaves the machine for the owner of a key of age (age1..), which weft backup key makes. The server needs no secret for
that. See docs/backup.md, and weft restore.`,
		Example: `  weft backup /mnt/backups --keep 30
  weft backup 's3://backups/weft?endpoint=https://minio.example:9000' --recipient age1qy..`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			request.To = args[0]
			if data == "" {
				return p.askBackup(c.Context(), admin, request, asJSON)
			}
			return p.withConfiguredFolder(c.Context(), data, func(_ *config, db *database.DB) error {
				line := storecommand.NewStatusLine(p.stderr)
				result, err := makeBackup(c.Context(), db, request, p.environ, showCopied(line, "backup"))
				line.Clear()
				if err == nil {
					err = describeBackup(p.stdout, &result, asJSON)
				}
				return err
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	flags.StringVar(&data, "data", "", "a data `FOLDER` that no server has open")
	flags.IntVar(&request.Keep, "keep", 0, "remove all but the newest `N` backups afterwards; 0 keeps all")
	flags.StringArrayVar(&request.Recipients, "recipient", nil,
		"encrypt for the owner of this `KEY` of age; may be repeated")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(p.backupListCommand(), p.backupKeyCommand())
	return command
}

// backupListCommand is `weft backup list`.
func (p *program) backupListCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "list PLACE", Short: "List the backups of a place, oldest first", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := p.backupsOf(c.Context(), args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return output.WriteJSON(p.stdout, list)
			case len(list) == 0:
				_, err = fmt.Fprintf(p.stdout, "there are no backups in %s\n", args[0])
				return err
			}
			table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "backup\tmade\tkind\tfiles\tbytes\tencrypted")
			for _, b := range list {
				fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%t\n", b.ID, b.Made, b.Kind, b.Files, b.Bytes, b.Encrypted)
			}
			return table.Flush()
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// shownBackup is a backup as weft backup list shows it.
type shownBackup struct {
	ID        string `json:"backup"`
	Made      string `json:"made"` // RFC 3339
	Kind      string `json:"kind"`
	Files     int    `json:"files"`
	Bytes     int64  `json:"bytes"`
	Encrypted bool   `json:"encrypted"`
}

// backupsOf reads the descriptions of all backups of a place. A folder must be there: a place that was mistyped must
// not look like one without backups.
func (p *program) backupsOf(ctx context.Context, place string) ([]shownBackup, error) {
	from, err := openStorage(place, p.environ)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	if dir, ok := folderOf(place); ok {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
	}
	ids, err := backup.IDs(ctx, from)
	list := make([]shownBackup, len(ids))
	for i := range ids {
		b, err := backup.Read(ctx, from, ids[i])
		if err != nil {
			return nil, err
		}
		list[i] = shownBackup{b.ID, b.Made.Format(time.RFC3339), b.Kind, len(b.Files), b.Bytes(), b.Sealed}
	}
	return list, err
}

// backupKeyCommand is `weft backup key`.
func (p *program) backupKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "key FILE", Short: "Make a key to encrypt backups: the secret part goes to a new file, the other is printed", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			identity, err := age.GenerateX25519Identity()
			if err != nil {
				return err
			}
			file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(file, "# public key: %s\n%s\n", identity.Recipient(), identity)
			if err = errors.Join(err, file.Sync(), file.Close(), storage.SyncDir(filepath.Dir(args[0]))); err == nil {
				_, err = fmt.Fprintln(p.stdout, identity.Recipient())
			}
			return err
		},
	}
}

// makeBackup does one backup of an open database.
func makeBackup(ctx context.Context, db *database.DB, request backupRequest, environ []string,
	tell func(backup.Progress)) (r backup.Result, err error) {
	to, err := openStorage(request.To, environ)
	if err != nil {
		return r, commandline.Usage(err)
	}
	o := backup.Options{Keep: request.Keep, Program: "weft " + version, Progress: tell}
	if o.Seal, err = sealFor(request.Recipients); err != nil {
		return r, commandline.Usage(fmt.Errorf("--recipient: %w", err))
	}
	return db.Recovery().BackupStore(ctx, to, o)
}

// showCopied draws how far a backup or a restore is.
func showCopied(line *storecommand.StatusLine, what string) func(backup.Progress) {
	return func(now backup.Progress) {
		line.Show(func() string {
			text := fmt.Sprintf("%s: %d files with %d MiB done, %d MiB of them new", what, now.Files, now.Bytes>>20,
				now.Moved>>20)
			if now.FilesAll > 0 {
				text += fmt.Sprintf(", of %d files", now.FilesAll)
			}
			return text
		})
	}
}

// sealFor encrypts for the owners of public keys; nil for none.
func sealFor(keys []string) (func(io.Writer) (io.WriteCloser, error), error) {
	if len(keys) == 0 {
		return nil, nil
	}
	recipients, err := age.ParseRecipients(strings.NewReader(strings.Join(keys, "\n")))
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) (io.WriteCloser, error) { return age.Encrypt(w, recipients...) }, nil
}

// madeBackup is a backup as weft backup --json tells it.
type madeBackup struct {
	ID       string `json:"backup"`
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
	NewFiles int    `json:"newFiles"`
	NewBytes int64  `json:"newBytes"`
	Removed  int    `json:"removed"` // old backups
}

// describeBackup writes what a backup has done.
func describeBackup(w io.Writer, r *backup.Result, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(w, madeBackup{r.ID, len(r.Files), r.Bytes(), r.Written, r.WrittenBytes, r.Removed})
	}
	text := fmt.Sprintf("backup %s: %d files with %d bytes, of which %d files with %d bytes were new", r.ID,
		len(r.Files), r.Bytes(), r.Written, r.WrittenBytes)
	if r.Removed > 0 {
		text += fmt.Sprintf("; %d old backups removed", r.Removed)
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

// askBackup asks a server that runs.
func (p *program) askBackup(ctx context.Context, admin string, request backupRequest, asJSON bool) error {
	if _, err := openStorage(request.To, p.environ); err != nil {
		return commandline.Usage(err)
	}
	if !strings.Contains(request.To, "://") { // relative to where this command runs, not the server
		dir, err := filepath.Abs(request.To)
		if err != nil {
			return err
		}
		request.To = dir
	}
	target := "/backup"
	if asJSON {
		target += "?format=json"
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	stop := p.followBackup(ctx, admin)
	answer, err := p.askAdmin(ctx, http.MethodPost, admin, target, body)
	stop()
	if err != nil {
		return err
	}
	defer answer.Close()
	_, err = io.Copy(p.stdout, io.LimitReader(answer, adminBytesMax))
	return err
}

// followEvery is the time between two questions to a server about the progress of a backup.
const followEvery = time.Second

// followBackup shows how far the backup of a server is, until stop is called.
func (p *program) followBackup(ctx context.Context, admin string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	line, ended := storecommand.NewStatusLine(p.stderr), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(followEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if done, ok := p.backedUp(ctx, admin); ok {
				line.Show(func() string { return fmt.Sprintf("backup: %d MiB done", done>>20) })
			}
		}
	}()
	return func() {
		cancel()
		<-ended
		line.Clear()
	}
}

// backedUp asks a server how many bytes of a backup are done; ok is false if it does not tell.
func (p *program) backedUp(ctx context.Context, admin string) (bytes int64, ok bool) {
	answer, err := p.askAdmin(ctx, http.MethodGet, admin, "/api/work", nil)
	if err != nil {
		return 0, false
	}
	defer answer.Close()
	var list []shownWork
	if json.NewDecoder(io.LimitReader(answer, adminBytesMax)).Decode(&list) != nil {
		return 0, false
	}
	for i := range list {
		if list[i].Kind == wholeBackup {
			return list[i].Bytes, true
		}
	}
	return 0, false
}

// backupHandler answers POST /backup of the admin port, when the backup is made.
func (s *server) backupHandler(w http.ResponseWriter, r *http.Request) {
	var request backupRequest
	if !decodeRequest(w, r, &request) {
		return
	}
	if !s.checkReady(w) {
		return
	}
	if !s.backingUp.TryLock() {
		http.Error(w, "a backup is being made: wait for its end", http.StatusConflict)
		return
	}
	defer s.backingUp.Unlock()
	begun := time.Now()
	tell := func(now backup.Progress) { s.backup.Store(&runningBackup{begun, now}) }
	defer s.backup.Store(nil)
	result, err := makeBackup(r.Context(), s.database.(*openedDatabase).db, request, os.Environ(), tell)
	s.auditAdmin(r, "weft backup", request.To, err)
	if err != nil {
		s.log.Error("backup failed", "error", err)
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	s.log.Info("backup made", "id", result.ID, "files", len(result.Files), "bytes", result.Bytes(), "new_bytes",
		result.WrittenBytes, "seconds", time.Since(begun).Seconds())
	_ = describeBackup(w, &result, setContentType(w, r)) // the client is gone; nobody to tell
}
