package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/audit"
)

// maxSocketPath is the longest path that a socket's address can hold.
const maxSocketPath = 100

// Path names the socket in the state folder. Where the path is too long
// for a socket, it goes through an open folder; release closes that.
func Path(stateDir string) (path string, release func(), err error) {
	path = filepath.Join(stateDir, "admin.sock")
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	dir, err := os.Open(stateDir) //nolint:gosec // the operator names the folder
	if err != nil {
		return "", nil, err
	}
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/admin.sock", func() { _ = dir.Close() }, nil
}

// Options say where the socket is, and who may use it.
type Options struct {
	StateDir string
	// Group is the name of the group whose members may use it too; "" is none.
	Group string
	// Slots has one for each connection that was accepted; the server takes it out at the end.
	Slots chan struct{}
	// Note writes a row to the audit log.
	Note func(audit.Row)
	Log  zerolog.Logger
}

// Listener accepts the connections of the gateway's own user, of root and of a group, as many as
// there are slots, and turns all others away.
type Listener struct {
	*net.UnixListener

	o     Options
	group *group
	// strangers has one for each connection that is being turned away.
	strangers chan struct{}
	turned    sync.WaitGroup
	release   func()
}

// Listen opens the socket. A gateway that holds the store owns the state folder, so that a socket
// left there is a dead gateway's. The error is [ErrGroup], or that of the folder.
func Listen(o Options) (*Listener, error) {
	members, err := groupOf(o.Group)
	if err != nil {
		return nil, err
	}
	path, release, err := Path(o.StateDir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		release()
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		err = members.open(o.StateDir, path)
	}
	if err != nil {
		if l != nil {
			_ = l.Close()
		}
		release()
		return nil, err
	}
	return &Listener{
		UnixListener: l, o: o, group: members, strangers: make(chan struct{}, maxStrangers), release: release,
	}, nil
}

// Release waits for those that are turned away, after the listener was closed.
func (l *Listener) Release() {
	l.turned.Wait()
	l.release()
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if err := l.group.admits(conn); err != nil {
			l.o.Log.Warn().Err(err).Msg("an admin connection was refused")
			l.o.Note(audit.Row{Kind: audit.KindOperator, Outcome: "refused", Detail: err.Error()})
			l.turnAway(conn, err)
			continue
		}
		select {
		case l.o.Slots <- struct{}{}:
			return conn, nil
		default:
			_ = conn.Close()
		}
	}
}

// turnAway answers a stranger's request with the reason, and closes the connection. Of several
// at a time the rest get no answer.
func (l *Listener) turnAway(conn net.Conn, reason error) {
	select {
	case l.strangers <- struct{}{}:
	default:
		_ = conn.Close()
		return
	}
	l.turned.Go(func() {
		defer func() { <-l.strangers }()
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(strangerTime)) // one that fails shows at the read
		r, err := http.ReadRequest(bufio.NewReader(io.LimitReader(conn, maxRequest)))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // what is left unread would break the answer off
		body, err := json.Marshal(map[string]any{"error": map[string]string{"code": "forbidden", "message": reason.Error()}})
		if err != nil {
			return
		}
		refusal := http.Response{
			StatusCode: http.StatusForbidden, ProtoMajor: 1, ProtoMinor: 1, Request: r, Close: true, ContentLength: int64(len(body)),
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		}
		_ = refusal.Write(conn) // a stranger that is gone needs none
	})
}

// The bounds of connections that are turned away.
const (
	maxStrangers = 4
	strangerTime = time.Second
	maxRequest   = 1 << 20
)

// peerKey finds the user at the other end of a connection in the context of its requests.
type peerKey struct{}

// WithPeer keeps the user at the other end of a connection.
func WithPeer(ctx context.Context, conn net.Conn) context.Context {
	own, ok := conn.(*net.UnixConn)
	if !ok {
		return ctx
	}
	user, err := peerOf(own)
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, user)
}

// Peer is the user id at the other end of a request over the socket; false for any other one.
func Peer(ctx context.Context) (uid int, ok bool) {
	uid, ok = ctx.Value(peerKey{}).(int)
	return uid, ok
}

// peerOf is the user at the other end of a connection.
func peerOf(conn *net.UnixConn) (id int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	var credErr error
	if err := raw.Control(func(fd uintptr) { id, credErr = peerUser(int(fd)) }); err != nil {
		return -1, err
	}
	return id, credErr
}
