package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/prefix"
	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// hi measures the request of "hi" on the fresh chat of an owner, the console, by part.
func hi(ctx context.Context, p place) ([]report.Figure, error) {
	requests, err := p.talk(ctx, func(ctx context.Context, gw *rig.Gateway) error {
		cmd := gw.Command(ctx, nil, "chat")
		cmd.Stdin = strings.NewReader("hi\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("hi: %w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(requests) != 1 {
		return nil, fmt.Errorf("hi: %d requests", len(requests))
	}
	parts := requests[0].Parts()
	figures := []report.Figure{report.AtMost(`request of "hi"`, float64(parts.All()), 7700, "bytes")}
	for _, part := range []struct {
		name  string
		bytes int
	}{{"tools", parts.Tools}, {"system message", parts.System}, {"message", parts.Messages}, {"rest", parts.Rest}} {
		figures = append(figures, report.Told(`request of "hi": `+part.name, float64(part.bytes), "bytes"))
	}
	return append(figures, report.Told(`request of "hi", estimated`, float64(prefix.Tokens(parts.All())), "tokens")), nil
}

// talk lets a gateway talk to a model in this process, and gives the model's requests.
func (p place) talk(ctx context.Context, work func(context.Context, *rig.Gateway) error) ([]*prefix.Request, error) {
	var mu sync.Mutex
	var bodies [][]byte
	model := fakemodel.NewHandler(fakemodel.Options{Keep: -1, Script: func(req fakemodel.Request) fakemodel.Answer {
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, req.Body)
		return fakemodel.Say("hello")
	}})
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	srv := &http.Server{Handler: model.Handler(), ReadHeaderTimeout: time.Minute}
	defer srv.Close()
	go func() { _ = srv.Serve(ln) }()
	dir, err := os.MkdirTemp(p.dir, "talk")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	gw, err := rig.NewGateway(p.gateway, dir, rig.Config{ModelURL: "http://" + ln.Addr().String() + "/v1"})
	if err != nil {
		return nil, err
	}
	if err := work(ctx, gw); err != nil {
		return nil, err
	}
	if err := srv.Close(); err != nil {
		return nil, fmt.Errorf("close: %w", err)
	}
	mu.Lock()
	defer mu.Unlock()
	requests := make([]*prefix.Request, len(bodies))
	for i, body := range bodies {
		if requests[i], err = prefix.Read(body); err != nil {
			return nil, err
		}
	}
	return requests, nil
}
