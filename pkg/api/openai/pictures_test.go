package openai_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
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

// TestRequestsThatWaitKeepNoPictures: half of these have a turn that waits for the model, the others wait for theirs.
func TestRequestsThatWaitKeepNoPictures(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const requests, size = 32, 400_000
	picture := dataURL(size)
	for path, body := range map[string]string{
		"/chat/completions": fmt.Sprintf(`{"model":"parley","messages":[{"role":"user","content":[
			{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":%q}}]}]}`, picture),
		"/responses": fmt.Sprintf(`{"model":"parley","input":[{"role":"user","content":[
			{"type":"input_text","text":"look"},{"type":"input_image","image_url":%q}]}]}`, picture),
	} {
		whole := t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			goOn := make(chan struct{})
			answer := sync.OnceFunc(func() { close(goOn) })
			defer answer()
			w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
				<-goOn
				return faces.Says("done ")
			})
			ctx, cancel := context.WithTimeout(t.Context(), faces.Patience)
			defer cancel()
			before := heap()
			var done sync.WaitGroup
			for range requests {
				done.Go(func() { askWith(ctx, t, w, path, strings.NewReader(body)) })
			}
			for kept := heap() - before; w.brought.Load() < requests || kept > requests*size/3; kept = heap() - before {
				select {
				case <-ctx.Done():
					t.Fatalf("%d requests, of which %d are read, keep %d MB", requests, w.brought.Load(), kept>>20)
				case <-time.After(50 * time.Millisecond):
				}
			}
			answer()
			done.Wait()
		})
		if !whole {
			return // the other one takes as long
		}
	}
}

// askWith posts a body as Ada, and wants it answered.
func askWith(ctx context.Context, t *testing.T, w *world, path string, body io.Reader) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/v1"+path, body)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer ada")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	if answer, err := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK || err != nil {
		t.Errorf("%d %s: %v", resp.StatusCode, answer, err)
	}
}

// dataURL is a picture of a size.
func dataURL(size int) string {
	data := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", size)
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(data))
}
