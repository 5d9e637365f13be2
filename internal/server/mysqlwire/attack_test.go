// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// scramble proves a password as a client does.
func scramble(plugin, password string, salt []byte) []byte {
	if plugin == packet.PluginNative {
		once := sha1.Sum([]byte(password))
		twice := sha1.Sum(once[:])
		mask := sha1.Sum(append(bytes.Clone(salt), twice[:]...))
		subtle.XORBytes(once[:], once[:], mask[:])
		return once[:]
	}
	once := sha256.Sum256([]byte(password))
	twice := sha256.Sum256(once[:])
	mask := sha256.Sum256(append(twice[:], salt...))
	subtle.XORBytes(once[:], once[:], mask[:])
	return once[:]
}

// attempt is one try to sign in.
type attempt struct {
	user, plugin string
	changeUser   bool // after another user has signed in rightly
	// respond answers a nonce.
	respond func(salt []byte) []byte
}

const attackCapabilities = packet.ClientProtocol41 | packet.ClientSecureConnection | packet.ClientPluginAuth

// loginPacket is a client's answer to the greeting.
func loginPacket(user, plugin string, response []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, attackCapabilities)
	b = binary.LittleEndian.AppendUint32(b, 1<<24)
	b = append(append(b, 45), make([]byte, 23)...)
	b = append(append(b, user...), 0)
	b = append(append(b, byte(len(response))), response...)
	return append(append(b, plugin...), 0)
}

// try signs in, and returns whether that worked, with a line for each packet that the server sent: everything in it but
// the nonces.
func (a attempt) try(t testing.TB, listener *pipes) (in bool, said []string) {
	t.Helper()
	conn := listener.dial()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	r := newRaw(conn)
	greeting, err := r.read()
	if err != nil {
		t.Fatal(err)
	}
	c := packet.Cutter{Rest: greeting[1:]}
	c.UntilNul()
	c.Uint32()
	salt := bytes.Clone(c.Take(8))
	c.Take(1 + 2 + 1 + 2 + 2 + 1 + 10)
	salt = append(salt, c.Take(12)...)
	first := a
	if a.changeUser {
		first = attempt{user: "eve", plugin: packet.PluginCaching, respond: right(packet.PluginCaching, "apple")}
	}
	dispatch(r, loginPacket(first.user, first.plugin, first.respond(salt)))
	if in, said = first.finish(t, r); !a.changeUser {
		return in, said
	}
	if !in {
		t.Fatalf("the first user can't sign in: %q", said)
	}
	response := a.respond(salt)
	b := append(append([]byte{packet.ComChangeUser}, a.user...), 0, byte(len(response)))
	b = append(append(append(b, response...), 0, 45, 0), a.plugin...)
	r.sequence = 0
	dispatch(r, append(b, 0))
	return a.finish(t, r)
}

// dispatch writes without waiting for the server to read: a pipe holds nothing.
func dispatch(r *raw, b []byte) {
	sequence := r.sequence
	r.sequence++
	go func() { _ = (&raw{conn: r.conn, sequence: sequence}).write(b) }()
}

// finish answers the server until it has decided.
func (a attempt) finish(t testing.TB, r *raw) (in bool, said []string) {
	t.Helper()
	for {
		p, err := r.read()
		if err != nil {
			return false, append(said, "cut")
		}
		switch {
		case p[0] == 0:
			return true, append(said, "ok")
		case p[0] == 0xff:
			return false, append(said, fmt.Sprintf("%q", bytes.ReplaceAll(p, []byte(a.user), []byte("USER"))))
		case p[0] == 0xfe:
			c := packet.Cutter{Rest: p[1:]}
			plugin := string(c.UntilNul())
			said = append(said, fmt.Sprintf("switch %s %d", plugin, len(c.Rest)))
			dispatch(r, a.respond(bytes.Clone(c.Rest[:packet.NonceBytes])))
		default:
			said = append(said, fmt.Sprintf("%q", p))
			if p[1] == needsPassword {
				dispatch(r, []byte{0})
			}
		}
	}
}

func right(plugin, password string) func([]byte) []byte {
	return func(salt []byte) []byte { return scramble(plugin, password, salt) }
}

