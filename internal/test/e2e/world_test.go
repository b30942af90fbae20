package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loglines"
	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/internal/test/testtools"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// patience bounds a test with all of its waits; a test that passes ends long before.
const patience = time.Minute

// gateway is the binary under test, with the test channel and the test tools.
var gateway *rig.Binary

func TestMain(m *testing.M) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	gateway = rig.BuildForTests(ctx, "-tags", "testchannel", raceFlags)
	defer gateway.Remove()
	m.Run() // TestMain passes the result on when it returns
}

// brain is the model's part of a conversation.
type brain func(req fakemodel.Request) fakemodel.Answer

// settings are a test's wishes for its gateway beside the defaults.
type settings struct {
	// idle is the model's idle limit, toolTime the limit of a call.
	idle, toolTime string
	busy           string
	// tools and agent are further settings of these.
	tools, agent string
	// platform is how the chat platform behaves.
	platform server.Options
	// noTools makes a model server without tools, and mode is the model's tool_mode. Unbound
	// has the server overlook the form of an answer.
	noTools, unbound bool
	mode             string
	// model is the model's name, by which its family is known.
	model string
}

// world is one gateway with its platform and its model.
type world struct {
	t        *testing.T
	ctx      context.Context // ends later than the test does
	chat     *server.Server
	model    *fakemodel.Server
	modelURL string
	gw       *rig.Gateway
	process  *rig.Process
	effects  string
}

func newWorld(t *testing.T, b brain, s settings) *world {
	t.Helper()
	w := prepareWith(t, fakemodel.Options{Script: b, NoTools: s.noTools, Unbound: s.unbound}, s.platform, rig.Config{})
	w.configure(s)
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
	})
	return w
}

// prepare makes everything but the gateway's process.
func prepare(t *testing.T, b brain, c rig.Config) *world {
	t.Helper()
	without := c.ToolMode == asJSON // such a model's server has no tools
	return prepareWith(t, fakemodel.Options{Script: b, NoTools: without, Unbound: without}, server.Options{}, c)
}

