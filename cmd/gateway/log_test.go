package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/loglines"
)

// events are the lines of a gateway's log, one map for each.
func (g *gateway) events() []map[string]any {
	g.w.t.Helper()
	all := g.errs.String()
	var events []map[string]any
	for line := range strings.Lines(all[:strings.LastIndex(all, "\n")+1]) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			g.w.t.Fatalf("a line of the log is not JSON: %q", line)
		}
		events = append(events, event)
	}
	return events
}

// TestAWrongTokenIsToldWithItsCure: a token that Telegram does not know is told once,
// in a sentence with the cure, and the pauses in the log have their unit.
func TestAWrongTokenIsToldWithItsCure(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	w := newWorld(t, "")
	w.env = []string{"TOKEN=12345:canary-canary"}
	text := fmt.Sprintf(`state_dir: state
log: {format: json, level: debug}
models: {main: {provider: offline}}
channels: {telegram: {enabled: true, token: env:TOKEN, api_url: %q}}
`, srv.URL())
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	g.errs.wait(t, "@BotFather")
	g.errs.wait(t, `{"level":"debug","channel":"telegram","account":"12345","error":"the token is refused`) // the second attempt
	g.terminate()
	told := 0
	for _, event := range g.events() {
		cure, _ := event["error"].(string)
		if pause, ok := event["pause"]; ok {
			if _, err := time.ParseDuration(fmt.Sprint(pause)); err != nil {
				t.Errorf("a pause without a unit: %v", event)
			}
		}
		switch {
		case event["level"] == "debug":
		case strings.Contains(cure, "@BotFather"):
			told++
			if event["level"] != "error" || event["pause"] == nil {
				t.Errorf("the cure is told as %v", event)
			}
		case strings.Contains(cure, "401"): // not in all of the event: a folder of the test may be named so
			t.Errorf("a refusal without its cure: %v", event)
		}
	}
	if told != 1 {
		t.Errorf("the cure was told %d times: %s", told, g.errs)
	}
}

// TestNothingHidesInTheLog: a server's words with characters that turn the text around,
// end the line or are invisible are written as escapes, in both formats.
func TestNothingHidesInTheLog(t *testing.T) {
	t.Parallel()
	const said = "no\u202elus\u2066\U000E0041\x1b[2J\nforged line"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/getMe") {
			_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": map[string]any{"id": 77, "username": said}})
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error_code": 400, "description": said})
	}))
	t.Cleanup(srv.Close)
	for _, format := range []string{"json", "console"} {
		w := newWorld(t, "")
		w.env = []string{"TOKEN=77:canary-canary-canary"}
		text := fmt.Sprintf(`state_dir: state
log: {format: %s}
models: {main: {provider: offline}}
channels: {telegram: {enabled: true, token: env:TOKEN, api_url: %q}}
`, format, srv.URL)
		if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		g := w.start("run")
		g.errs.wait(t, "polling is interrupted")
		g.errs.wait(t, "connected as @no")
		g.terminate()
		for line := range strings.Lines(g.errs.String()) {
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) ||
				strings.HasPrefix(line, "forged") {
				t.Errorf("%s: a line of the log is %q", format, line)
			}
		}
		if format == "json" && !slices.ContainsFunc(g.events(), func(e map[string]any) bool { return e["error"] == "getUpdates: 400 "+said }) {
			t.Errorf("the words are not in the log: %s", g.errs)
		}
	}
}

// TestALogLineHasEachKeyOnce: a reader of JSON keeps one of two equal keys, and which
// one is a matter of chance.
func TestALogLineHasEachKeyOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	text := "state_dir: state\nlog: {format: json}\nmodels: {main: {provider: offline}}\n"
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("chat", "--log", "trace")
	cmd.Stdin = strings.NewReader(
		"/tool calculator {}\n/tool calculator {\"expression\": \"6*7\"}\n/tool message {\"text\": \"hello\"}\nhello\n",
	)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	_ = cmd.Run() // its outcome is tested elsewhere
	lines := strings.SplitAfter(errs.String(), "\n")
	introduces := func(line string) bool { return strings.HasPrefix(line, "model: ") } // the console says it, at some time
	log := strings.Join(slices.DeleteFunc(lines, introduces), "")
	if !strings.Contains(log, "why a tool call was refused") {
		t.Errorf("no call was refused: %s", log)
	}
	for _, err := range loglines.Check([]byte(log)) {
		t.Error(err)
	}
}

// TestRunSaysAsWhom: the log names the bot and the app as which the channels are
// connected.
func TestRunSaysAsWhom(t *testing.T) {
	t.Parallel()
	tele, slack := faketelegram.New(t), fakeslack.New(t)
	w := newWorld(t, "")
	w.env = []string{"TOKEN=" + tele.Token(), "BOT=" + slack.BotToken(), "APP=" + slack.AppToken()}
	text := fmt.Sprintf(`state_dir: state
models: {main: {provider: offline}}
channels:
  telegram: {enabled: true, token: env:TOKEN, api_url: %q}
  slack: {enabled: true, bot_token: env:BOT, app_token: env:APP, api_url: %q}
`, tele.URL(), slack.URL())
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	g.errs.wait(t, "INF connected as @"+tele.Bot().User().Username+" account=")
	g.errs.wait(t, "INF connected as @parley in Parley test account=")
	g.terminate()
}

// TestGosOwnLinesAreLogged: a server that answers more often than it was asked makes
// Go's HTTP client complain. Its line has the form of all others.
func TestGosOwnLinesAreLogged(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go func() {
				in := bufio.NewReader(conn)
				for {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_ = req.Body.Close()
					const body = `{"ok":true,"result":{"id":77,"is_bot":true,"first_name":"B","username":"b_bot"}}`
					fmt.Fprintf(conn,
						"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%snobody asked for this",
						len(body), body)
				}
			}()
		}
	}()
	w := newWorld(t, "")
	w.env = []string{"TOKEN=77:canary-canary-canary"}
	text := fmt.Sprintf(`state_dir: state
log: {format: json}
models: {main: {provider: offline}}
channels: {telegram: {enabled: true, token: env:TOKEN, api_url: "http://%s"}}
`, l.Addr())
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	g.errs.wait(t, "Unsolicited response")
	if len(g.events()) == 0 {
		t.Error("there are no lines")
	}
}

// TestControlGroupsAreTold: a gateway that may run programs says at its start how their
// memory is counted. This one shares its control group with the test.
func TestControlGroupsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	text := "state_dir: state\nlog: {format: json}\nmodels: {main: {provider: offline}}\ntools: {shell: {enabled: true, allow: [ls]}}\n"
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("chat", "--log", "info")
	cmd.Stdin = strings.NewReader("hello\n")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	if !regexp.MustCompile(`"reason":"[^"]*control group[^"]*".*"message":"programs run without control groups`).Match(errs.Bytes()) {
		t.Errorf("the log says: %s", &errs)
	}
}
