package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/creack/pty"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// patience is how long anything on the page may take on a busy machine.
const patience = 2 * time.Minute

var binary string

func TestMain(m *testing.M) {
	if _, err := exec.LookPath(chromium()); err != nil {
		os.Exit(m.Run()) //nolint:forbidigo // each test says that it skips
	}
	dir, err := os.MkdirTemp("", "parley-browser-")
	if err == nil {
		binary = filepath.Join(dir, "parley")
		build := exec.Command("go", "build", "-o", binary, "./cmd/gateway")
		build.Dir, build.Stderr = "../../..", os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the gateway cannot be built:", err)
		os.Exit(1) //nolint:forbidigo // as a test ends
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code) //nolint:forbidigo // as a test ends
}

func chromium() string {
	if named := os.Getenv("PARLEY_CHROMIUM"); named != "" { //nolint:forbidigo // the tester names it
		return named
	}
	return "chromium"
}

// world is a gateway with a page, and a model with a script.
type world struct {
	t       *testing.T
	ctx     context.Context
	gw      *rig.Gateway
	process *rig.Process
	base    string

	mu     sync.Mutex
	script func(fakemodel.Request) fakemodel.Answer
}

func newWorld(t *testing.T, script func(fakemodel.Request) fakemodel.Answer) *world {
	t.Helper()
	return newWorldOf(t, script, rig.Config{})
}

// newWorldOf is newWorld with channels beside the page.
func newWorldOf(t *testing.T, script func(fakemodel.Request) fakemodel.Answer, c rig.Config) *world {
	t.Helper()
	if binary == "" {
		t.Skipf("the page is not tried: there is no %s", chromium())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, script: script}
	model := fakemodel.New(fakemodel.Options{Key: "test", Script: func(r fakemodel.Request) fakemodel.Answer {
		w.mu.Lock()
		script := w.script
		w.mu.Unlock()
		return script(r)
	}})
	t.Cleanup(model.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	addr := listener.Addr().String()
	w.must(listener.Close())
	w.base = "http://" + addr
	c.ModelURL, c.HTTP, c.Tools = model.URL(), addr, map[string]any{"approval": "side_effects"}
	w.gw, err = rig.NewGateway(binary, t.TempDir(), c)
	w.must(err)
	w.start()
	t.Cleanup(func() { w.process.Kill() })
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// start starts the gateway and waits until it takes messages in.
func (w *world) start() {
	w.t.Helper()
	p, err := w.gw.Start(w.ctx, nil, nil, nil, "run")
	w.must(err)
	w.process = p
	for range time.Tick(20 * time.Millisecond) {
		req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.base+"/readyz", http.NoBody)
		w.must(err)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		if w.ctx.Err() != nil {
			log, _ := os.ReadFile(w.gw.LogPath())
			w.t.Fatalf("the gateway does not start: %s", log)
		}
	}
}

// link is the link that parley web open shows in a terminal.
func (w *world) link() string {
	w.t.Helper()
	c := w.gw.Command(w.ctx, nil, "web", "open")
	screen, err := pty.Start(c)
	w.must(err)
	shown, _ := io.ReadAll(screen) // ends with an error of the terminal
	w.must(c.Wait())
	link := regexp.MustCompile(`http://\S+#login=\S+`).FindString(string(shown))
	if link == "" {
		w.t.Fatalf("no link in %q", shown)
	}
	return link
}

func (w *world) verb(words ...string) {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, words...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %v: %s", words, err, out)
	}
}

// tab is a tab of a browser with what it has complained of.
type tab struct {
	w   *world
	ctx context.Context

	mu         sync.Mutex
	violations []string // errors of scripts
	foreign    []string // requests off the origin
}

// browser starts a fresh one and opens a tab.
func (w *world) browser() *tab {
	w.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(1280, 800), chromedp.Flag("disable-dev-shm-usage", true))
	allocator, cancel := chromedp.NewExecAllocator(w.ctx, options...)
	w.t.Cleanup(cancel)
	return w.tab(allocator)
}

