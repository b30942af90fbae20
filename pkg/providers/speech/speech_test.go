package speech_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/speech"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a scripted server, and a provider that asks it.
func server(t *testing.T, o fakemodel.Options) (*fakemodel.Server, *speech.Provider) {
	t.Helper()
	srv := fakemodel.New(o)
	p := speech.New(speech.Options{BaseURL: srv.URL(), Key: func() string { return "k" }})
	t.Cleanup(func() { p.Close(); srv.Close() })
	return srv, p
}

func recording(data []byte) *providers.Recording {
	return &providers.Recording{
		Name: "recording.ogg", Size: int64(len(data)), Seconds: 7,
		Open: func() (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
		},
	}
}

func ask(t *testing.T, p *speech.Provider, rec *providers.Recording) (*providers.LLMResponse, error) {
	t.Helper()
	options := map[string]any{providers.OptionRecording: rec}
	if rec == nil {
		options = nil
	}
	return p.Chat(t.Context(), nil, nil, "whisper-1", options)
}

// TestTranscripts sends the form that servers take, and reads words and lengths.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	srv, p := server(t, fakemodel.Options{Key: "k", Hear: func(r fakemodel.Recording) fakemodel.Answer {
		a := fakemodel.Hear(r)
		if r.Language != "" {
			a.Usage.Seconds = 3
		}
		return a
	}})
	data := fakemodel.Sound(" hello there ", 7)
	resp, err := ask(t, p, recording(data))
	if err != nil || resp.Content != "hello there" || resp.Usage.Seconds != 7 {
		t.Errorf("%+v, %v", resp, err)
	}
	german := recording(data)
	german.Language = "de"
	if resp, err = ask(t, p, german); err != nil || resp.Usage.Seconds != 3 {
		t.Errorf("with the server's own length: %+v, %v", resp, err)
	}
	got := srv.Transcriptions()
	if len(got) != 2 || !bytes.Equal(got[0].Data, data) || got[1].Language != "de" ||
		got[0].Name != "recording.ogg" || got[0].Model != "whisper-1" {
		t.Errorf("the server has %+v", got)
	}
	if v := srv.Violations(); len(v) > 0 {
		t.Errorf("against the rules: %q", v)
	}
}

// TestTranscriptFailures have a kind each; an answer without an end is given up.
func TestTranscriptFailures(t *testing.T) {
	t.Parallel()
	srv, p := server(t, fakemodel.Options{Key: "k"})
	changed := recording(fakemodel.Sound("x", 1))
	changed.Size++
	huge := recording(make([]byte, speech.MaxSize+1))
	for name, c := range map[string]struct {
		rec  *providers.Recording
		want providers.ErrorKind
	}{
		"refused key":  {recording(fakemodel.Sound("deny", 1)), providers.KindAuth},
		"endless":      {recording(fakemodel.Sound("endless", 1)), providers.KindInvalid},
		"changed":      {changed, providers.KindTooLong},
		"too large":    {huge, providers.KindTooLong},
		"no recording": {nil, providers.KindInvalid},
	} {
		_, err := ask(t, p, c.rec)
		if pe, ok := errors.AsType[*providers.Error](err); !ok || pe.Kind != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for i, r := range srv.Transcriptions() {
		if len(r.Data) > 100 {
			t.Errorf("request %d has %d bytes", i, len(r.Data))
		}
	}
}

// TestTranscriptForms reads the answers of further servers, and gives up on what is none.
func TestTranscriptForms(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"text":"a","usage":{"type":"tokens","input_tokens":14,"output_tokens":101}}`: "a",
		`{"text":" b\n","duration":2.5,"segments":[]}`:                                 "b",
		`{"text":"c","x_groq":{"id":"r"}}`:                                             "c",
		`{"text":""}`:                                                                  "",
		`{"error":"no audio"}`:                                                         "an error",
		`not json`:                                                                     "an error",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		p := speech.New(speech.Options{BaseURL: srv.URL})
		resp, err := p.Chat(context.Background(), nil, nil, "m", map[string]any{providers.OptionRecording: recording([]byte("OggS"))})
		p.Close()
		srv.Close()
		if err != nil {
			resp = &providers.LLMResponse{Content: "an error"}
		}
		if resp.Content != want {
			t.Errorf("%s: %q, %v", body, resp.Content, err)
		}
	}
}

// TestTranscriptLengths has words in the place of numbers cost no answer: the length is then the
// recording's own.
func TestTranscriptLengths(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"text":"a","duration":2.5}`:                                   3,
		`{"text":"a","duration":"2.5"}`:                                 3,
		`{"text":"a","duration":"2:30","usage":{"seconds":null}}`:       7,
		`{"text":"a","duration":{"seconds":4},"usage":{"seconds":[1]}}`: 7,
		`{"text":"a","duration":"Inf","usage":{"seconds":"NaN"}}`:       7,
		`{"text":"a","duration":-4,"usage":"none"}`:                     7,
		`{"text":"a","duration":4,"usage":[]}`:                          4,
		`{"text":"a","usage":{"seconds":5,"input_tokens":"many"}}`:      5,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		p := speech.New(speech.Options{BaseURL: srv.URL})
		resp, err := ask(t, p, recording([]byte("OggS")))
		p.Close()
		srv.Close()
		if err != nil || resp.Content != "a" || resp.Usage.Seconds != want {
			t.Errorf("%s: %+v, %v; want %d s", body, resp, err, want)
		}
	}
}

// TestALostRecording is told as one that cannot be read, and reaches no server.
func TestALostRecording(t *testing.T) {
	t.Parallel()
	srv, p := server(t, fakemodel.Options{Key: "k"})
	lost := recording([]byte("OggS"))
	lost.Open = func() (io.ReadCloser, int64, error) { return nil, 0, os.ErrNotExist }
	_, err := ask(t, p, lost)
	pe, ok := errors.AsType[*providers.Error](err)
	if !ok || pe.Kind != providers.KindInvalid || !errors.Is(err, providers.ErrRecording) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if n := len(srv.Transcriptions()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
