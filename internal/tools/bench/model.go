package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"parley/internal/test/rig"
)

// serveModel is the model's process: it prints its address and serves until it is killed.
func serveModel(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("model: two arguments, the delay of an answer and that between its pieces")
	}
	delay, err := time.ParseDuration(args[0])
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	pieces, err := time.ParseDuration(args[1])
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	m := rig.NewModel(delay)
	m.Pieces = pieces
	mux := http.NewServeMux()
	mux.Handle("/v1/", m)
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		s := modelStats{Spent: map[string]int64{}, First: map[string]int64{}}
		for nonce, d := range m.Spent() {
			s.Spent[nonce] = int64(d)
		}
		for nonce, at := range m.First() {
			s.First[nonce] = at.UnixNano()
		}
		s.Violations = m.Violations()
		_ = json.NewEncoder(w).Encode(s) // a client that has gone does not care
	})
	fmt.Fprintln(out, "http://"+ln.Addr().String())
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}
