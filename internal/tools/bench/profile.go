package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// profiler gives the environment that makes the gateway serve its profiles.
func (s *stage) profiler(ctx context.Context) ([]string, error) {
	if s.profile == "" {
		return nil, nil
	}
	if err := os.MkdirAll(s.profile, 0o700); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	s.pprof = l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return []string{"PARLEY_TEST_PPROF=" + s.pprof}, nil
}

// profileDuring writes a CPU profile of three seconds from f's start on, and
// after f profiles of the memory.
func (s *stage) profileDuring(ctx context.Context, f func() error) error {
	if s.pprof == "" {
		return f()
	}
	done := make(chan error, 1)
	go func() { done <- s.fetch(ctx, "profile?seconds=3", "cpu") }()
	return cmp.Or(f(), <-done, s.fetch(ctx, "allocs", "allocs"), s.fetch(ctx, "heap", "heap"))
}

func (s *stage) fetch(ctx context.Context, what, suffix string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.pprof+"/debug/pprof/"+what, http.NoBody)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	resp, err := s.model.http.Do(req)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	f, err := os.Create(filepath.Join(s.profile, filepath.Base(s.dir)+"."+suffix)) //nolint:gosec // the folder that the command line names
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	_, err = io.Copy(f, resp.Body)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}