// prepareWith is prepare with a model server of one's choice.
func prepareWith(t *testing.T, o fakemodel.Options, platform server.Options, c rig.Config) *world {
	t.Helper()
	// The gateway is ended in a cleanup, when the test's own context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	if platform.MaxPoll == 0 {
		platform.MaxPoll = 200 * time.Millisecond
	}
	chat, err := server.New(ctx, platform)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chat.Close() })
	model := fakemodel.NewHandler(o)
	srv := httptest.NewServer(model.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	c.ModelURL = srv.URL + "/v1"
	dir := t.TempDir()
	w := &world{t: t, ctx: ctx, chat: chat, model: model, modelURL: c.ModelURL, effects: filepath.Join(dir, "effects")}
	bin, err := gateway.Path()
	if err != nil {
		t.Fatal(err)
	}
	w.gw, err = rig.NewGateway(bin, dir, c, "PARLEY_TEST_CHANNEL="+chat.URL, "PARLEY_TEST_EFFECTS="+w.effects)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// configure writes the settings over the configuration that the rig made.
func (w *world) configure(s settings) {
	w.t.Helper()
	or := func(v, def string) string {
		if v == "" {
			return def
		}
		return v
	}
	text := fmt.Sprintf(`state_dir: %q
workspace: %q
log: {level: info, format: json}
agent: {model: main, while_busy: %s%s}
tools: {timeout: %s%s}
models:
  main: {provider: openai, model: %s, base_url: %q, api_key: "env:LLM_KEY", tool_mode: %s, timeouts: {idle: %s}}
`, filepath.Join(w.gw.Dir, "state"), filepath.Join(w.gw.Dir, "workspace"),
		or(s.busy, "steer"), more(s.agent),
		or(s.toolTime, "30s"), more(s.tools), or(s.model, "fake"), w.modelURL, or(s.mode, "auto"), or(s.idle, "60s"))
	if err := os.WriteFile(w.gw.ConfigPath(), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// more continues a line of settings.
func more(settings string) string {
	if settings == "" {
		return ""
	}
	return ", " + settings
}

func (w *world) start() {
	w.t.Helper()
	p, err := w.gw.Start(w.ctx, nil, nil, nil, "run")
	if err != nil {
		w.t.Fatal(err)
	}
	w.process = p
}

// kill ends the gateway as kill -9 does, and waits until the platform has read
// everything that it wrote.
func (w *world) kill() {
	w.t.Helper()
	w.process.Kill()
	if err := w.chat.Drained(w.ctx); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) until(what string, cond func() bool) {
	w.t.Helper()
	if err := w.chat.Until(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// told waits until a chat has n messages and gives them.
func (w *world) told(chat string, n int) []string {
	w.t.Helper()
	w.until(fmt.Sprintf("message %d in %s", n, chat), func() bool { return len(w.chat.Messages(chat)) >= n })
	return w.texts(chat)
}

// texts are the messages to a chat until now.
func (w *world) texts(chat string) []string {
	var out []string
	all := w.chat.Messages(chat)
	for i := range all {
		out = append(out, all[i].Text)
	}
	return out
}

// say pushes messages of a chat's one person, all at once.
func (w *world) say(chat string, texts ...string) {
	updates := make([]loopchat.Update, len(texts))
	for i, text := range texts {
		updates[i] = loopchat.Update{Chat: chat, Text: text}
	}
	w.chat.Push(updates...)
}

// expect waits for the next message of a chat, which must be its n-th and read want.
func (w *world) expect(chat string, n int, want string) {
	w.t.Helper()
	got := w.told(chat, n)
	if got[n-1] != want {
		w.t.Errorf("message %d in %s: %q, want %q", n, chat, got[n-1], want)
	}
}

// finish ends the gateway, which must be idle.
func (w *world) finish() {
	var s session.Status
	err := w.chat.Until(w.ctx, func() bool {
		var err error
		if s, err = w.gw.Status(w.ctx); err != nil {
			w.t.Error(err)
			return true
		}
		return s.Waiting == 0 && s.Sending == 0 && s.OpenTasks == 0
	})
	if err != nil {
		w.t.Errorf("the store does not come to rest: %+v: %v", s, err)
	}
	w.process.Signal(syscall.SIGTERM)
	exit, err := w.process.Wait(w.ctx)
	if err != nil || exit.Code != 0 {
		w.t.Errorf("after SIGTERM: %+v, %v", exit, err)
	}
	if out, err := w.gw.Command(w.ctx, nil, "store", "check").CombinedOutput(); err != nil {
		w.t.Errorf("store check: %v\n%s", err, out)
	}
	for _, v := range w.model.Violations() {
		w.t.Errorf("a request broke the API's rules: %s", v)
	}
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Error(err)
	}
	if bytes.Contains(log, []byte("DATA RACE")) {
		w.t.Error("the gateway has a data race")
	}
	for _, err := range loglines.Check(loglines.Objects(log)) {
		w.t.Error(err)
	}
	if w.t.Failed() {
		w.t.Logf("gateway's log, the end:\n%s", log[max(0, len(log)-8000):])
		all := w.chat.Messages("")
		for i := range all {
			w.t.Logf("%s: %.200q", all[i].Chat, all[i].Text)
		}
	}
}

// ran counts the executions of the tools that leave a trace.
func (w *world) ran() int {
	w.t.Helper()
	all, err := testtools.ReadEffects(w.effects)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(all)
}

// peak is the most memory that the gateway ever had, in MiB.
func (w *world) peak() int64 {
	w.t.Helper()
	s, err := w.process.Sample()
	if err != nil {
		w.t.Fatal(err)
	}
	return s.Peak >> 10
}

// lastUser is the newest text of a person in a request.
func lastUser(req fakemodel.Request) string { return req.LastUser() }

// results are the tool results at the end of a request.
func results(req fakemodel.Request) []string {
	var out []string
	for i := range req.Messages {
		if m := &req.Messages[i]; m.Role == providers.RoleTool {
			out = append(out, m.Content)
		} else {
			out = nil
		}
	}
	return out
}

// persons are the texts of the persons in a request.
func persons(req fakemodel.Request) []string {
	var out []string
	for i := range req.Messages {
		if m := &req.Messages[i]; m.Role == providers.RoleUser {
			out = append(out, m.Content)
		}
	}
	return out
}

// plain fails a text that tells a person of the machine's inside.
func plain(t *testing.T, text string) {
	t.Helper()
	for _, word := range []string{"goroutine", "panic", ".go:", "context canceled", "{\"error\"", "HTTP/", "0x", "127.0.0.1:", "\n"} {
		if strings.Contains(text, word) {
			t.Errorf("a person was told %q, with %q in it", text, word)
		}
	}
}
