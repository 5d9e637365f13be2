// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// simulated is a request with its policies, as test/clients/simulate.mjs reads it.
type simulated struct {
	Identity  []object            `json:"identity,omitempty"`
	Resource  object              `json:"resource,omitempty"`
	Principal string              `json:"principal"`
	Action    string              `json:"action"`
	On        string              `json:"on"`
	Keys      map[string][]string `json:"keys"`
}

// TestSimulator compares decisions with those of @cloud-copilot/iam-simulate, a program of others that decides as AWS
// does. `make test-clients` installs it.
func TestSimulator(t *testing.T) {
	if os.Getenv("WEFT_TEST_CLIENTS") != "1" {
		t.Skip("the simulator runs under `make test-clients`, which sets WEFT_TEST_CLIENTS=1")
	}
	if _, err := os.Stat("../../../test/clients/node_modules/@cloud-copilot/iam-simulate"); err != nil {
		t.Skip("the simulator is not installed: test/clients/install could not have it")
	}
	seed := rounds.Seed(t)
	count := rounds.Of(t, 4000)
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	var input bytes.Buffer
	var asked []simulated
	var decided []string
	for range count {
		s := g.simulated()
		asked, decided = append(asked, s), append(decided, s.decide(t).String())
		s.exceptAccounts()
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	command := exec.Command("node", "simulate.mjs")
	command.Dir, command.Stdin, command.Stderr = "../../../test/clients", &input, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("seed %d: the simulator failed: %v", seed, err)
	}
	answers := strings.Fields(string(output))
	if len(answers) != count {
		t.Fatalf("seed %d: %d answers to %d requests", seed, len(answers), count)
	}
	met, differences := map[string]int{}, 0
	for i, want := range answers {
		if met[want]++; decided[i] != want {
			if differences++; differences <= 5 {
				text, _ := json.Marshal(asked[i])
				t.Errorf("seed %d: %s, not %s, for %s", seed, decided[i], want, text)
			}
		}
	}
	t.Logf("%d requests, %v, %d differences", count, met, differences)
	for _, effect := range []string{"Allow", "Deny", "NoMatch"} {
		if met[effect] < count/20 {
			t.Errorf("seed %d: only %d of %d requests met %s", seed, met[effect], count, effect)
		}
	}
}

// simulated makes a request, one or two policies of the principal, and now and then one of the resource.
func (g generator) simulated() simulated {
	a := g.ask()
	// There is one account, and no table has a wildcard in its name, which the simulator takes for one.
	a.resource = strings.NewReplacer(":1:", ":123456789012:", "a*", "abc").Replace(a.resource)
	a.keys["aws:age"] = a.keys["aws:age"][:min(1, len(a.keys["aws:age"]))]
	maps.DeleteFunc(a.keys, func(_ string, values []string) bool { return len(values) == 0 })
	s := simulated{Principal: a.principal, Action: a.action, On: a.resource, Keys: a.keys}
	document := func(kind Kind) object {
		list := []any{}
		for range 1 + g.IntN(3) {
			list = append(list, g.statement(kind))
		}
		// the simulator replaces variables in the older version, too, which has none
		return object{"Version": "2012-10-17", "Statement": list}
	}
	for range g.IntN(3) {
		s.Identity = append(s.Identity, document(Identity))
	}
	if len(s.Identity) == 0 || g.IntN(2) == 0 {
		s.Resource = document(Resource)
	}
	return s
}

// exceptAccounts takes accounts out of NotPrincipal. The simulator excepts all users of an account ("need to do
// research on this", it says); AWS's guide has the account's root listed beside the one user who is not denied, and all
// others denied.
func (s *simulated) exceptAccounts() {
	if s.Resource == nil {
		return
	}
	for _, one := range s.Resource["Statement"].([]any) {
		if not, ok := one.(object)["NotPrincipal"].(object); ok {
			list := slices.DeleteFunc(texts(not["AWS"]),
				func(one string) bool { return isAccount(one, "123456789012") })
			not["AWS"] = append(list, "arn:aws:iam::123456789012:user/nobody")
		}
	}
}

func (s *simulated) decide(t *testing.T) Effect {
	var policies []*Policy
	add := func(document object, kind Kind) {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(text, kind)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		policies = append(policies, p)
	}
	for _, document := range s.Identity {
		add(document, Identity)
	}
	if s.Resource != nil {
		add(s.Resource, Resource)
	}
	return Decide(policies, &Request{Principal: s.Principal, Account: "123456789012", Action: s.Action, Resource: s.On,
		Values: func(name string) ([]string, bool) { v, ok := s.Keys[name]; return v, ok }})
}
