package socket

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	// Group is the name or the number of the group whose members may use it too; "" is none.
	Group string
	// Most is how many connections may be open.
	Most int
	// Note writes a row to the audit log.
	Note func(audit.Row)
	Log  zerolog.Logger
}

// Listener accepts the connections of the gateway's own user, of root and of a group, as many as
// there are places, and turns all others away.
type Listener struct {
	*net.UnixListener

	o      Options
	group  *group
	places *places
	// strangers has one for each connection that is being turned away.
	strangers chan struct{}
	turned    sync.WaitGroup
	refusals  refusals
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
		UnixListener: l, o: o, group: members, places: newPlaces(o.Most), strangers: make(chan struct{}, maxStrangers), release: release,
	}, nil
}

// Release waits for those that are turned away, after the listener was closed.
func (l *Listener) Release() {
	l.turned.Wait()
	l.release()
}

// conn is an accepted connection, which keeps its place until it is closed.
type conn struct {
	*net.UnixConn

	peer  Peer
	leave func()
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.leave()
	return c.UnixConn.Close()
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		peer, err := peerOf(c)
		if err == nil {
			err = l.group.admits(&peer)
		}
		switch {
		case err != nil:
			l.refused(peer.UID, err)
			l.turnAway(c, http.StatusForbidden, "forbidden", err.Error())
		case !l.places.take(peer.UID):
			l.turnAway(c, http.StatusServiceUnavailable, "too_many", textFull)
		default:
			return &conn{c, peer, sync.OnceFunc(func() { l.places.leave(peer.UID) })}, nil
		}
	}
}

// refused writes down that a user was turned away.
func (l *Listener) refused(uid int, reason error) {
	more, noted := l.refusals.note(time.Now())
	if !noted {
		return
	}
	detail := reason.Error()
	if more > 0 {
		detail += fmt.Sprintf(textMoreRefused, more)
	}
	l.o.Log.Warn().Msg("an admin connection was refused: " + detail)
	l.o.Note(audit.Row{Kind: audit.KindOperator, Sender: Name(uid), Outcome: "refused", Detail: detail})
}

// Name is a user in the audit log.
func Name(uid int) string { return "uid/" + strconv.Itoa(uid) }

// refusals bound the rows about users who are turned away: they may try as often as they like.
type refusals struct {
	since       time.Time
	noted, kept int
}

// The rows of so much time.
const (
	refusalTime = time.Minute
	maxRefusals = 16
)

// note says whether a refusal is written down, with how many before that were not. It is called by
// one goroutine.
func (r *refusals) note(now time.Time) (more int, noted bool) {
	if now.Sub(r.since) >= refusalTime {
		r.since, r.noted = now, 0
	}
	if r.noted >= maxRefusals {
		r.kept++
		return 0, false
	}
	r.noted++
	more, r.kept = r.kept, 0
	return more, true
}

// turnAway answers a request with the reason, and closes the connection. Of several
// at a time the rest get no answer.
func (l *Listener) turnAway(c net.Conn, status int, code, reason string) {
	select {
	case l.strangers <- struct{}{}:
	default:
		_ = c.Close()
		return
	}
	l.turned.Go(func() {
		defer func() { <-l.strangers }()
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(strangerTime)) // one that fails shows at the read
		r, err := http.ReadRequest(bufio.NewReader(io.LimitReader(c, maxRequest)))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // what is left unread would break the answer off
		body, err := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": reason}})
		if err != nil {
			return
		}
		refusal := http.Response{
			StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Close: true, ContentLength: int64(len(body)),
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		}
		_ = refusal.Write(c) // a stranger that is gone needs none
	})
}

// The bounds of connections that are turned away.
const (
	maxStrangers = 4
	strangerTime = time.Second
	maxRequest   = 1 << 20
)
