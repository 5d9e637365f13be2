// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

// TestCommands sends the commands of testdata, packet by packet, and writes down what comes back.
func TestCommands(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		d := newDialect()
		_, listener := servePipes(t, d, Options{StatementsMax: 3, PacketBytesMax: 1 << 20})
		var r *raw
		var capabilities uint32
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "connect":
				capabilities = capabilitiesOf(d)
				r = newRaw(listener.dial())
				t.Cleanup(func() { _ = r.conn.Close() })
				p, err := r.logIn(capabilities, "root", "d", packet.PluginCaching)
				if err != nil {
					return err.Error()
				}
				return show(p, 0, 0, capabilities)
			case "change-user":
				return changeUser(t, r, d, capabilities)
			case "send":
				payload := parseBytes(t, d.Input)
				answer, err := r.exchange(payload)
				var lines []string
				for i, p := range answer {
					lines = append(lines, show(p, i, append(payload, 0)[0], capabilities))
				}
				switch {
				case errors.Is(err, io.EOF):
					lines = append(lines, "the connection ends")
				case err != nil:
					t.Fatal(err)
				case len(answer) == 0:
					lines = append(lines, "no answer")
				}
				return strings.Join(lines, "\n")
			}
			t.Fatal("unknown directive ", d.Cmd)
			return ""
		})
	})
}

// changeUser sends a wish to become another user, with an empty password, and the proof that is asked for.
func changeUser(t *testing.T, r *raw, d *datadriven.TestData, capabilities uint32) string {
	t.Helper()
	var database, plugin string
	d.ScanArgs(t, "db", &database)
	d.ScanArgs(t, "plugin", &plugin)
	payload := append([]byte{packet.ComChangeUser}, d.CmdArgs[0].Key...)
	payload = append(append(append(payload, 0, 0), database...), 0, 45, 0)
	if err := r.command(append(append(payload, plugin...), 0)); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for {
		p, err := r.read()
		if err != nil {
			return strings.Join(append(lines, "the connection ends"), "\n")
		}
		lines = append(lines, show(p, 0, 0, capabilities))
		if p[0] != 0xfe {
			return strings.Join(lines, "\n")
		}
		if err := r.write(nil); err != nil {
			t.Fatal(err)
		}
	}
}

// capabilitiesOf are those that the arguments name.
func capabilitiesOf(d *datadriven.TestData) uint32 {
	named := map[string]uint32{"deprecate-eof": packet.ClientDeprecateEOF, "multi": packet.ClientMultiStatements,
		"track": packet.ClientSessionTrack}
	capabilities := uint32(packet.ClientProtocol41 | packet.ClientSecureConnection | packet.ClientPluginAuth |
		packet.ClientConnectWithDB)
	for _, a := range d.CmdArgs {
		capabilities |= named[a.Key]
	}
	return capabilities
}

// parseBytes reads lines of hexadecimal digits and of texts in quotes.
func parseBytes(t *testing.T, input string) (b []byte) {
	t.Helper()
	for _, line := range strings.Split(input, "\n") {
		for field := line; field != ""; {
			field = strings.TrimSpace(field)
			if strings.HasPrefix(field, `"`) {
				quoted, err := strconv.QuotedPrefix(field)
				if err != nil {
					t.Fatal(field, err)
				}
				text, _ := strconv.Unquote(quoted)
				b, field = append(b, text...), field[len(quoted):]
				continue
			}
			digits, rest, _ := strings.Cut(field, " ")
			if strings.HasPrefix(digits, "#") {
				break
			}
			part, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(field, err)
			}
			b, field = append(b, part...), rest
		}
	}
	return b
}
