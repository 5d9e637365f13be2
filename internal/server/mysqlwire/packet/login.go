// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"encoding/binary"
)

// NonceBytes is the length of the random text that a password is proved with.
const NonceBytes = 20

// Nonce is such a text. It holds neither NUL nor '$', since clients treat it as a text.
type Nonce [NonceBytes]byte

// Names of authentication plugins.
const (
	PluginNative  = "mysql_native_password"
	PluginCaching = "caching_sha2_password"
)

// AppendGreeting appends the server's first packet.
func AppendGreeting(dst []byte, version string, id uint32, salt Nonce, capabilities uint32) []byte {
	dst = append(dst, 10)
	dst = append(append(dst, version...), 0)
	dst = binary.LittleEndian.AppendUint32(dst, id)
	dst = append(append(dst, salt[:8]...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(capabilities))
	dst = append(dst, charsetText)
	dst = binary.LittleEndian.AppendUint16(dst, StatusAutocommit)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(capabilities>>16))
	dst = append(dst, NonceBytes+1)
	dst = append(dst, make([]byte, 10)...)
	dst = append(append(dst, salt[8:]...), 0)
	return append(append(dst, PluginCaching...), 0)
}

// Request is a client's answer to the greeting, or its wish to become another user.
type Request struct {
	Capabilities uint32
	Charset      byte
	User         string
	Response     []byte // to the greeting's nonce, as the plugin wants it; it aliases the packet
	Database     string
	Plugin       string
	Attributes   map[string]string
}

// sslRequestBytes is the length of the packet that asks for TLS: the beginning of a login.
const sslRequestBytes = 32

// WantsTLS reports whether a packet asks for TLS, which was offered among the capabilities.
func WantsTLS(payload []byte, capabilities uint32) bool {
	c := Cutter{Rest: payload}
	return len(payload) == sslRequestBytes && c.Uint32()&capabilities&ClientSSL != 0
}

// CutLogin reads a login. Capabilities that the server did not offer are ignored.
func CutLogin(payload []byte, capabilities uint32) (q Request, ok bool) {
	c := Cutter{Rest: payload}
	q.Capabilities = c.Uint32() & capabilities
	c.Uint32() // the longest packet that the client wants; rows are not cut off for it
	q.Charset = c.Uint8()
	c.Take(23)
	if c.Failed || q.Capabilities&ClientProtocol41 == 0 {
		return q, false
	}
	q.User = string(c.UntilNul())
	switch {
	case q.Capabilities&ClientPluginAuthLenenc != 0:
		q.Response = c.Text()
	case q.Capabilities&ClientSecureConnection != 0:
		q.Response = c.Take(uint64(c.Uint8()))
	default:
		q.Response = c.UntilNul()
	}
	if q.Capabilities&ClientConnectWithDB != 0 {
		q.Database = string(c.UntilNul())
	}
	q.cutRest(&c)
	return q, !c.Failed
}

// CutChangeUser reads a COM_CHANGE_USER, whose client logged in with the given capabilities.
func CutChangeUser(payload []byte, capabilities uint32) (q Request, ok bool) {
	c := Cutter{Rest: payload}
	q.Capabilities = capabilities
	q.User = string(c.UntilNul())
	q.Response = c.Take(uint64(c.Uint8()))
	q.Database = string(c.UntilNul())
	if len(c.Rest) >= 2 {
		q.Charset = byte(c.Uint16())
		q.cutRest(&c)
	}
	return q, !c.Failed
}

// cutRest cuts the plugin's name and the attributes. Clients leave out either.
func (q *Request) cutRest(c *Cutter) {
	if q.Capabilities&ClientPluginAuth != 0 {
		q.Plugin = string(c.UntilNul())
	}
	if q.Capabilities&ClientConnectAttrs != 0 && len(c.Rest) > 0 {
		q.Attributes = cutAttributes(c)
	}
}

// How many attributes of a connection are kept, and how long they may be together: they stay as long as the connection
// does.
const (
	attributesMax      = 64
	attributesBytesMax = 8 << 10
)

// cutAttributes cuts what a client says of itself, and drops what is too much.
func cutAttributes(c *Cutter) map[string]string {
	inner := Cutter{Rest: c.Text(), Failed: c.Failed}
	attributes, bytes := map[string]string{}, 0
	for len(inner.Rest) > 0 && !inner.Failed {
		key, value := inner.Text(), inner.Text()
		if bytes += len(key) + len(value); bytes <= attributesBytesMax && len(attributes) < attributesMax {
			attributes[string(key)] = string(value)
		}
	}
	c.Failed = c.Failed || inner.Failed
	return attributes
}

// AppendSwitch appends the request to prove the password with another plugin or another nonce.
func AppendSwitch(dst []byte, plugin string, salt Nonce) []byte {
	dst = append(dst, 0xfe)
	dst = append(append(dst, plugin...), 0)
	return append(append(dst, salt[:]...), 0)
}
