// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"encoding/binary"
)

// loginBytesMax bounds each packet of a client that has not logged in.
const loginBytesMax = 64 << 10

// nonceBytes is the length of the random text that a password is proved with.
const nonceBytes = 20

// nonce is such a text. It holds neither NUL nor '$', since clients treat it as a text.
type nonce [nonceBytes]byte

// Names of authentication plugins.
const (
	pluginNative  = "mysql_native_password"
	pluginCaching = "caching_sha2_password"
)

// appendGreeting appends the server's first packet.
func appendGreeting(dst []byte, version string, id uint32, salt nonce, capabilities uint32) []byte {
	dst = append(dst, 10)
	dst = append(append(dst, version...), 0)
	dst = binary.LittleEndian.AppendUint32(dst, id)
	dst = append(append(dst, salt[:8]...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(capabilities))
	dst = append(dst, charsetText)
	dst = binary.LittleEndian.AppendUint16(dst, statusAutocommit)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(capabilities>>16))
	dst = append(dst, nonceBytes+1)
	dst = append(dst, make([]byte, 10)...)
	dst = append(append(dst, salt[8:]...), 0)
	return append(append(dst, pluginCaching...), 0)
}

// request is a client's answer to the greeting, or its wish to become another user.
type request struct {
	capabilities uint32
	charset      byte
	user         string
	response     []byte // to the greeting's nonce, as the plugin wants it; it aliases the packet
	database     string
	plugin       string
	attributes   map[string]string
}

// sslRequestBytes is the length of the packet that asks for TLS: the beginning of a login.
const sslRequestBytes = 32

// cutRequest reads a login. What a client claims and the server did not offer counts as not claimed.
func cutRequest(payload []byte, capabilities uint32) (q request, ok bool) {
	c := cutter{rest: payload}
	q.capabilities = c.uint32() & capabilities
	c.uint32() // the longest packet that the client wants; rows are not cut off for it
	q.charset = c.uint8()
	c.take(23)
	if c.failed || q.capabilities&clientProtocol41 == 0 {
		return q, false
	}
	q.user = string(c.untilNul())
	switch {
	case q.capabilities&clientPluginAuthLenenc != 0:
		q.response = c.text()
	case q.capabilities&clientSecureConnection != 0:
		q.response = c.take(uint64(c.uint8()))
	default:
		q.response = c.untilNul()
	}
	if q.capabilities&clientConnectWithDB != 0 {
		q.database = string(c.untilNul())
	}
	q.cutRest(&c)
	return q, !c.failed
}

// cutChangeUser reads a COM_CHANGE_USER, whose client logged in with the given capabilities.
func cutChangeUser(payload []byte, capabilities uint32) (q request, ok bool) {
	c := cutter{rest: payload}
	q.capabilities = capabilities
	q.user = string(c.untilNul())
	q.response = c.take(uint64(c.uint8()))
	q.database = string(c.untilNul())
	if len(c.rest) >= 2 {
		q.charset = byte(c.uint16())
		q.cutRest(&c)
	}
	return q, !c.failed
}

// cutRest cuts the plugin's name and the attributes. Clients leave out either.
func (q *request) cutRest(c *cutter) {
	if q.capabilities&clientPluginAuth != 0 {
		q.plugin = string(c.untilNul())
	}
	if q.capabilities&clientConnectAttrs != 0 && len(c.rest) > 0 {
		q.attributes = cutAttributes(c)
	}
}

func cutAttributes(c *cutter) map[string]string {
	inner := cutter{rest: c.text(), failed: c.failed}
	attributes := map[string]string{}
	for len(inner.rest) > 0 && !inner.failed {
		key := inner.text()
		attributes[string(key)] = string(inner.text())
	}
	c.failed = c.failed || inner.failed
	return attributes
}

// appendSwitch appends the request to prove the password with another plugin or another nonce.
func appendSwitch(dst []byte, plugin string, salt nonce) []byte {
	dst = append(dst, 0xfe)
	dst = append(append(dst, plugin...), 0)
	return append(append(dst, salt[:]...), 0)
}
