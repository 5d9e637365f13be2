// SPDX-License-Identifier: Apache-2.0

package console

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// Limits of sessions.
const (
	sessionsMax = 1000
	sessionLife = 12 * time.Hour
	sessionIdle = 2 * time.Hour
)

// SessionPrefix begins the token of every session, which tells it from tokens that are kept in the store.
const SessionPrefix = "session-"

// Sessions are the people who have signed in to the web console. They are in memory alone: a restart ends them. The zero value is ready, and safe for
// concurrent use.
type Sessions struct {
	mu   sync.Mutex
	open map[[sha256.Size]byte]*session // by the hash of the token, so that looking one up takes no time that tells of it
}

type session struct {
	user         string
	begun, asked time.Time
}

// Open begins a session of a user and returns its token. Of too many sessions, the one that was quiet for longest ends.
func (s *Sessions) Open(user string, now time.Time) (token string) {
	token = SessionPrefix + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[sha256.Size]byte]*session{}
	}
	s.sweep(now)
	s.open[sha256.Sum256([]byte(token))] = &session{user, now, now}
	return token
}

// sweep ends sessions that are over, and the quietest one if there is no room.
func (s *Sessions) sweep(now time.Time) {
	var quietest [sha256.Size]byte
	var since time.Time
	for id, one := range s.open {
		if one.isOver(now) {
			delete(s.open, id)
		} else if since.IsZero() || one.asked.Before(since) {
			quietest, since = id, one.asked
		}
	}
	if len(s.open) >= sessionsMax {
		delete(s.open, quietest)
	}
}

func (s *session) isOver(now time.Time) bool {
	return now.Sub(s.begun) > sessionLife || now.Sub(s.asked) > sessionIdle
}

// User returns whose session a token is of, and since when.
func (s *Sessions) User(token string, now time.Time) (user string, begun time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[sha256.Sum256([]byte(token))]
	if one == nil || one.isOver(now) {
		return "", begun, false
	}
	one.asked = now
	return one.user, one.begun, true
}

// Close ends a session.
func (s *Sessions) Close(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(token)))
}
