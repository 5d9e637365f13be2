// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// errHungUp says that the client has got the reason, or is gone.
var errHungUp = errors.New("mysqlwire: the connection ends")

// loginBytesMax bounds each packet of a client that has not logged in.
const loginBytesMax = 64 << 10

// logIn greets the client and opens its session. False ends the connection.
func (c *connection) logIn() bool {
	c.in.deadline.fixed = true
	if c.raw.SetReadDeadline(time.Now().Add(c.server.options.LoginTimeout)) != nil {
		return false
	}
	salt := newNonce()
	q, err := c.greet(salt)
	if err != nil {
		return false
	}
	c.capabilities = q.Capabilities
	if c.server.options.TLSRequired && !c.secure {
		return c.refuse(fault.New(fault.SecureTransport))
	}
	if ok, err := c.prove(q, salt, q.Capabilities&packet.ClientPluginAuth != 0 &&
		q.Plugin != packet.PluginCaching); err != nil || !ok {
		return false
	}
	if !c.open(q) {
		return false
	}
	c.in.deadline.fixed = false
	c.in.deadline.reset()
	return c.sendOK(result.Done{}) == nil && c.out.flush() == nil
}

// greet sends the greeting and reads the login, through TLS if the client asks for it.
func (c *connection) greet(salt packet.Nonce) (q packet.Request, err error) {
	capabilities := uint32(packet.Offered)
	if c.server.options.TLS != nil {
		capabilities |= packet.ClientSSL
	}
	b := packet.AppendGreeting(c.out.begin(), c.server.options.Version, c.id, salt, capabilities)
	if errors.Join(c.out.end(b), c.out.flush()) != nil {
		return q, errHungUp
	}
	payload, err := c.reply()
	if err != nil {
		return q, err
	}
	if packet.WantsTLS(payload, capabilities) {
		if err := c.secureTransport(); err != nil {
			return q, err
		}
		if payload, err = c.reply(); err != nil {
			return q, err
		}
	}
	q, ok := packet.CutLogin(payload, capabilities)
	if !ok {
		c.refuse(fault.New(fault.BadHandshake))
		return q, errHungUp
	}
	return q, nil
}

// receive reads a packet and makes the next one that is sent follow it.
func (c *connection) receive(limit int) ([]byte, error) {
	payload, err := c.in.next(limit)
	c.out.sequence = c.in.sequence
	switch {
	case errors.Is(err, errPacketTooLarge):
		c.unread = true
		c.refuse(fault.New(fault.PacketTooLarge))
	case errors.Is(err, errSequence), errors.Is(err, errNoRoom):
		c.unread = true
	}
	return payload, err
}

// reply reads the packet that follows the one that was sent last.
func (c *connection) reply() ([]byte, error) {
	c.in.sequence = c.out.sequence
	return c.receive(loginBytesMax)
}

// prefixedConn is a connection some of whose bytes were read already.
type prefixedConn struct {
	net.Conn
	read []byte
}

