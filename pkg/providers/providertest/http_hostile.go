package providertest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/providers"
)

// checkEndless has servers that do not stop talking: the answer is refused long before
// its end, so that no more than a limit is ever held.
func checkEndless(t *testing.T, h HTTP) {
	t.Helper()
	const size = 100 << 20
	filler := strings.Repeat("x", 1<<20)
	frames := h.Answer(full(), true)
	for name, c := range map[string]struct {
		stream      bool
		head, piece string
	}{
		"one line":        {true, "data: ", filler},
		"one frame's end": {true, strings.TrimRight(frames[0], "}\r\n"), filler},
		"no lines":        {true, "", filler},
		"many frames":     {true, frames[0], strings.Repeat(frames[1], 1+len(filler)/len(frames[1]))},
		"many comments":   {true, frames[0], strings.Repeat(": x\n\n", len(filler)/5)},
		"a whole answer":  {false, `{"text":"`, filler},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				begin(w, c.stream)
				write(w, c.head)
				for sent.Load() < size {
					n, err := io.WriteString(w, c.piece)
					if err != nil {
						return
					}
					sent.Add(int64(n))
				}
			})
			resp, _, err := ask(t, t.Context(), h.Connect(t, Server{URL: url}), c.stream, Question())
			if f := typed(t, resp, err); f.Kind == "" || f.PersonMessage() == "" {
				t.Errorf("%v", err)
			}
			if got := sent.Load(); got >= size {
				t.Errorf("all %d bytes were read", got)
			}
		})
	}
}

// checkRedirects: a question and its key go where the operator said, nowhere else.
func checkRedirects(t *testing.T, h HTTP) {
	t.Helper()
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other, status)
		})
		p := h.Connect(t, Server{URL: url, Key: "sk-canary-key"})
		for _, stream := range []bool{true, false} {
			resp, _, err := ask(t, t.Context(), p, stream, Question())
			if f := typed(t, resp, err); f.Retryable() || f.Status != status {
				t.Errorf("%d: %v", status, err)
			}
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d questions went elsewhere", n)
	}
}

// checkTooLarge: a request that is larger than the server takes is a conversation that is
// too long, so that the caller shortens it.
func checkTooLarge(t *testing.T, h HTTP) {
	t.Helper()
	p, script := scripted(t, h)
	for _, body := range []string{h.Refusal("request exceeds the maximum size"), "<html>413</html>", ""} {
		script(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			write(w, body)
		})
		resp, _, err := ask(t, t.Context(), p, true, Question())
		if f := typed(t, resp, err); f.Kind != providers.KindTooLong {
			t.Errorf("%v, want %s", err, providers.KindTooLong)
		}
	}
}

// checkSecrets plants a key and credentials, and has servers repeat all that they were
// sent in every error that there is.
func checkSecrets(t *testing.T, h HTTP) {
	t.Helper()
	const key, user, password = "sk-canary-key", "canaryuser", "canarypass"
	said := func(r *http.Request) string {
		name, pass, _ := r.BasicAuth()
		return fmt.Sprintf("%v %s %s %s %s", r.Header, r.URL, name, pass, key+user+password)
	}
	withUser := func(url string) string { return strings.Replace(url, "://", "://"+user+":"+password+"@", 1) }
	servers := map[string]string{
		"nobody": withUser("http://127.0.0.1:1"), "no such scheme": withUser("gopher://127.0.0.1"),
		"malformed": withUser("http://127.0.0.1:port"), "unresolvable": withUser("http://nowhere.invalid"),
	}
	for _, status := range []int{200, 307, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503, 529} {
		for form, body := range map[string]func(message string) string{
			"error": h.Refusal, "web page": func(m string) string { return "<html>" + m + "</html>" }, "text": func(m string) string { return m },
		} {
			servers[fmt.Sprint(status, " ", form)] = withUser(serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/"+key)
				w.Header().Set("Retry-After", key)
				w.WriteHeader(status)
				write(w, body(said(r)))
			}))
		}
	}
	servers["late"] = withUser(serve(t, func(w http.ResponseWriter, r *http.Request) {
		begin(w, true)
		write(w, h.Answer(full(), true)[0]+h.Late(said(r)))
	}))
	servers["broken frame"] = withUser(serve(t, func(w http.ResponseWriter, r *http.Request) {
		begin(w, true)
		write(w, "data: {"+said(r)+"\n\n")
	}))
	for name, url := range servers {
		p := h.Connect(t, Server{URL: url, Key: key})
		for _, stream := range []bool{true, false} {
			resp, _, err := ask(t, t.Context(), p, stream, Question())
			f := typed(t, resp, err)
			said := []string{fmt.Sprintf("%+v", *f), f.PersonMessage()}
			for e := err; e != nil; e = errors.Unwrap(e) {
				said = append(said, fmt.Sprintf("%v %#v", e, e))
			}
			for _, secret := range []string{key, user, password} {
				if all := strings.Join(said, " "); strings.Contains(all, secret) {
					t.Errorf("%s, stream %v: %q holds %q", name, stream, all, secret)
				}
			}
		}
	}
}
