// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"cmp"
	"log/slog"
	"sync"
	"time"
)

// Denied says that a principal may not do something.
type Denied struct {
	User      string // "": nobody signed in
	Principal string // the user's ARN
	Action    string
	Resource  string // ARN
	By        string // "identity" or "resource": the kind of policy that denies it; "": no policy allows it
}

// Error is AWS's text.
func (d *Denied) Error() string {
	who := d.Principal
	who = cmp.Or(who, "anonymous")
	text := "User: " + who + " is not authorized to perform: " + d.Action + " on resource: " + d.Resource
	if d.By != "" {
		return text + " with an explicit deny in a" + map[bool]string{true: "n"}[d.By == "identity"] + " " + d.By +
			"-based policy"
	}
	return text + " because no identity-based policy allows the " + d.Action + " action"
}

const (
	warningPause = time.Minute
	warningsMax  = 1000 // denials that are remembered
)

// warnings remembers what was warned of lately.
type warnings struct {
	mu   sync.Mutex
	last map[Denied]time.Time
}

// warn logs what would be denied.
func (w *warnings) warn(logger *slog.Logger, d *Denied, now time.Time) {
	w.mu.Lock()
	last, again := w.last[*d]
	again = again && now.Sub(last) < warningPause
	if w.last == nil || len(w.last) >= warningsMax {
		w.last = map[Denied]time.Time{}
	}
	if !again {
		w.last[*d] = now
	}
	w.mu.Unlock()
	if !again {
		logger.Warn("this request would be denied if auth were required", "user", d.User, "action", d.Action,
			"resource", d.Resource, "reason", d.Error())
	}
}