// Read returns what was read already, first.
func (p *prefixedConn) Read(b []byte) (int, error) {
	if len(p.read) > 0 {
		n := copy(b, p.read)
		p.read = p.read[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

// secureTransport switches to TLS. Bytes that the client sent after its request are part of TLS, so nothing can be
// smuggled in before it.
func (c *connection) secureTransport() error {
	read := bytes.Clone(c.in.buffer[c.in.start:c.in.end])
	c.in.start, c.in.end = 0, 0
	conn := tls.Server(&prefixedConn{Conn: c.raw, read: read}, c.server.options.TLS)
	ctx, cancel := context.WithTimeout(c.base, c.server.options.LoginTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	c.in.conn, c.secure = conn, true
	c.out.use(conn)
	return nil
}

// prove lets the client prove that it knows the user's password. A client that means another plugin than the
// greeting's, or a stale nonce, is asked again. For unknown users everything is as for known ones that mistyped.
func (c *connection) prove(q packet.Request, salt packet.Nonce, again bool) (bool, error) {
	plugin, response := packet.PluginCaching, q.Response
	if q.Plugin == packet.PluginNative || q.Capabilities&packet.ClientPluginAuth == 0 {
		plugin = packet.PluginNative
	}
	if again {
		salt = newNonce()
		var err error
		if response, err = c.ask(packet.AppendSwitch(c.out.begin(), plugin, salt)); err != nil {
			return false, err
		}
	}
	v, known := Verifier{}, true
	if c.server.options.Authenticate != nil {
		v, known = c.server.options.Authenticate(q.User)
	}
	empty := len(response) == 0 || (len(response) == 1 && response[0] == 0)
	if empty {
		response = nil
	}
	ok := v.proves(plugin, response, salt) && known || c.server.options.Authenticate == nil
	asks := plugin == packet.PluginCaching && !empty && !ok && known && v.SHA256 == (Verifier{}).SHA256 &&
		!c.server.options.AuthenticateWarn
	var hungUp error
	if asks {
		ok, hungUp = c.provePassword(v, salt)
	}
	if c.credential = ""; ok {
		c.credential = v.Credential
	}
	refusal := c.judge(q.User, ok, empty) // also for who hung up: that it was asked tells that it was wrong
	if hungUp != nil {
		return false, hungUp
	}
	if refusal != nil {
		c.refuse(refusal)
		return false, nil
	}
	if plugin == packet.PluginCaching && !empty && !asks {
		return true, c.out.end(append(c.out.begin(), moreData, provedFast))
	}
	return true, nil
}

// judge returns why a login is refused, or nil.
func (c *connection) judge(user string, proved, empty bool) *fault.Error {
	o := &c.server.options
	var refusal *fault.Error
	if o.Judge != nil {
		refusal = o.Judge(user, c.host, proved)
	}
	if refusal == nil && !proved {
		refusal = fault.New(fault.AccessDenied, user, c.host, usingPassword(empty))
	}
	if refusal != nil && o.AuthenticateWarn {
		o.Logger.Warn("this login would be refused if auth were required", "user", user, "client", c.host)
		return nil
	}
	return refusal
}

func usingPassword(empty bool) string {
	if empty {
		return "NO"
	}
	return "YES"
}

// Contents of the second packets of caching_sha2_password. Clients ask for the public key with a byte of its own.
const (
	moreData      = 1
	provedFast    = 3
	needsPassword = 4
	wantsKey      = 2
)

// provePassword asks a client of caching_sha2_password for the password itself. It asks for users of whom only the
// other hash is known: a wrong proof by all others, unknown users included, is just wrong.
func (c *connection) provePassword(v Verifier, salt packet.Nonce) (bool, error) {
	sent, err := c.ask(append(c.out.begin(), moreData, needsPassword))
	if err != nil {
		return false, err
	}
	password, err := c.password(sent, salt)
	return err == nil && v.matches(password), err
}

// password reads a password: in clear through TLS; else encrypted for the server's key, which the client may ask for
// first. What can't be decrypted is no password.
func (c *connection) password(sent []byte, salt packet.Nonce) ([]byte, error) {
	if c.secure {
		return bytes.TrimSuffix(sent, []byte{0}), nil
	}
	key, err := c.server.key.get()
	if err != nil {
		return nil, err
	}
	if len(sent) == 1 && sent[0] == wantsKey {
		if sent, err = c.ask(append(append(c.out.begin(), moreData), c.server.key.pem...)); err != nil {
			return nil, err
		}
	}
	return decryptPassword(key, sent, salt), nil
}

// ask sends a packet and returns the client's answer.
func (c *connection) ask(b []byte) ([]byte, error) {
	if err := errors.Join(c.out.end(b), c.out.flush()); err != nil {
		return nil, err
	}
	return c.reply()
}

// open opens the session of a user who has signed in.
func (c *connection) open(q packet.Request) bool {
	login := result.Login{
		ConnectionID: c.id, User: q.User, Credential: c.credential, Host: c.host, Database: q.Database,
		Attributes: q.Attributes, TLS: c.secure, Charset: q.Charset,
		FoundRows:       q.Capabilities&packet.ClientFoundRows != 0,
		MultiStatements: q.Capabilities&packet.ClientMultiStatements != 0,
		Interactive:     q.Capabilities&packet.ClientInteractive != 0,
	}
	if err := c.server.take(c, q.User); err != nil {
		return c.refuse(err)
	}
	session, err := c.server.options.Open(c.context(), login)
	if err != nil {
		return c.refuse(err)
	}
	c.session = session
	c.idler, _ = session.(idler)
	c.adoptIdleTimeout()
	c.state = session.State()
	c.tracked = c.state.Database
	c.identify(q.User, c.state.Database)
	return true
}

// changeUser becomes another user in a new session. False ends the connection, as any failure does here.
func (c *connection) changeUser(payload []byte) bool {
	q, ok := packet.CutChangeUser(payload, c.capabilities)
	if !ok {
		return c.refuse(errMalformed())
	}
	c.in.deadline.fixed = true
	defer func() { c.in.deadline.fixed = false; c.in.deadline.reset() }()
	if c.raw.SetReadDeadline(time.Now().Add(c.server.options.LoginTimeout)) != nil {
		return false
	}
	q.Response = bytes.Clone(q.Response)
	if ok, err := c.prove(q, newNonce(), true); err != nil || !ok {
		return false
	}
	c.closeSession()
	return c.open(q) && c.sendOK(result.Done{}) == nil
}
