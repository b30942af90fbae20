package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session/bolt"
)

// The admin socket speaks lines of JSON: one request, then one line per value
// of the answer, then a line that says that it is whole or what went wrong.
const (
	// The protocol that both sides speak, or they do not speak.
	adminProtocol = 1
	// The bounds of a request, and of those under way.
	maxAdminRequest = 1 << 20
	maxAdminConns   = 16
	// The longest that reading a request or connecting may take.
	adminTime = 5 * time.Second
	// The longest that writing one line of an answer may take.
	adminWrite = 30 * time.Second
	// What a socket's address can hold.
	maxSocketPath = 100
)

type adminRequest struct {
	Protocol int      `json:"protocol"`
	Op       string   `json:"op"`
	Args     deskArgs `json:"args"`
}

type adminLine struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
	// Code is the exit code of an error that has one.
	Code int  `json:"code,omitempty"`
	Done bool `json:"done,omitempty"`
}

// adminServer answers the operator's commands.
type adminServer struct {
	listener *net.UnixListener
	release  func()
	do       func(ctx context.Context, op string, args deskArgs, emit emitter) error
	redact   func(string) string
	log      zerolog.Logger
	slots    chan struct{}
}

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

// listenAdmin opens the socket. Whoever holds the store owns the state folder,
// so that a socket left there is a dead gateway's.
func listenAdmin(a *App) (*adminServer, error) {
	path, release, err := socketPath(a.cfg.StateDir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { //nolint:gosec // the operator names the folder
		release()
		return nil, storeError(bolt.DirError(a.cfg.StateDir, err))
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		const private = 0o600
		err = os.Chmod(path, private) //nolint:gosec // the operator names the folder
	}
	if err != nil {
		if l != nil {
			_ = l.Close()
		}
		release()
		return nil, storeError(bolt.DirError(a.cfg.StateDir, err))
	}
	return &adminServer{
		listener: l, release: release, do: a.desk, redact: a.redactor.Redact, log: a.log,
		slots: make(chan struct{}, maxAdminConns),
	}, nil
}

// serve answers until ctx ends; then it waits for the operations under way,
// whose contexts end too.
func (s *adminServer) serve(ctx context.Context) {
	defer s.release()
	defer context.AfterFunc(ctx, func() { _ = s.listener.Close() })()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if ctx.Err() == nil {
				s.log.Error().Err(err).Msg("the admin socket ended")
			}
			_ = s.listener.Close()
			return
		}
		select {
		case s.slots <- struct{}{}:
		default:
			_ = conn.Close()
			continue
		}
		wg.Go(func() {
			defer func() { <-s.slots }()
			s.answer(ctx, conn)
		})
	}
}

func (s *adminServer) answer(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := sameUser(conn); err != nil {
		s.log.Warn().Err(err).Msg("an admin connection was refused")
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(adminTime)) // a failure shows at the read
	var req adminRequest
	line, err := bufio.NewReader(io.LimitReader(conn, maxAdminRequest)).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &req)
	}
	if err != nil {
		s.log.Warn().Err(err).Msg("an admin request cannot be read")
		return
	}
	enc := json.NewEncoder(conn)
	write := func(l adminLine) error {
		_ = conn.SetWriteDeadline(time.Now().Add(adminWrite)) // a failure shows at the write
		return enc.Encode(l)
	}
	if req.Protocol != adminProtocol {
		err = fmt.Errorf("the running gateway speaks admin protocol %d, this command %d: use the same version of both", adminProtocol, req.Protocol)
	} else {
		s.log.Info().Str("op", req.Op).Msg("admin")
		err = s.do(ctx, req.Op, req.Args, func(v any) error {
			raw, err := json.Marshal(v)
			if err != nil {
				return err
			}
			return write(adminLine{Value: raw})
		})
	}
	if err != nil {
		line := adminLine{Error: s.redact(err.Error())}
		if e, ok := errors.AsType[*exitError](err); ok {
			line.Code = e.code
		}
		_ = write(line) // the other side went away
		return
	}
	_ = write(adminLine{Done: true}) // the other side went away
}

// sameUser lets in who runs the gateway, and root.
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
		return fmt.Errorf("user %d may not administer this gateway", user)
	}
	return nil
}

// errNotRunning says that no gateway answers at the socket.
var errNotRunning = errors.New("no gateway is running")

// errBrokenOff says that a gateway took the connection and gave no whole answer.
var errBrokenOff = errors.New("the running gateway broke off its answer: it is stopping, or another user runs it")

// askAdmin does an operation in the running gateway.
func askAdmin(ctx context.Context, stateDir, op string, args deskArgs, take func(json.RawMessage) error) error {
	path, release, err := socketPath(stateDir)
	if errors.Is(err, os.ErrNotExist) {
		return errNotRunning
	}
	if err != nil {
		return storeError(bolt.LookError(stateDir, err))
	}
	defer release()
	conn, err := (&net.Dialer{Timeout: adminTime}).DialContext(ctx, "unix", path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return errNotRunning
	}
	if errors.Is(err, os.ErrPermission) {
		if _, folder := os.Lstat(path); folder != nil { //nolint:gosec // the socket in the configured state folder; not even seen
			path = stateDir
		}
		return storeError(bolt.LookError(path, os.ErrPermission))
	}
	if err != nil {
		return fmt.Errorf("the running gateway cannot be reached: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := json.NewEncoder(conn).Encode(adminRequest{Protocol: adminProtocol, Op: op, Args: args}); err != nil {
		return errBrokenOff
	}
	dec := json.NewDecoder(conn)
	for {
		var line adminLine
		if err := dec.Decode(&line); err != nil {
			return errBrokenOff
		}
		switch {
		case line.Error != "":
			return coded(cmp.Or(line.Code, exitFailed), errors.New(line.Error))
		case line.Done:
			return nil
		}
		if err := take(line.Value); err != nil {
			return err
		}
	}
}
