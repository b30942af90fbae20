package agui_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/faces"
	"parley/pkg/providers"
)

// heap is what the process keeps.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestRunsKeepNoBodies: while their turns wait for the model, runs have forgotten the conversations
// and the pictures that came with them.
func TestRunsKeepNoBodies(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const runs, size = 24, 1_000_000
	goOn := make(chan struct{})
	answer := sync.OnceFunc(func() { close(goOn) })
	defer answer()
	var begun atomic.Int32
	w := newWorld(t, func([]providers.Message, func(providers.StreamEvent)) *providers.LLMResponse {
		begun.Add(1)
		<-goOn
		return faces.Says("done")
	})
	ctx, cancel := context.WithTimeout(t.Context(), faces.Patience)
	defer cancel()
	before := heap()
	var done sync.WaitGroup
	old := strings.Repeat("x", size)
	for i := range runs {
		head, tail, _ := strings.Cut(body(fmt.Sprint("t", i), "1", "look"), "old")
		done.Go(func() {
			req, err := faces.Request(ctx, http.MethodPost, w.URL+"/agui", "ada", "")
			if err != nil {
				t.Error(err)
				return
			}
			// the test keeps one copy
			req.Body = io.NopCloser(io.MultiReader(strings.NewReader(head), strings.NewReader(old), strings.NewReader(tail)))
			req.ContentLength, req.GetBody = -1, nil
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = resp.Body.Close() }()
			if raw, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(raw), "RUN_FINISHED") {
				t.Errorf("%.200s: %v", raw, err)
			}
		})
	}
	for kept := heap() - before; begun.Load() < runs || kept > runs*size/3; kept = heap() - before {
		select {
		case <-ctx.Done():
			t.Fatalf("%d runs, of which %d are with the model, keep %d MB", runs, begun.Load(), kept>>20)
		case <-time.After(50 * time.Millisecond):
		}
	}
	answer()
	done.Wait()
}
