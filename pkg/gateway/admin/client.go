package admin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"parley/pkg/gateway/socket"
	"parley/pkg/session/bolt"
)

// ErrNotRunning is for a state folder that no gateway answers for.
var ErrNotRunning = errors.New(textNotRunning)

// errBrokenOff is for a gateway that took the connection and gave no whole answer.
var errBrokenOff = errors.New(textBrokeOff)

// Here does an operation in this process.
type Here func(ctx context.Context, take func(json.RawMessage) error) error

// Ask does an operation in the gateway that runs on a state folder, or by here without
// one. The values of a read-only operation may be taken slowly: they do not hold up the
// gateway or the store.
func Ask(ctx context.Context, stateDir string, op Operation, r Request, take func(json.RawMessage) error, here Here) error {
	ask := func(ctx context.Context, take func(json.RawMessage) error) error {
		return askOr(ctx, stateDir, op, r, take, here)
	}
	if op.Audited {
		return ask(ctx, take)
	}
	return spooled(ctx, take, ask)
}

func askOr(ctx context.Context, stateDir string, op Operation, r Request, take func(json.RawMessage) error, here Here) error {
	err := askRunning(ctx, stateDir, op, r, take)
	if !errors.Is(err, ErrNotRunning) {
		return Failed(err)
	}
	if op.OnFiles != nil {
		here = func(ctx context.Context, take func(json.RawMessage) error) error {
			return StoreError(op.OnFiles(ctx, stateDir, EmitTo(take)))
		}
	}
	done := here(ctx, take)
	if !errors.Is(done, bolt.ErrLocked) {
		return done
	}
	// A gateway was starting: it has its socket by now, or is another kind of owner.
	if err = askRunning(ctx, stateDir, op, r, take); errors.Is(err, ErrNotRunning) {
		return done
	}
	return Failed(err)
}

// askRunning does an operation in the running gateway.
func askRunning(ctx context.Context, stateDir string, op Operation, r Request, take func(json.RawMessage) error) error {
	path, release, err := socket.Path(stateDir)
	if errors.Is(err, os.ErrNotExist) {
		return ErrNotRunning
	}
	if err != nil {
		return StoreError(bolt.LookError(stateDir, err))
	}
	defer release()
	body, err := json.Marshal(message{Protocol: protocol, Op: op.Name, Args: r})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gateway"+operationsPath, bytes.NewReader(body))
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{Timeout: requestTime}).DialContext(ctx, "unix", path)
		},
	}}
	resp, err := client.Do(req)
	if err != nil {
		return unreached(stateDir, path, err)
	}
	defer resp.Body.Close()
	return readAnswer(resp, take)
}

// unreached tells apart a gateway that does not run, one out of reach, and one that
// took the connection.
func unreached(stateDir, path string, err error) error {
	dial, ok := errors.AsType[*net.OpError](err)
	switch {
	case !ok || dial.Op != "dial":
		return errBrokenOff
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED):
		return ErrNotRunning
	case errors.Is(err, os.ErrPermission):
		if _, folder := os.Lstat(path); folder != nil { // not even seen
			path = stateDir
		}
		return StoreError(bolt.LookError(path, os.ErrPermission))
	default:
		return fmt.Errorf(textUnreachable, dial)
	}
}

// refusedWith is the error of a gateway that did not do the operation.
func refusedWith(resp *http.Response) error {
	var body struct{ Error struct{ Message string } }
	err := json.NewDecoder(io.LimitReader(resp.Body, maxRequest)).Decode(&body)
	if err != nil || body.Error.Message == "" {
		return errBrokenOff
	}
	return errors.New(body.Error.Message)
}

// readAnswer hands the values of an answer on, up to its end or its error.
func readAnswer(resp *http.Response, take func(json.RawMessage) error) error {
	if resp.StatusCode != http.StatusOK {
		return refusedWith(resp)
	}
	dec := json.NewDecoder(resp.Body)
	for {
		var line answerLine
		if err := dec.Decode(&line); err != nil {
			return errBrokenOff
		}
		switch {
		case line.Error != "":
			return WithCode(cmp.Or(line.Code, CodeFailed), errors.New(line.Error))
		case line.Done:
			return nil
		}
		if err := take(line.Value); err != nil {
			return err
		}
	}
}