func (w *world) tab(of context.Context) *tab {
	w.t.Helper()
	ctx, cancel := chromedp.NewContext(of)
	w.t.Cleanup(cancel)
	b := &tab{w: w, ctx: ctx}
	chromedp.ListenTarget(ctx, b.heard)
	b.do(network.Enable(), chromedp.ActionFunc(func(ctx context.Context) error { //nolint:contextcheck // a picture is taken after an end
		_, err := page.AddScriptToEvaluateOnNewDocument(watch).Do(ctx)
		return err
	}))
	return b
}

// watch notes on the page what breaks its content policy.
const watch = `window.violations = [];
document.addEventListener("securitypolicyviolation", (e) =>
	window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));`

// second is one more tab of the same browser.
func (b *tab) second() *tab { return b.w.tab(b.ctx) }

// heard notes what must not be.
func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		ours := func(start string) bool { return strings.HasPrefix(e.Request.URL, start) }
		if !ours(b.w.base+"/") && !ours("data:") && !ours("blob:") && !ours("about:blank") {
			b.foreign = append(b.foreign, e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		b.violations = append(b.violations, e.ExceptionDetails.Error())
	}
}

func (b *tab) do(actions ...chromedp.Action) {
	b.w.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Run(b.within(ctx), actions...); err != nil {
		b.picture("failed")
		b.w.t.Fatalf("%v; the page says: %s", err, b.text("body"))
	}
}

// within keeps the browser alive beyond a time limit of one action.
func (b *tab) within(ctx context.Context) context.Context {
	if chromedp.FromContext(b.ctx).Target == nil {
		return b.ctx // its first run begins it
	}
	return ctx
}

// text is what stands in an element.
func (b *tab) text(selector string) string {
	var s string
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Evaluate(fmt.Sprintf(`(document.querySelector(%q) || {}).innerText || ""`, selector), &s))
	return s
}

// eval gives the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.w.t.Helper()
	var v T
	b.do(chromedp.Evaluate(expression, &v))
	return v
}

// until waits for an expression to be true.
func (b *tab) until(what, expression string) {
	b.w.t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if eval[bool](b, "Boolean("+expression+")") {
			return
		}
		<-time.After(30 * time.Millisecond)
	}
	b.picture("failed")
	b.w.t.Fatalf("%s: not in time; the page says: %s", what, b.text("body"))
}

// says waits until a text stands on the page.
func (b *tab) says(text string) {
	b.w.t.Helper()
	b.until(fmt.Sprintf("%q", text), fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
}

// login opens the page by a link.
func (b *tab) login() {
	b.w.t.Helper()
	b.do(chromedp.Navigate(b.w.link()))
	b.until("the page", `document.querySelector("#message")`)
}

// write sends a message.
func (b *tab) write(text string) {
	b.w.t.Helper()
	b.do(chromedp.SendKeys("#message", text, chromedp.ByQuery), chromedp.SendKeys("#message", "\r", chromedp.ByQuery))
}

func (b *tab) click(selector string) {
	b.w.t.Helper()
	b.do(chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible))
}

// size changes the window and the colours.
func (b *tab) size(width, height int64, scheme string) {
	b.w.t.Helper()
	b.do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
	<-time.After(250 * time.Millisecond) // the drawer moves
}

// picture writes what a person sees into the folder of pictures.
func (b *tab) picture(name string) {
	b.w.t.Helper()
	folder := os.Getenv("PARLEY_SCREENS") //nolint:forbidigo // the tester names it
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	var png []byte
	err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		png, err = page.CaptureScreenshot().Do(ctx)
		return err
	}))
	if err == nil {
		err = errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644))
	}
	if err != nil {
		b.w.t.Logf("picture %s: %v", name, err)
	}
}

// everySize takes pictures at both widths in both schemes.
func (b *tab) everySize(name string) {
	b.w.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.size(320, 640, scheme)
		b.picture(name + "-320-" + scheme)
		b.size(1280, 800, scheme)
		b.picture(name + "-1280-" + scheme)
	}
	b.size(1280, 800, "light")
}

// clean checks that the page broke no rule.
func (b *tab) clean() {
	b.w.t.Helper()
	if broken := eval[[]string](b, "window.violations"); len(broken) > 0 {
		b.w.t.Errorf("the content policy was broken: %q", broken)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.violations) > 0 || len(b.foreign) > 0 {
		b.w.t.Errorf("violations %q, foreign requests %q", b.violations, b.foreign)
	}
}

// awaited waits for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
