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
	sessionsMax     = 1000
	sessionsUserMax = 20
	sessionLife     = 12 * time.Hour
	sessionIdle     = 2 * time.Hour
)

// SessionPrefix begins the token of every session, which tells it from tokens that are kept in the store.
const SessionPrefix = "session-"

// Sessions are the people who have signed in to the web console. They are in memory alone: a restart ends them. The
// zero value is ready, and safe for concurrent use.
type Sessions struct {
	mu sync.Mutex
	// by the hash of the token, so that looking one up takes no time that tells of it
	open map[[sha256.Size]byte]*session
}

type session struct {
	user, credential string
	begun, asked     time.Time
}

// Open begins a session of a user, who signed in with a credential, and returns its token. Of too many sessions of the
// user, the one that was quiet for longest ends; of too many in all, that of all.
func (s *Sessions) Open(user, credential string, now time.Time) (token string) {
	token = SessionPrefix + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[sha256.Size]byte]*session{}
	}
	s.sweep(user, now)
	s.open[sha256.Sum256([]byte(token))] = &session{user, credential, now, now}
	return token
}

// sweep ends sessions that are over, and makes room for another one of a user.
func (s *Sessions) sweep(user string, now time.Time) {
	own := 0
	for id, one := range s.open {
		if one.isOver(now) {
			delete(s.open, id)
		} else if one.user == user {
			own++
		}
	}
	switch {
	case own >= sessionsUserMax:
		s.endQuietest(func(one *session) bool { return one.user == user })
	case len(s.open) >= sessionsMax:
		s.endQuietest(func(*session) bool { return true })
	}
}

// endQuietest ends the session that was quiet for longest, of those that match.
func (s *Sessions) endQuietest(matches func(*session) bool) {
	var quietest [sha256.Size]byte
	var since time.Time
	for id, one := range s.open {
		if matches(one) && (since.IsZero() || one.asked.Before(since)) {
			quietest, since = id, one.asked
		}
	}
	delete(s.open, quietest)
}

func (s *session) isOver(now time.Time) bool {
	return now.Sub(s.begun) > sessionLife || now.Sub(s.asked) > sessionIdle
}

// User returns whose session a token is of, and with which credential it began.
func (s *Sessions) User(token string, now time.Time) (user, credential string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[sha256.Sum256([]byte(token))]
	if one == nil || one.isOver(now) {
		return "", "", false
	}
	one.asked = now
	return one.user, one.credential, true
}

// Close ends a session.
func (s *Sessions) Close(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(token)))
}
