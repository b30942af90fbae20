package providertest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/providers"
)

// scripted gives a provider whose server answers each question with the newest script.
func scripted(t *testing.T, h HTTP) (p providers.LLMProvider, script func(http.HandlerFunc)) {
	t.Helper()
	var now atomic.Pointer[http.HandlerFunc]
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { (*now.Load())(w, r) })
	return h.Connect(t, Server{URL: url}), func(f http.HandlerFunc) { now.Store(&f) }
}

// checkPieces sends streams in pieces, and with the parts that event streams may have.
func checkPieces(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	frames := h.Answer(full(), true)
	plain := strings.Join(frames, "")
	for name, body := range map[string]string{
		"as it is":       plain,
		"CRLF":           strings.ReplaceAll(plain, "\n", "\r\n"),
		"comments":       ": hello\n\n" + strings.Join(frames, ": still here\n\nretry: 5\n\n"),
		"a mark of UTF8": "\xef\xbb\xbf" + plain,
		"no space":       strings.ReplaceAll(plain, "data: ", "data:"),
	} {
		for _, size := range []int{1, 3, 7, len(body)} {
			script(func(w http.ResponseWriter, _ *http.Request) {
				begin(w, true)
				for rest := body; rest != ""; {
					n := min(size, len(rest))
					if !write(w, rest[:n]) {
						return
					}
					rest = rest[n:]
				}
			})
			resp, events, err := ask(t, t.Context(), p, true, Question())
			if err != nil {
				t.Errorf("%s, in pieces of %d: %v", name, size, err)
				continue
			}
			h.same(t, full(), resp)
			if got := shown(events); got != resp.Content {
				t.Errorf("%s: emitted %q, answered %q", name, got, resp.Content)
			}
		}
	}
}

// checkTypes sends streams with another type than their own, as some servers do.
func checkTypes(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	for _, kind := range []string{"text/plain; charset=utf-8", "application/octet-stream", "text/EVENT-stream;x=y", "nonsense/"} {
		for _, head := range []string{"", ": hello\n\n", "id: 1\n"} {
			script(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				write(w, head+strings.Join(h.Answer(full(), true), ""))
			})
			if resp, _, err := ask(t, t.Context(), p, true, Question()); err != nil {
				t.Errorf("a stream of the type %q that begins with %q: %v", kind, head, err)
			} else {
				h.same(t, full(), resp)
			}
		}
	}
}

// shown is the text that events leave on a display.
func shown(events []providers.StreamEvent) (text string) {
	for _, e := range events {
		switch e := e.(type) {
		case providers.TextDelta:
			text += e.Text
		case providers.Restart:
			text = ""
		}
	}
	return text
}

// checkOtherForm has servers stream unasked, and answer whole where a stream was asked for.
func checkOtherForm(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	for _, streams := range []bool{true, false} {
		script(func(w http.ResponseWriter, _ *http.Request) {
			begin(w, streams)
			write(w, strings.Join(h.Answer(full(), streams), ""))
		})
		resp, events, err := ask(t, t.Context(), p, !streams, Question())
		if err != nil {
			t.Errorf("streams %v: %v", streams, err)
			continue
		}
		h.same(t, full(), resp)
		if got := shown(events); !streams && got != resp.Content {
			t.Errorf("emitted %q, answered %q", got, resp.Content)
		}
	}
}

// checkCuts ends streams at each frame's edges and within it, properly and not. The
// caller gets the whole answer or an error that is worth another try.
func checkCuts(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	frames := h.Answer(full(), true)
	body, failed := strings.Join(frames, ""), 0
	from := 0
	for n, frame := range frames {
		for _, at := range []int{0, 1, len(frame) / 3, len(frame) / 2, len(frame) - 3, len(frame) - 1} {
			for _, breaks := range []bool{false, true} {
				script(func(w http.ResponseWriter, _ *http.Request) {
					begin(w, true)
					write(w, body[:from+at])
					if breaks {
						panic(http.ErrAbortHandler)
					}
				})
				resp, events, err := ask(t, t.Context(), p, true, Question())
				if !strings.HasPrefix(full().Content, shown(events)) {
					t.Errorf("frame %d, byte %d: emitted %q", n, at, shown(events))
				}
				if err == nil {
					h.same(t, full(), resp)
					continue
				}
				failed++
				if f := typed(t, resp, err); f.Kind != providers.KindCut || !f.Retryable() {
					t.Errorf("frame %d, byte %d, breaks %v: %v", n, at, breaks, err)
				}
			}
		}
		from += len(frame)
	}
	if failed < len(frames) {
		t.Errorf("%d of %d cuts were noticed", failed, 12*len(frames))
	}
	whole := strings.Join(h.Answer(full(), false), "")
	for _, at := range []int{0, 1, len(whole) / 2, len(whole) - 2} {
		script(func(w http.ResponseWriter, _ *http.Request) {
			begin(w, false)
			write(w, whole[:at])
		})
		resp, _, err := ask(t, t.Context(), p, false, Question())
		if f := typed(t, resp, err); f.Kind != providers.KindCut {
			t.Errorf("a whole answer that ends at byte %d: %v", at, err)
		}
	}
}

// checkBrokenFrames puts frames that no protocol has in place of each frame.
func checkBrokenFrames(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	frames := h.Answer(full(), true)
	for n := range frames {
		for _, frame := range []string{"data: {\n\n", "data: \xff\xfe\n\n", "data: [[[\n\n", "data: \"text\"\n\n", "data: 7\n\n"} {
			script(func(w http.ResponseWriter, _ *http.Request) {
				begin(w, true)
				write(w, strings.Join(frames[:n], "")+frame+strings.Join(frames[n+1:], ""))
			})
			resp, _, err := ask(t, t.Context(), p, true, Question())
			if err == nil { // the frame carried no content, or the answer was complete before
				h.same(t, full(), resp)
			} else if f := typed(t, resp, err); !f.Retryable() {
				t.Errorf("%q as frame %d: %v", frame, n, err)
			}
		}
	}
}

// checkLate reports an error before each frame but the last ones: the answer is void.
func checkLate(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	frames := h.Answer(full(), true)
	for n := range len(frames) / 2 {
		script(func(w http.ResponseWriter, _ *http.Request) {
			begin(w, true)
			write(w, strings.Join(frames[:n], "")+h.Late("something broke")+strings.Join(frames[n:], ""))
		})
		resp, _, err := ask(t, t.Context(), p, true, Question())
		if f := typed(t, resp, err); !strings.Contains(fmt.Sprint(f), "something broke") {
			t.Errorf("before frame %d: %v", n, err)
		}
	}
}
