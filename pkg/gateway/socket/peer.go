package socket

import (
	"context"
	"net"
)

// Peer is the user at the other end of a connection, as the kernel knew it when they connected.
type Peer struct {
	UID int
	// Groups are all groups of the process at the other end.
	Groups []int
}

// peerKey finds the user at the other end of a connection in the context of its requests.
type peerKey struct{}

// WithPeer keeps the user at the other end of a connection of a [Listener].
func WithPeer(ctx context.Context, c net.Conn) context.Context {
	if own, ok := c.(*conn); ok {
		return AsUser(ctx, own.peer.UID)
	}
	return ctx
}

// AsUser is a context for the doings of a user of this machine.
func AsUser(ctx context.Context, uid int) context.Context {
	return context.WithValue(ctx, peerKey{}, uid)
}

// PeerOf is the id of the user who acts, such as the one at the other end of a request over the
// socket; false where that is not known.
func PeerOf(ctx context.Context) (uid int, ok bool) {
	uid, ok = ctx.Value(peerKey{}).(int)
	return uid, ok
}

// peerOf is the user at the other end of a connection.
func peerOf(c *net.UnixConn) (p Peer, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var credErr error
	if err := raw.Control(func(fd uintptr) { p, credErr = kernelPeer(int(fd)) }); err != nil {
		return Peer{}, err
	}
	return p, credErr
}
