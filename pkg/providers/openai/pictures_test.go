package openai_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
)

// picture is an image with data in its file.
func picture(data string) providers.Image {
	return providers.Image{MIME: "image/png", Path: "inbox/a.png", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader(data)), int64(len(data)), nil
	}}
}

// TestPicturesArriveWhole has sizes round the pieces in which files are read.
func TestPicturesArriveWhole(t *testing.T) {
	t.Parallel()
	var got []providers.Image
	srv := serve(t, func(r fakemodel.Request) fakemodel.Answer {
		got = r.Messages[0].Images
		return fakemodel.Say("seen")
	})
	p := provider(t, srv.URL(), func(o *openai.Options) { o.Images = true })
	const piece = 3 << 12
	for _, size := range []int{1, 2, 3, piece - 1, piece, piece + 1, 3*piece + 2} {
		data := string(bytes.Repeat([]byte{0, 1, 0xFF, 7}, size/4+1)[:size])
		m := providers.Message{Role: "user", Content: "look", Images: []providers.Image{picture(data), picture("b")}}
		if _, err := p.Chat(t.Context(), []providers.Message{m}, nil, "m", nil); err != nil {
			t.Fatal(err)
		}
		want := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(data))
		if len(got) != 2 || got[0].URL != want || !strings.HasSuffix(got[1].URL, ",Yg==") {
			t.Errorf("%d bytes arrive as %d pictures", size, len(got))
		}
	}
}

// TestPicturesOfARequestAreBounded: the newest go along.
func TestPicturesOfARequestAreBounded(t *testing.T) {
	t.Parallel()
	const each = 4 << 20
	var said string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		said = string(b)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"seen"},"finish_reason":"stop"}]}`)
	}))
	defer srv.Close()
	p := provider(t, srv.URL, func(o *openai.Options) { o.Images = true })
	for name, c := range map[string]struct {
		pictures, bytes, sent int
	}{
		"bytes": {8, each, 5},
		"count": {60, 10, 50},
	} {
		var all []providers.Message
		for i := range c.pictures {
			all = append(all,
				providers.Message{
					Role:    "user",
					Content: fmt.Sprint("picture ", i, "."),
					Images:  []providers.Image{picture(strings.Repeat("x", c.bytes))},
				})
		}
		if _, err := p.Chat(t.Context(), all, nil, "m", nil); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(said, "data:image/png"); n != c.sent {
			t.Errorf("%s: %d pictures are sent, want %d", name, n, c.sent)
		}
		old := fmt.Sprintf(`picture %d.\n[a picture that is no longer shown]`, c.pictures-c.sent-1)
		if !strings.Contains(said, old) || strings.Count(said, "no longer shown") != c.pictures-c.sent {
			t.Errorf("%s: what is left out is not said", name)
		}
	}
}

// TestPicturesTakeNoMemory asks with many of them at once.
func TestPicturesTakeNoMemory(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	var peak atomic.Uint64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := io.Copy(io.Discard, r.Body); err != nil || n < 20<<20 {
			t.Errorf("%d bytes, %v", n, err)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		peak.Store(max(peak.Load(), m.HeapAlloc))
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"seen"},"finish_reason":"stop"}]}`)
	}))
	defer srv.Close()
	p := provider(t, srv.URL, func(o *openai.Options) { o.Images = true })
	zeroes := providers.Image{MIME: "image/png", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(zero{}), 5 << 20, nil
	}}
	m := []providers.Message{{Role: "user", Images: []providers.Image{zeroes, zeroes, zeroes, zeroes}}}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var failed [4]error
	done := make(chan struct{})
	for i := range failed {
		go func() {
			_, failed[i] = p.Chat(t.Context(), m, nil, "m", nil)
			done <- struct{}{}
		}()
	}
	for range failed {
		<-done
	}
	if err := errors.Join(failed[:]...); err != nil {
		t.Fatal(err)
	}
	if grown := int64(peak.Load()) - int64(before.HeapAlloc); grown > 10<<20 {
		t.Errorf("four requests of 20 MB of pictures held %d MB", grown>>20)
	}
}

// zero is a file of zeroes without end.
type zero struct{}

// Read implements [io.Reader].
func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestPictureThatChangesWhileItIsSent fails the request, which is worth another.
func TestPictureThatChangesWhileItIsSent(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("seen") })
	p := provider(t, srv.URL(), func(o *openai.Options) { o.Images = true })
	cut := providers.Image{MIME: "image/png", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("short")), 1000, nil
	}}
	_, err := p.Chat(t.Context(), []providers.Message{{Role: "user", Content: "look", Images: []providers.Image{cut}}}, nil, "m", nil)
	pe, ok := errors.AsType[*providers.Error](err)
	if !ok || !pe.Retryable() {
		t.Errorf("%v", err)
	}
}
