package admin

import (
	"context"
	"net"
	"net/http"
	"os"

	"parley/pkg/gateway/socket"
)

// ConsolePath is the beginning of the paths of consoles on the socket.
const ConsolePath = "/console"

// Attached is a client of the gateway that runs on a state folder, for requests below
// [ConsolePath]; release ends its connections. The error is [ErrNotRunning] where none runs.
func Attached(ctx context.Context, stateDir string) (client *http.Client, release func(), err error) {
	path, closeFolder, err := socket.Path(stateDir)
	if os.IsNotExist(err) {
		return nil, nil, ErrNotRunning
	}
	if err != nil {
		return nil, nil, err
	}
	dial := func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{Timeout: requestTime}).DialContext(ctx, "unix", path)
	}
	conn, err := dial(ctx)
	if err != nil {
		closeFolder()
		return nil, nil, unreached(stateDir, path, err)
	}
	_ = conn.Close() // it was only to see that somebody listens
	way := &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}
	return &http.Client{Transport: way}, func() { way.CloseIdleConnections(); closeFolder() }, nil
}
