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

// The protocol of consoles: both sides speak this version, or the gateway refuses.
const (
	ConsoleProtocol = "1"
	// HeaderProtocol is the header of a request with the version.
	HeaderProtocol = "Parley-Console"
	// HeaderLasts is the header of an answer that says how long the gateway lasts.
	HeaderLasts = "Parley-Lasts"
	// LastsLong is a gateway that runs by itself.
	LastsLong = "long"
	// LastsPassing is one that a console runs and ends.
	LastsPassing = "passing"
)

// speaking names the protocol in each request.
type speaking struct{ way http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (s speaking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(HeaderProtocol, ConsoleProtocol)
	return s.way.RoundTrip(r)
}

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
	return &http.Client{Transport: speaking{way}}, func() { way.CloseIdleConnections(); closeFolder() }, nil
}
