// SPDX-License-Identifier: Apache-2.0

// Program tenants serves notes of many tenants over HTTP from one table. Each request is done in the name of its
// tenant, whose policy allows the items whose key begins with the tenant's name and nothing else: a request for another
// tenant's notes is refused by the database, whatever the program forgets to check.
//
//	tenants &
//	curl -u ann:secret -d '{"text": "buy pens"}' http://127.0.0.1:8090/notes/ann
//	curl -u ann:secret http://127.0.0.1:8090/notes/ann
//	curl -u ann:secret http://127.0.0.1:8090/notes/bob    # 403
package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/sortkey"
)

// Note is an item: the notes of a tenant stand together, in the order of their making.
type Note struct {
	Tenant string    `weft:"tenant,key" json:"tenant"`
	ID     string    `weft:"id,key" json:"id"`
	At     time.Time `weft:"at" json:"at"`
	Text   string    `weft:"text" json:"text"`
}

// ownRows allows a user the items whose partition key is the user's name.
const ownRows = `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Resource": "*",
	"Action": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:Query"],
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}]}`

// Service serves notes.
type Service struct {
	db     *weft.DB
	notes  weft.Typed[Note]
	hashes map[string][32]byte // of the tenants' passwords
}

// OpenService opens the notes in a folder, for tenants with these passwords.
func OpenService(ctx context.Context, dir string, passwords map[string]string) (*Service, error) {
	db, err := weft.Open(ctx, dir, weft.Options{})
	if err != nil {
		return nil, err
	}
	s := &Service{db: db, hashes: map[string][32]byte{}}
	s.notes, err = weft.EnsureTableOf[Note](ctx, db, weft.TableSpec{Name: "notes"})
	if err == nil {
		err = s.addUser(ctx, "owner", "the first user of a database may do everything")
	}
	for tenant, password := range passwords {
		if err == nil {
			err = s.addTenant(ctx, tenant, password)
		}
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Close closes the notes.
func (s *Service) Close() error { return s.db.Close() }

// addUser adds a user, unless an earlier run has.
func (s *Service) addUser(ctx context.Context, name, password string) error {
	err := s.db.AddUser(ctx, name, password)
	if weft.KindOf(err) == weft.KindExists {
		return nil
	}
	return err
}

func (s *Service) addTenant(ctx context.Context, name, password string) error {
	s.hashes[name] = sha256.Sum256([]byte(password))
	if err := s.addUser(ctx, name, password); err != nil {
		return err
	}
	return s.db.PutPolicy(ctx, name, "own-rows", ownRows)
}

// Handler answers the requests.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /notes/{tenant}", s.list)
	mux.HandleFunc("POST /notes/{tenant}", s.add)
	mux.HandleFunc("DELETE /notes/{tenant}/{id}", s.remove)
	return s.signedIn(mux)
}

// signedIn lets requests of tenants pass, each in the tenant's name.
func (s *Service) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		is, want := sha256.Sum256([]byte(password)), s.hashes[name]
		if subtle.ConstantTimeCompare(is[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="notes"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(s.db.As(r.Context(), weft.Principal{User: name, Agent: r.UserAgent()})))
	})
}

func (s *Service) list(w http.ResponseWriter, r *http.Request) {
	notes := []Note{}
	where := weft.Attribute("tenant").Equal(r.PathValue("tenant"))
	for note, err := range s.notes.Query(r.Context(), weft.Query{Where: where, Limit: 100}) {
		if err != nil {
			fail(w, err)
			return
		}
		notes = append(notes, note)
	}
	answer(w, notes)
}

func (s *Service) add(w http.ResponseWriter, r *http.Request) {
	var note Note
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&note); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	note.Tenant, note.At = r.PathValue("tenant"), time.Now().UTC().Truncate(time.Millisecond)
	id, err := sortkey.NewUUID(note.At)
	if err == nil {
		note.ID = id.String()
		err = s.notes.Put(r.Context(), note)
	}
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, note)
}

func (s *Service) remove(w http.ResponseWriter, r *http.Request) {
	key := Note{Tenant: r.PathValue("tenant"), ID: r.PathValue("id")}
	if err := s.notes.Delete(r.Context(), key); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func answer(w http.ResponseWriter, x any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(x) // the client is gone
}

// fail answers with an error by its kind.
func fail(w http.ResponseWriter, err error) {
	switch weft.KindOf(err) {
	case weft.KindDenied:
		http.Error(w, "these notes are not yours", http.StatusForbidden)
	case weft.KindInvalid, weft.KindTooLarge:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case weft.KindBusy, weft.KindConflict, weft.KindReadOnly, weft.KindUnavailable:
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	default:
		log.Print(err)
		http.Error(w, "an error, which was logged", http.StatusInternalServerError)
	}
}

func main() {
	passwords := map[string]string{"ann": "secret", "bob": "another secret"}
	s, err := OpenService(context.Background(), "notes.weft", passwords)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("notes are served on http://127.0.0.1:8090")
	err = http.ListenAndServe("127.0.0.1:8090", s.Handler())
	log.Fatal(errors.Join(err, s.Close()))
}
