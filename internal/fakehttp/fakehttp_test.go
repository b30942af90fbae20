package fakehttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/internal/fakehttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnswersAreWholeOrCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cut  int
		want string
		err  error
	}{{0, `{"n":1}`, nil}, {3, `{"n`, io.ErrUnexpectedEOF}, {7, `{"n":1}`, nil}} {
		srv, err := fakehttp.Start(t.Context(), "", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fakehttp.WriteJSON(w, http.StatusTeapot, map[string]int{"n": 1}, c.cut)
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: &http.Transport{}}
		resp, err := client.Get(srv.URL())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if string(got) != c.want || !errors.Is(err, c.err) || resp.StatusCode != http.StatusTeapot {
			t.Errorf("cut %d: %d %q, %v", c.cut, resp.StatusCode, got, err)
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, c := range []struct{ d, took time.Duration }{{-1, 0}, {time.Second, time.Second}, {time.Hour, time.Minute - time.Second}} {
			start := time.Now()
			whole := fakehttp.Pause(ctx, c.d)
			if took := time.Since(start); took != c.took || whole != (c.d <= c.took) {
				t.Errorf("a pause of %v took %v: %t", c.d, took, whole)
			}
		}
	})
}

func TestNobodyMissesAChange(t *testing.T) {
	t.Parallel()
	var changes fakehttp.Changes
	var n atomic.Int64
	go func() {
		for range 1000 {
			n.Add(1)
			changes.Wake()
		}
	}()
	if err := changes.Until(t.Context(), func() bool { return n.Load() == 1000 }); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := changes.Until(ctx, func() bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
