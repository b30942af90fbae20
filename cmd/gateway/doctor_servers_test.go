package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/kindserver"
	"parley/pkg/providers/kinds"
)

// TestDoctorOfABrokenModel names the model, its fault, and the edit that helps.
func TestDoctorOfABrokenModel(t *testing.T) {
	t.Parallel()
	refusing := func(status int, body string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			t.Helper()
			w.withModel(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(status)
				fmt.Fprint(rw, strings.ReplaceAll(body, "KEY", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
			}), "")
		}
	}
	diagnose(t, map[string]setup{
		"a refused key": {
			breaks: refusing(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: KEY","code":"invalid_api_key"}}`),
			want:   finding{"model main", "fail", "auth (HTTP 401) invalid_api_key", "put a valid key where api_key of models.main points"},
		},
		"no credit": {
			breaks: refusing(http.StatusTooManyRequests, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`),
			want:   finding{"model main", "fail", "quota", "raise the limit of the account"},
		},
		"an unknown model": {
			breaks: refusing(http.StatusNotFound, `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`),
			want:   finding{"model main", "fail", "not_found (HTTP 404)", "/v1/models lists as model of models.main"},
		},
		"codes of a terminal in the error": {
			breaks: refusing(http.StatusForbidden, "{\"error\":{\"message\":\"\\u001b[2J\\u001b]0;owned\\u0007\\u202eno\",\"code\":\"x\"}}"),
			want:   finding{"model main", "fail", "auth (HTTP 403)", "put a valid key"},
		},
		"no server": {
			breaks: func(_ *testing.T, w *world) { w.configure("http://127.0.0.1:1") },
			want:   finding{"model main", "fail", "connection refused", "base_url of models.main"},
		},
		"no tools": {
			breaks: func(t *testing.T, w *world) { t.Helper(); w.withModel(t, answering("hello"), "") },
			want:   finding{"model main", "warn", "called no tool", "write tool_mode: json_schema in models.main"},
		},
		"no room for the tools": {
			breaks: func(t *testing.T, w *world) { t.Helper(); w.withModel(t, answering("hello"), ", context: 4096") },
			want:   finding{"window", "fail", "of the 4096 tokens of model main", "lazy: true"},
		},
		"an unknown room for the tools": {
			breaks: func(t *testing.T, w *world) { t.Helper(); w.withModel(t, answering("hello"), "") },
			want:   finding{"window", "warn", "how much model main can read is not known", "models.main.context"},
		},
		"a clock that is wrong": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				next := answering("hello")
				w.withModel(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					rw.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
					next.ServeHTTP(rw, r)
				}), "")
			},
			want: finding{"clock", "fail", "ahead of the clock of http://127.0.0.1:", "timedatectl set-ntp true"},
		},
		"a key in the environment that is refused": {
			args: []string{"--offline"},
			want: finding{"models", "skip", "--offline", ""},
		},
	})
}

// withModel gives the world a model that a handler serves, with a key.
func (w *world) withModel(t *testing.T, h http.Handler, more string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	w.env = append(w.env, "SECRET_MODEL="+hiddenKey)
	w.write(fmt.Sprintf("models: {main: {model: m, base_url: %q, api_key: env:SECRET_MODEL%s}}\n", s.URL+"/v1", more))
}

// TestDoctorOfABrokenTelegram names the bot's fault, and the step that helps.
func TestDoctorOfABrokenTelegram(t *testing.T) {
	t.Parallel()
	with := func(spoil func(*faketelegram.Server), more string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			t.Helper()
			srv := faketelegram.New(t)
			w.withTelegram(srv.URL(), srv.Token(), more)
			spoil(srv)
		}
	}
	const hook = ", webhook: {listen: \"127.0.0.1:1\", public_url: \"https://127.0.0.1:1/telegram\", secret: env:HOOK}"
	diagnose(t, map[string]setup{
		"a revoked token": {
			breaks: with(func(s *faketelegram.Server) { s.Bot().Revoke() }, ""),
			want:   finding{"telegram", "fail", "the token is refused (getMe: 401 Unauthorized)", "send /mybots to @BotFather"},
		},
		"no token": {
			breaks: func(_ *testing.T, w *world) { w.withTelegram("https://127.0.0.1:1", "", "") },
			want:   finding{"telegram", "skip", "see configuration", ""},
		},
		"a token of another form": {
			breaks: func(_ *testing.T, w *world) { w.withTelegram("https://127.0.0.1:1", hiddenKey, "") },
			want:   finding{"configuration", "fail", "is no token of Telegram's", "do as the line says"},
		},
		"no server": {
			breaks: func(_ *testing.T, w *world) { w.withTelegram("http://127.0.0.1:1", "1:"+hiddenKey, "") },
			want:   finding{"telegram", "fail", "http://127.0.0.1:1 cannot be reached", "write channels.telegram.proxy"},
		},
		"a login page of the network": {
			breaks: with(func(s *faketelegram.Server) {
				s.Harm(faketelegram.Rule{Fault: faketelegram.Fault{Code: http.StatusOK, Body: "<html>log in</html>"}})
			}, ""),
			want: finding{"telegram", "fail", "something else answers at ", "a network with a login page"},
		},
		"a page of errors": {
			breaks: with(func(s *faketelegram.Server) { s.Harm(faketelegram.Rule{Fault: faketelegram.InternalError()}) }, ""),
			want:   finding{"telegram", "warn", "500", "in a few minutes"},
		},
		"a bot that groups hide from": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/getMe") {
						fmt.Fprint(rw, `{"ok":true,"result":{"id":1,"is_bot":true,"username":"quiet","can_read_all_group_messages":false}}`)
						return
					}
					fmt.Fprint(rw, `{"ok":true,"result":{"url":""}}`)
				}))
				t.Cleanup(s.Close)
				w.withTelegram(s.URL, "1:"+hiddenKey, ", groups: {mention: \"off\"}")
			},
			want: finding{"telegram", "warn", "@quiet; groups.mention is off", "/setprivacy"},
		},
		"a webhook of another program": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				srv := faketelegram.New(t)
				w.withTelegram(srv.URL(), srv.Token(), "")
				setWebhook(t, srv, "https://other.example/"+hiddenKey)
			},
			want: finding{"telegram updates", "warn", "Telegram sends the updates to https://other.example:", "end the other program"},
		},
		"a webhook that is not there": {
			breaks: with(func(*faketelegram.Server) {}, hook),
			want:   finding{"telegram webhook", "warn", "https://127.0.0.1:1 cannot be reached", "start the gateway"},
		},
		"a webhook that Telegram cannot reach": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				srv := faketelegram.New(t)
				w.withTelegram(srv.URL(), srv.Token(), hook)
				setWebhook(t, srv, "https://127.0.0.1:1/telegram")
				srv.Private(srv.User("Ann")).Say("hello")
				w.eventually(t, func() bool { return w.doctorSays("Telegram cannot deliver: ") })
			},
			want: finding{"telegram updates", "warn", "Telegram cannot deliver: ", "start the gateway"},
		},
	})
}

// withTelegram gives the world a bot.
func (w *world) withTelegram(url, token, more string) {
	w.env = append(w.env, "SECRET_BOT="+token, "HOOK=hook-word-of-the-test")
	w.write(offlineModel + fmt.Sprintf("channels: {telegram: {enabled: true, token: env:SECRET_BOT, api_url: %q%s}}\n", url, more))
}

// setWebhook sets a webhook as another program does.
func setWebhook(t *testing.T, srv *faketelegram.Server, address string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+"/bot"+srv.Token()+"/setWebhook",
		strings.NewReader("url="+address))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

func (w *world) doctorSays(text string) bool {
	out, _, _ := w.run("doctor")
	return strings.Contains(out, text)
}

// eventually waits until a condition holds.
func (w *world) eventually(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatal("it never came so far")
		}
	}
}

// TestDoctorOfABrokenSlack names the token that is refused, and its place on the app's page.
func TestDoctorOfABrokenSlack(t *testing.T) {
	t.Parallel()
	with := func(bot, app string, spoil func(*fakeslack.Server)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			t.Helper()
			srv := fakeslack.New(t)
			if bot == "" {
				bot = srv.BotToken()
			}
			if app == "" {
				app = srv.AppToken()
			}
			w.withSlackAt(srv.URL(), bot, app)
			spoil(srv)
		}
	}
	diagnose(t, map[string]setup{
		"a bot token that is refused": {
			breaks: with("xoxb-"+hiddenKey, "", func(*fakeslack.Server) {}),
			want:   finding{"slack", "fail", "the token is refused", "take the Bot User OAuth Token from the app's page"},
		},
		"an app-level token that is refused": {
			breaks: with("", "xapp-"+hiddenKey, func(*fakeslack.Server) {}),
			want:   finding{"slack socket", "fail", "the token is refused", "make an App-Level Token with connections:write"},
		},
		"a token in the wrong place": {
			breaks: with("xapp-"+hiddenKey, "", func(*fakeslack.Server) {}),
			want:   finding{"configuration", "fail", "is an app-level token (xapp-…): write the Bot User OAuth Token", "do as the line says"},
		},
		"an outage": {
			breaks: with("", "", func(s *fakeslack.Server) {
				s.Harm(fakeslack.Rule{Method: "auth.test", Fault: fakeslack.Refusal("service_unavailable")})
			}),
			want: finding{"slack", "warn", "service_unavailable", "in a few minutes"},
		},
		"no server": {
			breaks: func(_ *testing.T, w *world) {
				w.withSlackAt("http://127.0.0.1:1/api/", "xoxb-"+hiddenKey, "xapp-"+hiddenKey)
			},
			want: finding{"slack", "fail", "http://127.0.0.1:1 cannot be reached", "channels.slack.proxy"},
		},
	})
}

func (w *world) withSlackAt(url, bot, app string) {
	w.env = append(w.env, "SECRET_BOT="+bot, "SECRET_APP="+app)
	w.write(offlineModel + fmt.Sprintf(
		"channels: {slack: {enabled: true, bot_token: env:SECRET_BOT, app_token: env:SECRET_APP, api_url: %q}}\n", url))
}

// TestDoctorOfAGoodSetup asks every server of a set-up, with and without a gateway that runs,
// and finds no fault; a public address at which somebody else answers is one.
func TestDoctorOfAGoodSetup(t *testing.T) {
	t.Parallel()
	tg, sl := faketelegram.New(t), fakeslack.New(t)
	model, name := kindserver.New(&kinds.Servers()[0])
	t.Cleanup(model.Close)
	listen := free(t)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	w := newWorld(t, "")
	w.env = []string{"SECRET_TG=" + tg.Token(), "SECRET_BOT=" + sl.BotToken(), "SECRET_APP=" + sl.AppToken()}
	configure := func(public string) {
		w.write(fmt.Sprintf(`models: {main: {model: %q, kind: %s, base_url: %q, context: 128000}}
http: {listen: %q, public_url: %q}
channels:
  telegram: {enabled: true, token: env:SECRET_TG, api_url: %q}
  slack: {enabled: true, bot_token: env:SECRET_BOT, app_token: env:SECRET_APP, api_url: %q}
`, name, kinds.Servers()[0].Name, model.URL(), listen, public, tg.URL(), sl.URL()))
	}
	configure("http://" + listen)
	wholly := []finding{
		{"configuration", "ok", "has no mistake", ""},
		{"store", "ok", "", ""},
		{"sandbox", "ok", "", ""},
		{"window", "ok", "of the 128000 tokens of model main", ""},
		{"clock", "ok", "agrees with the clock of http://127.0.0.1:", ""},
		{"model main", "ok", "answers and calls tools", ""},
		{"telegram", "ok", "the token is that of @parley_test_bot", ""},
		{"telegram updates", "ok", "polled", ""},
		{"slack", "ok", "the bot token is that of @", ""},
		{"slack socket", "ok", "opens sockets", ""},
	}
	check := func(d diagnosis, fails int, more ...finding) {
		t.Helper()
		for _, want := range append(wholly, more...) {
			if !d.has(want) {
				t.Errorf("no %+v in\n%+v", want, d)
			}
		}
		if d.Fail != fails {
			t.Errorf("%d checks fail, want %d: %+v", d.Fail, fails, d)
		}
	}
	check(w.doctor(), 0, finding{"port", "ok", "is free", ""})
	if n := sl.Opened(); n != 0 {
		t.Errorf("doctor opened %d sockets", n)
	}
	g := w.start("run")
	g.ready()
	w.eventually(t, func() bool { return w.doctorSays("ok    gateway           runs as process") })
	check(w.doctor(), 0, finding{"port", "ok", "takes connections", ""}, finding{"public address", "ok", "leads to the gateway", ""})
	configure(other.URL)
	check(w.doctor(), 1, finding{"public address", "fail", "HTTP 404, which is not the gateway", "pass all paths on to " + listen})
	if err := g.cmd.Process.Signal(os.Signal(syscall.SIGTERM)); err != nil {
		t.Error(err)
	}
	g.end()
}

// free is an address at which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	defer s.Close()
	return s.Listener.Addr().String()
}