// attacked is a server where ann and eve have passwords.
func attacked(t testing.TB, o Options) *pipes {
	verifiers := map[string]Verifier{"ann": VerifierOf("secret"), "eve": VerifierOf("apple")}
	o.Authenticate = func(user string) (Verifier, bool) { v, ok := verifiers[user]; return v, ok }
	_, listener := servePipes(t, newDialect(), o)
	return listener
}

// TestLoginAttacks: nothing but the password lets in, at login as at COM_CHANGE_USER, and users that there are none of
// are answered with the same packets as those who mistyped.
func TestLoginAttacks(t *testing.T) {
	listener := attacked(t, Options{})
	seed := rounds.Seed(t)
	random := rand.NewChaCha8([32]byte(binary.LittleEndian.AppendUint64(make([]byte, 24), seed)))
	responses := map[string]func(salt []byte) []byte{
		"empty": func([]byte) []byte { return nil }, "the nonce": func(salt []byte) []byte { return salt },
		"another's password": right(packet.PluginCaching, "apple"), "the other plugin's proof": nil,
		"a replayed proof": func([]byte) []byte {
			return scramble(packet.PluginCaching, "secret",
				make([]byte, packet.NonceBytes))
		},
	}
	for _, n := range []int{1, 19, 20, 21, 31, 32, 33, 250} {
		responses[fmt.Sprint(n, " zeros")] = func([]byte) []byte { return make([]byte, n) }
		noise := make([]byte, n)
		_, _ = random.Read(noise)
		responses[fmt.Sprint(n, " random bytes")] = func([]byte) []byte { return noise }
		responses[fmt.Sprint("the first ", n, " bytes of the proof")] = func(salt []byte) []byte {
			proof := append(scramble(packet.PluginCaching, "secret", salt), make([]byte, 250)...)
			proof[0] |= 1 // a zero alone is how clients send no password, which the answer tells
			return proof[:min(n, 31)]
		}
	}
	other := map[string]string{packet.PluginNative: packet.PluginCaching, packet.PluginCaching: packet.PluginNative}
	for _, changeUser := range []bool{false, true} {
		for _, plugin := range []string{packet.PluginNative, packet.PluginCaching, "mysql_clear_password",
			"mysql_old_password", ""} {
			responses["the other plugin's proof"] = right(other[plugin], "secret")
			if other[plugin] == "" {
				responses["the other plugin's proof"] = func([]byte) []byte { return []byte("secret\x00") }
			}
			for name, respond := range responses {
				known, said := attempt{"ann", plugin, changeUser, respond}.try(t, listener)
				unknown, saidToUnknown := attempt{"nobody", plugin, changeUser, respond}.try(t, listener)
				if known || unknown {
					t.Errorf("%s by %q, change user %v, lets in: ann %v, nobody %v", name, plugin, changeUser, known,
						unknown)
				}
				if !slices.Equal(said, saidToUnknown) {
					t.Errorf("%s by %q, change user %v: known users are answered\n%q, unknown ones\n%q", name, plugin,
						changeUser, said, saidToUnknown)
				}
			}
			if in, said := (attempt{"nobody", plugin, changeUser, right(plugin, "")}).try(t, listener); in {
				t.Errorf("an unknown user signs in: %q", said)
			}
		}
		for _, plugin := range []string{packet.PluginNative, packet.PluginCaching} {
			if in, said := (attempt{"ann", plugin, changeUser, right(plugin, "secret")}).try(t, listener); !in {
				t.Errorf("%s, change user %v: the password does not let in: %q", plugin, changeUser, said)
			}
		}
	}
	const localFiles = 1 << 7 // CLIENT_LOCAL_FILES
	if packet.Offered&localFiles != 0 {
		t.Error("LOCAL INFILE is offered")
	}
}

// TestWrongProofs: of 10^5 wrong proofs none is right, as it would be if a comparison sometimes stopped early.
func TestWrongProofs(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.NewChaCha8([32]byte(binary.LittleEndian.AppendUint64(make([]byte, 24), seed)))
	v, unknown := VerifierOf("secret"), Verifier{}
	for range rounds.Of(t, 20_000) {
		salt, response := newNonce(), make([]byte, 32)
		_, _ = random.Read(response)
		for _, v := range []Verifier{v, unknown} {
			if v.proves(packet.PluginNative, response[:20], salt) || v.proves(packet.PluginCaching, response, salt) {
				t.Fatalf("%x proves to %x", response, salt)
			}
		}
	}
}

