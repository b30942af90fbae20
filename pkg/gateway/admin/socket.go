package admin

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rs/zerolog"

	"parley/pkg/session/bolt"
)

// maxSocketPath is the longest path that a socket's address can hold.
const maxSocketPath = 100

// socketPath names the socket in the state folder. Where the path is too long
// for a socket, it goes through an open folder; release closes that.
func socketPath(stateDir string) (path string, release func(), err error) {
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

// listenSocket opens the socket. A gateway that holds the store owns the state folder,
// so that a socket left there is a dead gateway's.
func listenSocket(stateDir string) (l *net.UnixListener, release func(), err error) {
	path, release, err := socketPath(stateDir)
	if err != nil {
		return nil, nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		release()
		return nil, nil, StoreError(bolt.DirError(stateDir, err))
	}
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		const private = 0o600
		err = os.Chmod(path, private)
	}
	if err != nil {
		if l != nil {
			_ = l.Close()
		}
		release()
		return nil, nil, StoreError(bolt.DirError(stateDir, err))
	}
	return l, release, nil
}

// ownListener accepts the connections of the gateway's own user and of root, as many
// as there are slots, and closes all others.
type ownListener struct {
	*net.UnixListener

	log zerolog.Logger
	// slots has one for each connection; the server takes it out at the end.
	slots chan struct{}
}

// Accept implements [net.Listener].
func (l ownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if err := sameUser(conn); err != nil {
			l.log.Warn().Err(err).Msg("an admin connection was refused")
			_ = conn.Close()
			continue
		}
		select {
		case l.slots <- struct{}{}:
			return conn, nil
		default:
			_ = conn.Close()
		}
	}
}

// sameUser is an error for a connection of another user, unless that is root.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	user, credErr := -1, error(nil)
	if err := raw.Control(func(fd uintptr) { user, credErr = peerUser(int(fd)) }); err != nil {
		return err
	}
	if credErr != nil {
		return credErr
	}
	if user != os.Getuid() && user != 0 {
		return fmt.Errorf(textNotAdmin, user)
	}
	return nil
}
