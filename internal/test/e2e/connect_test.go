package e2e_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/kindserver"
	"parley/internal/test/rig"
	"parley/pkg/config"
	"parley/pkg/providers/kinds"
)

// connection is a block of docs/models.md that connects a model.
type connection struct{ title, text string }

// connections are the blocks below the headings of the page.
func connections(t *testing.T) (all []connection) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile("(?s)\n### ([^\n]+)\n\n```yaml\n(.*?)```\n").FindAllSubmatch(page, -1) {
		all = append(all, connection{string(found[1]), string(found[2])})
	}
	return all
}

// value gives what a line of the block says of a key; "" without that line.
func (c *connection) value(key string) string {
	found := regexp.MustCompile(`(?m)^    ` + key + `: (.*)$`).FindStringSubmatch(c.text)
	if found == nil {
		return ""
	}
	return found[1]
}

// scripted is the server of a connection, which answers and refuses as the real one does.
func (c *connection) scripted(t *testing.T) (address string, refused func() []string) {
	t.Helper()
	switch c.value("provider") {
	case "gemini":
		s := kindserver.NewGemini()
		t.Cleanup(s.Close)
		return s.URL(), s.Violations
	case "anthropic":
		s := kindserver.NewAnthropic()
		t.Cleanup(s.Close)
		return s.URL(), s.Refused
	}
	rows := kinds.Servers()
	for i := range rows {
		if rows[i].Title == c.title {
			s, _ := kindserver.New(&rows[i])
			t.Cleanup(s.Close)
			return s.URL(), s.Refused
		}
	}
	t.Fatalf("no row of the table of kinds is called %q", c.title)
	return "", nil
}

// network leads every request to one server, whichever host it is for, and keeps them. It is
// a proxy, and all hosts behind it, with a certificate that the gateway is told to trust.
type network struct {
	server httputil.ReverseProxy
	secure *httptest.Server

	mu    sync.Mutex
	asked []seen
}

// seen is a request on its way.
type seen struct {
	url    string
	header http.Header
	model  string // in the body
}

// leadTo makes a network in which the base URL of a model is that of a server. Env has a
// process use it.
func leadTo(t *testing.T, server string, base *url.URL) (n *network, env []string) {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	n = &network{server: httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		path := strings.TrimPrefix(r.Out.URL.Path, base.Path)
		path = strings.TrimPrefix(path, "/publishers/google") // which the scripted server does not know
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path, r.Out.URL.RawPath = target.Scheme, target.Host, target.Path+path, ""
	}}}
	n.secure = httptest.NewUnstartedServer(http.HandlerFunc(n.forward))
	certificate, file := certify(t, base.Hostname())
	n.secure.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	n.secure.StartTLS()
	t.Cleanup(n.secure.Close)
	proxy := serve(t, http.HandlerFunc(n.lead))
	return n, []string{"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "SSL_CERT_FILE=" + file}
}

// certify makes a certificate for a host, which also stands in a file for those who trust it.
func certify(t *testing.T, host string) (c tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "trusted.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// lead is the proxy: a tunnel to the host behind it, or a request in plain HTTP.
func (n *network) lead(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		n.forward(w, r)
		return
	}
	there, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", n.secure.Listener.Addr().String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	w.WriteHeader(http.StatusOK)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	go func() {
		_, _ = io.Copy(there, buffered)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
}

// forward notes a request and passes it on.
func (n *network) forward(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct{ Model string }
	_ = json.Unmarshal(body, &asked) // not each protocol has the model there
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	n.mu.Lock()
	n.asked = append(n.asked, seen{scheme + r.Host + r.URL.Path, r.Header.Clone(), asked.Model})
	n.mu.Unlock()
	n.server.ServeHTTP(w, r)
}

// TestEachConnectionOfTheModelPage runs the gateway with each block of docs/models.md as it
// stands there, with a key in the environment, in a network of which the host is a scripted
// server of that kind; a program on this machine gets the name of another one, since its
// port may be taken here. The person gets the result of a call, the server has nothing to
// refuse, and it was asked where the block says, for the model and with the key that it says.
func TestEachConnectionOfTheModelPage(t *testing.T) {
	t.Parallel()
	all := connections(t)
	if len(all) < 10 {
		t.Fatalf("the page has %d connections", len(all))
	}
	for _, c := range all {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			connects(t, &c)
		})
	}
}

func connects(t *testing.T, c *connection) {
	t.Helper()
	const key = "the-key-of-a-person"
	const here, elsewhere = "//127.0.0.1:", "//machine.test:"
	written := c.value("base_url")
	if written == "" { // the provider's own
		written = map[string]string{"anthropic": config.AnthropicURL, "gemini": config.GeminiURL}[c.value("provider")]
	}
	base, err := url.Parse(strings.Replace(written, here, elsewhere, 1))
	if err != nil || base.Host == "" {
		t.Fatalf("the address %q: %v", written, err)
	}
	server, refused := c.scripted(t)
	n, env := leadTo(t, server, base)
	w := prepare(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") }, rig.Config{})
	secret, hasKey := strings.CutPrefix(c.value("api_key"), "env:")
	if w.gw.Env = append(w.gw.Env, env...); hasKey {
		w.gw.Env = append(w.gw.Env, secret+"="+key)
	}
	text := strings.Replace(c.text, here, elsewhere, 1)
	if err := os.WriteFile(w.gw.ConfigPath(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
	})
	w.say("chat", "Please use the calculator for 17 and 25.")
	if got := w.told("chat", 1)[0]; !strings.Contains(got, "42") {
		t.Errorf("told %q, want the result of the call", got)
	}
	if why := refused(); len(why) > 0 {
		t.Errorf("the server refused: %q", why)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.asked) != 2 {
		t.Errorf("the server was asked %d times", len(n.asked))
	}
	for i := range n.asked {
		s := &n.asked[i]
		model := c.value("model")
		if !strings.HasPrefix(s.url, base.String()+"/") || s.model != model && !strings.Contains(s.url, "/models/"+model+":") {
			t.Errorf("asked %s for %q, want %s below %s", s.url, s.model, model, base)
		}
		if sent := strings.Contains(strings.Join(valuesOf(s.header), " "), key); sent != hasKey {
			t.Errorf("the key was sent: %v, want %v", sent, hasKey)
		}
	}
}

// valuesOf are all values of a header.
func valuesOf(h http.Header) (all []string) {
	for _, values := range h {
		all = append(all, values...)
	}
	return all
}