// TestJudge: the judge hears of each try, right or wrong, and its refusal holds for right passwords, too, without a
// sign that they were right.
func TestJudge(t *testing.T) {
	type call struct {
		user   string
		proved bool
	}
	calls := make(chan call, 1)
	refuse := false
	listener := attacked(t, Options{Judge: func(user, _ string, proved bool) *fault.Error {
		calls <- call{user, proved}
		if refuse {
			return fault.Message(fault.AccessDenied, "too many")
		}
		return nil
	}})
	for _, refuse = range []bool{false, true} {
		var shown []string
		for _, one := range []call{{"ann", true}, {"ann", false}, {"nobody", false}} {
			password := map[bool]string{true: "secret", false: "wrong"}[one.proved]
			in, said := attempt{user: one.user, plugin: packet.PluginCaching,
				respond: right(packet.PluginCaching, password)}.try(t, listener)
			if got := <-calls; got != one || in != (one.proved && !refuse) {
				t.Errorf("%+v: the judge heard %+v; signed in: %v", one, got, in)
			}
			if refuse {
				shown = append(shown, fmt.Sprint(said))
			}
		}
		if refuse && (shown[0] != shown[1] || shown[1] != shown[2]) {
			t.Errorf("refusals differ: %q", shown)
		}
	}
}

// TestUserConnectionsMax: a user has at most so many connections, of which one that ends makes room for another.
func TestUserConnectionsMax(t *testing.T) {
	listener := attacked(t, Options{UserConnectionsMax: 2})
	enter := func(user, password string) (*raw, []byte) {
		r := newRaw(listener.dial())
		t.Cleanup(func() { _ = r.conn.Close() })
		_ = r.conn.SetDeadline(time.Now().Add(time.Minute))
		if _, err := r.read(); err != nil {
			t.Fatal(err)
		}
		// the server asks again: a client may mean another nonce
		dispatch(r, loginPacket(user, packet.PluginNative, nil))
		p, err := r.read()
		if err == nil && p[0] == 0xfe {
			dispatch(r, scramble(packet.PluginNative, password, p[len(p)-1-packet.NonceBytes:len(p)-1]))
			p, err = r.read()
		}
		if err != nil {
			t.Fatal(err)
		}
		return r, p
	}
	first, p := enter("ann", "secret")
	if p[0] != 0 {
		t.Fatalf("%q", p)
	}
	enter("ann", "secret")
	if _, p := enter("ann", "secret"); p[0] != 0xff ||
		binary.LittleEndian.Uint16(p[1:]) != uint16(fault.TooManyUserConnections) {
		t.Errorf("the third connection: %q", p)
	}
	if _, p := enter("eve", "apple"); p[0] != 0 {
		t.Errorf("another user: %q", p)
	}
	_ = first.command([]byte{packet.ComQuit})
	_, _ = first.in.ReadByte() // until it is closed
	deadline := time.Now().Add(time.Minute)
	for {
		if _, p := enter("ann", "secret"); p[0] == 0 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("after one ended: %q", p)
		}
	}
}

// FuzzLogin: no response of a client that does not know the password lets it in, as whoever and by whichever plugin.
func FuzzLogin(f *testing.F) {
	f.Add("ann", packet.PluginCaching, make([]byte, 32), false)
	f.Add("ann", packet.PluginNative, make([]byte, 20), true)
	f.Add("nobody", "mysql_clear_password", []byte("secret\x00"), false)
	f.Add("eve\x00", "", []byte{0}, true)
	listener := attacked(f, Options{})
	f.Fuzz(func(t *testing.T, user, plugin string, response []byte, changeUser bool) {
		if len(response) > 250 || len(user) > 1000 || len(plugin) > 1000 {
			return // the length has one byte
		}
		if in, said := (attempt{user, plugin, changeUser, func([]byte) []byte { return response }}).try(t,
			listener); in {
			t.Fatalf("%q signs in: %q", user, said)
		}
	})
}
