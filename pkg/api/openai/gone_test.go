package openai_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/faces"
	"parley/pkg/providers"
)

// TestAClientThatGoesIsNoFault of the gateway, also where its request waits for a place.
func TestAClientThatGoesIsNoFault(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var log bytes.Buffer
	reached, goOn := make(chan struct{}, 64), make(chan struct{})
	w := newLoggedWorld(t, zerolog.New(locked{&mu, &log}), func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		reached <- struct{}{}
		<-goOn
		return faces.Says("done ")
	})
	var asked sync.WaitGroup
	for range 16 { // one person has no more
		asked.Go(func() { askWith(t.Context(), t, w, "/responses", strings.NewReader(input("wait"))) })
	}
	for range 16 {
		<-reached
	}
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			req, err := faces.Request(ctx, http.MethodPost, w.URL+"/v1/responses", "ada", input("go"))
			if err != nil {
				t.Error(err)
				return
			}
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-time.After(50 * time.Millisecond)
		cancel()
		<-gone
	}
	close(goOn)
	asked.Wait()
	w.Stop()
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), "failed") {
		t.Errorf("the log has %s", log.String())
	}
}

// locked is a writer behind a lock.
type locked struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

// Write implements [io.Writer].
func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}
