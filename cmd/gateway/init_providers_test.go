package main_test

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/strictmodel"
)

// internet is a proxy behind which one server answers under every name.
type internet struct {
	proxy *httptest.Server
	roots string // the file with the certificate of the server

	mu    sync.Mutex
	asked map[string]bool // the names under which the server was asked
}

// newInternet leads all names to a handler, over TLS.
func newInternet(t *testing.T, names []string, h http.Handler) *internet {
	t.Helper()
	in := &internet{asked: map[string]bool{}}
	cert, roots := certificateFor(t, names)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in.mu.Lock()
		in.asked[r.Host] = true
		in.mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	in.roots = filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(in.roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: roots}), 0o600); err != nil {
		t.Fatal(err)
	}
	in.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only tunnels", http.StatusMethodNotAllowed)
			return
		}
		tunnel(t, w, server.Listener.Addr().String())
	}))
	t.Cleanup(in.proxy.Close)
	return in
}

// tunnel leads the connection of a request to an address.
func tunnel(t *testing.T, w http.ResponseWriter, address string) {
	t.Helper()
	to, err := net.Dial("tcp", address)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	from, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = to.Close()
		return
	}
	_, _ = io.WriteString(from, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // the end of one side ends both
			_, _ = way[0].Close(), way[1].Close()
		})
	}
	both.Wait()
}

// TestInitWithTheKeyOfEachProvider goes from a bare environment with one key, and nothing else, to the
// first answer. The key goes to the server of its provider alone.
func TestInitWithTheKeyOfEachProvider(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wire         strictmodel.Wire
		key, host    string
		header, text string
	}{
		"OpenAI":     {strictmodel.OpenAI, "OPENAI_API_KEY", "api.openai.com", "Authorization", "model: gpt-4o\n"},
		"Anthropic":  {strictmodel.Anthropic, "ANTHROPIC_API_KEY", "api.anthropic.com", "X-Api-Key", "provider: anthropic\n"},
		"Gemini":     {strictmodel.Gemini, "GEMINI_API_KEY", "generativelanguage.googleapis.com", "X-Goog-Api-Key", "provider: gemini\n"},
		"OpenRouter": {strictmodel.OpenAI, "OPENROUTER_API_KEY", "openrouter.ai", "Authorization", "model: openrouter/auto\n"},
		"Groq":       {strictmodel.OpenAI, "GROQ_API_KEY", "api.groq.com", "Authorization", "model: openai/gpt-oss-120b\n"},
		"DeepSeek":   {strictmodel.OpenAI, "DEEPSEEK_API_KEY", "api.deepseek.com", "Authorization", "model: deepseek-chat\n"},
		"xAI":        {strictmodel.OpenAI, "XAI_API_KEY", "api.x.ai", "Authorization", "model: grok-4\n"},
		"Mistral":    {strictmodel.OpenAI, "MISTRAL_API_KEY", "api.mistral.ai", "Authorization", "model: mistral-large-latest\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := strictmodel.New(c.wire, func(r fakemodel.Request) fakemodel.Answer {
				if a := obeying(r); len(a.ToolCalls) > 0 {
					return a
				}
				return fakemodel.Say("the first answer")
			}).Handler()
			var questions atomic.Int32
			in := newInternet(t, []string{c.host}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.Header.Get(c.header), initKey) {
					http.Error(w, `{"error":{"message":"no key"}}`, http.StatusUnauthorized)
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				if bytes.Contains(body, []byte("is anybody there?")) {
					questions.Add(1)
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				if _, rest, found := strings.Cut(r.URL.Path, "/chat/completions"); found && rest == "" {
					r.URL.Path = "/v1/chat/completions" // the bases of the providers differ
				}
				answers.ServeHTTP(w, r)
			}))
			n := newNewcomer(t, c.key+"="+initKey, "HTTPS_PROXY="+in.proxy.URL, "SSL_CERT_FILE="+in.roots)
			out := n.run(0, "is anybody there?\n", "init", "--chat")
			has(t, out, "called the tool", "the first answer")
			if questions.Load() != 1 {
				t.Errorf("the question was asked %d times", questions.Load())
			}
			has(t, n.file(), "api_key: env:"+c.key, c.text)
			in.mu.Lock()
			defer in.mu.Unlock()
			if len(in.asked) != 1 || !in.asked[c.host] {
				t.Errorf("asked were %v, want %s alone", in.asked, c.host)
			}
		})
	}
}
