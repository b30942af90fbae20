package wire

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// The bounds of one server's connections.
const (
	// As many as a server keeps that names no number: more than a platform opens, or a
	// proxy in front of us. Telegram is told 40.
	maxMembers = 256
	// How many of them may send a large body at a time.
	maxLarge = 16
	// How often the log says that connections were closed for others.
	crowdedEvery = time.Minute
)

// crowd is the connections of one server. The server cannot tell a stranger's
// connection from the platform's before a request is complete and proven. Therefore a new
// connection always gets in, and closes the one that has least right to its place.
type crowd struct {
	net.Listener

	limit   int
	trusted []netip.Prefix
	log     zerolog.Logger

	mu             sync.Mutex
	members, large map[*member]struct{}
	last           uint64
	// closed counts those that gave way since the log said so, at told.
	closed int
	told   time.Time
}

// member is one connection. The crowd's lock guards its fields.
type member struct {
	*net.TCPConn

	of *crowd
	// peer is the other end, and client counts as one client: the other end's
	// address, or the one that a trusted proxy names.
	peer, client netip.Addr
	// began numbers the connections by their last beginning of a request.
	began uint64
	state memberState
}

// memberState orders the connections by their right to a place.
type memberState int

const (
	unproven memberState = iota // a request is expected or under way
	idle                        // a request was answered, and the next has not begun
	proven                      // a request under way is complete, and the platform's
)

func newCrowd(l net.Listener, s *Server) *crowd {
	return &crowd{
		Listener: l, limit: cmp.Or(s.MaxConns, maxMembers), trusted: s.TrustedProxies, log: s.Log,
		members: map[*member]struct{}{}, large: map[*member]struct{}{},
	}
}

// Accept lets a connection in, for which another may have to go.
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // http.Server knows the errors that pass
		}
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			Drop(conn)
			return nil, errors.New("the listener is not TCP's")
		}
		m := &member{TCPConn: tcp, of: c, peer: addressOf(conn.RemoteAddr().String())}
		m.client = network(m.peer)
		m.began = c.number()
		if c.join(c.members, m, c.limit) {
			return m, nil
		}
		Drop(tcp) // all others are being answered
	}
}

// number is the next number of a beginning.
func (c *crowd) number() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return c.last
}

// join puts m into a set that holds at most limit; another one may be closed for it.
func (c *crowd) join(set map[*member]struct{}, m *member, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, in := set[m]; !in && len(set) >= limit {
		out := yielding(set)
		if out == nil {
			return false
		}
		c.forget(out)
		Drop(out.TCPConn)
		c.sayCrowded(out.client)
	}
	set[m] = struct{}{}
	return true
}

// yielding is the connection with the least right to its place: an unproven one, of
// the client that has most of those, the oldest. Behind those come the idle ones.
func yielding(set map[*member]struct{}) *member {
	held := map[netip.Addr]int{}
	for m := range set {
		if m.state == unproven {
			held[m.client]++
		}
	}
	less := func(a, b *member) bool {
		switch {
		case a.state != b.state:
			return a.state < b.state
		case a.state == unproven && held[a.client] != held[b.client]:
			return held[a.client] > held[b.client]
		default:
			return a.began < b.began
		}
	}
	var first *member
	for m := range set {
		if m.state != proven && (first == nil || less(m, first)) {
			first = m
		}
	}
	return first
}

// sayCrowded tells the operator, now and then, that strangers push.
func (c *crowd) sayCrowded(client netip.Addr) {
	c.closed++
	if now := time.Now(); c.told.IsZero() || now.Sub(c.told) >= crowdedEvery {
		c.log.Warn().Int("closed", c.closed).Stringer("last_client", client).Str("listen", c.Addr().String()).
			Msg("all places for connections are taken: connections without a proven request are closed for new ones")
		c.closed, c.told = 0, now
	}
}

func (c *crowd) forget(m *member) {
	delete(c.members, m)
	delete(c.large, m)
}

// Close gives the place back.
func (m *member) Close() error {
	m.of.mu.Lock()
	m.of.forget(m)
	m.of.mu.Unlock()
	return m.TCPConn.Close()
}

// changed follows the states of a connection in [http.Server].
func (c *crowd) changed(conn net.Conn, to http.ConnState) {
	m, ok := conn.(*member)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch to {
	case http.StateActive:
		c.last++
		m.state, m.began = unproven, c.last
	case http.StateIdle:
		m.state = idle
		delete(c.large, m)
	default: // its beginning is Accept's, its end Close's
	}
}

// memberKey finds the connection of a request in its context.
type memberKey struct{}

func withMember(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, memberKey{}, conn)
}

func memberOf(r *http.Request) (*member, bool) {
	m, ok := r.Context().Value(memberKey{}).(*member)
	return m, ok
}

// introduce finds the client behind a trusted proxy before h sees a request.
func (c *crowd) introduce(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m, ok := memberOf(r); ok {
			client := network(c.speaker(m.peer, r.Header.Values("X-Forwarded-For")))
			c.mu.Lock()
			m.client = client
			c.mu.Unlock()
		}
		h.ServeHTTP(w, r)
	})
}

// speaker is the last address of the chain that is not a trusted proxy's: the client
// itself claims the addresses before it.
func (c *crowd) speaker(peer netip.Addr, forwarded []string) netip.Addr {
	chain := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(chain) - 1; i >= 0 && c.trusts(peer); i-- {
		next := addressOf(strings.TrimSpace(chain[i]))
		if !next.IsValid() {
			break
		}
		peer = next
	}
	return peer
}

func (c *crowd) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(c.trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}

// addressOf reads ADDRESS or ADDRESS:PORT. Any other text gives the zero address.
func addressOf(text string) netip.Addr {
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		ap, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}
		}
		a = ap.Addr()
	}
	return a.Unmap().WithZone("")
}

// network is the part of an address that names a client: of IPv6 the first 64 bits,
// the rest is the client's own to choose.
func network(a netip.Addr) netip.Addr {
	const clientBits = 64
	if !a.Is6() {
		return a
	}
	p, err := a.Prefix(clientBits)
	if err != nil {
		return a
	}
	return p.Addr()
}

// Proven says that a request is complete and the platform's: its connection keeps
// its place until the request is answered.
func Proven(r *http.Request) {
	if m, ok := memberOf(r); ok {
		m.of.mu.Lock()
		defer m.of.mu.Unlock()
		m.state = proven
		delete(m.of.large, m)
	}
}

// Large says, before the body is read, that a request is large or may be: its
// connection takes one of the few places for those. It is closed for another one
// where it does not come to be [Proven].
func Large(r *http.Request) {
	if m, ok := memberOf(r); ok {
		m.of.join(m.of.large, m, maxLarge)
	}
}
