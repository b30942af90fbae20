package panel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/faces"
	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/panel"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// desk is the work of Ada's chat main: a task and a schedule of hers and of Bob's each.
type desk struct{ done []string }

func (d *desk) tasks() []session.Task {
	return []session.Task{
		{ID: "c1-1/a", Chat: "c1", Tool: "crawl", State: session.TaskRunning, Principal: of("web:ada", policy.LevelRead)},
		{ID: "c1-1/b", Chat: "c1", Tool: "crawl", State: session.TaskRunning, Principal: of("web:bob", policy.LevelExec)},
		{ID: "c1-1/c", Chat: "c1", Tool: "crawl", State: session.TaskDone, Principal: of("web:ada", policy.LevelRead)},
	}
}

func of(id string, level policy.Level) session.Principal {
	return session.Principal{Sender: channels.Sender{ID: id}, Direct: true, Level: string(level)}
}

func (d *desk) Of(_ context.Context, chat string) (running, recent []session.Task, err error) {
	if chat != "c1" {
		return nil, nil, errors.New("another chat's tasks are read")
	}
	all := d.tasks()
	return all[:2], all[2:], nil
}

func (d *desk) Find(_ context.Context, chat, id string) (session.Task, error) {
	all := d.tasks()
	for i := range all {
		if all[i].Chat == chat && all[i].Short() == id {
			return all[i], nil
		}
	}
	return session.Task{}, session.ErrNotFound
}

func (d *desk) Cancel(_ context.Context, t *session.Task, by string, _ func(*session.Completion, *session.Task)) (bool, error) {
	d.done = append(d.done, t.ID+" by "+by)
	return true, nil
}

func (*desk) Lookup(_ context.Context, a channels.Address) (session.Info, error) {
	if a.Chat != "web:ada.main" {
		return session.Info{}, session.ErrNotFound
	}
	return session.Info{Chat: "c1", Address: a}, nil
}

func (*desk) JobList(_ context.Context, chat string) ([]session.Job, error) {
	if chat != "c1" {
		return nil, errors.New("another chat's schedules are read")
	}
	return []session.Job{
		{ID: "ja", Chat: "c1", Text: "water\n the  roses, secret", Principal: of("web:ada", policy.LevelRead)},
		{ID: "jb", Chat: "c1", Text: "feed", Principal: of("web:bob", policy.LevelRead)},
		{ID: "jc", Chat: "c1", Text: "beat", Principal: of("web:ada", policy.LevelRead)},
	}, nil
}

func (*desk) Shares(_ context.Context, _, from, to string, f func(session.Share)) error {
	f(session.Share{Day: from, Usage: session.Usage{Input: 1, Money: 5}})
	f(session.Share{Day: to, Usage: session.Usage{Input: 2}})
	f(session.Share{Day: to, Model: "small", Usage: session.Usage{Input: 3}})
	return nil
}

func (*desk) TurnUses(_ context.Context, _ string, f func(session.TurnUse) bool) error {
	for i := range 40 {
		if !f(session.TurnUse{Turn: fmt.Sprint(i), Spent: session.Spent{Day: "2026-11-23", Usage: session.Usage{Output: i}}}) {
			return nil
		}
	}
	return errors.New("the uses of all turns are read")
}

// ask makes a request as a browser of a person.
func ask(t *testing.T, d *desk, who, method, path, body string) (int, string) {
	t.Helper()
	const ours = "http://127.0.0.1:8080"
	owner := faces.Of("owner", policy.LevelWrite, "session/o")
	owner.Owner = true
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:8080", Log: zerolog.Nop(), Keyring: faces.Ring{
		"page:ada": faces.Of("ada", policy.LevelRead, "session/a"), "page:bob": faces.Of("bob", policy.LevelRead, "session/b"),
		"page:owner": owner,
	}})
	panels := panel.New(panel.Options{
		Place: func(c *httpd.Caller, id string) (channels.Address, bool) {
			if c.Owner { // an owner whose chat this is
				return channels.Address{Channel: "web", Chat: "web:ada." + id}, true
			}
			return channels.Address{Channel: "web", Chat: c.Person.String() + "." + id}, !strings.Contains(id, ".")
		},
		Store: d, Tasks: d,
		RemoveJob: func(_ context.Context, id string) error {
			if id == "jc" {
				return job.ErrConfigured
			}
			d.done = append(d.done, "removed "+id)
			return nil
		},
		Describe: func(json.RawMessage) string { return "daily" }, Currency: "EUR",
		Today: func(context.Context, string, channels.Address) string { return "2026-11-23" },
		Views: func(_ context.Context, name string, take admin.Emit) (bool, error) {
			return name == "status", take(json.RawMessage(`{"version":"x"}`))
		},
		Decide: func(_ context.Context, said session.Decision, who string) error {
			if said.Approval == "late" {
				return errors.New("it is over")
			}
			d.done = append(d.done, fmt.Sprint(said.Approval, " ", said.Allow, said.Here, " ", who))
			return nil
		},
		Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }, Log: zerolog.Nop(),
	})
	for _, route := range panels.Routes() {
		server.Handle(route)
	}
	r := httptest.NewRequest(method, ours+path, strings.NewReader(body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: "parley-8080", Value: who})
	if method == http.MethodPost {
		r.Header.Set("Origin", ours)
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestAPersonReadsAndEndsTheWorkOfTheirChats: what they started and an owner all of it; nothing of
// others' chats.
func TestAPersonReadsAndEndsTheWorkOfTheirChats(t *testing.T) {
	t.Parallel()
	d := &desk{}
	for _, c := range []struct {
		who, path string
		want      int
	}{
		{"ada", "main/tasks/" + short("a") + "/cancel", http.StatusOK},
		{"ada", "main/tasks/" + short("b") + "/cancel", http.StatusForbidden},
		{"ada", "main/tasks/none/cancel", http.StatusNotFound},
		{"ada", "other/tasks/" + short("a") + "/cancel", http.StatusNotFound},
		{"bob", "main/tasks/" + short("a") + "/cancel", http.StatusNotFound},
		{"owner", "main/tasks/" + short("b") + "/cancel", http.StatusOK},
		{"ada", "main/jobs/ja/remove", http.StatusOK},
		{"ada", "main/jobs/jb/remove", http.StatusForbidden},
		{"ada", "main/jobs/jc/remove", http.StatusConflict},
		{"ada", "main/jobs/none/remove", http.StatusNotFound},
		{"bob", "main/jobs/ja/remove", http.StatusNotFound},
		{"owner", "main/jobs/jb/remove", http.StatusOK},
	} {
		if status, body := ask(t, d, c.who, http.MethodPost, "/page/chats/"+c.path, "{}"); status != c.want {
			t.Errorf("%s: %s: %d %s", c.who, c.path, status, body)
		}
	}
	if got := strings.Join(d.done, ", "); got != "c1-1/a by web:ada, c1-1/b by web:owner, removed ja, removed jb" {
		t.Errorf("done: %s", got)
	}
	for _, path := range []string{"main", "a.b"} {
		if _, body := ask(t, d, "bob", http.MethodGet, "/page/chats/"+path+"/work", ""); strings.Contains(body, "crawl") {
			t.Errorf("bob reads %s", body)
		}
	}
}

func short(id string) string { return (&session.Task{ID: "c1-1/" + id}).Short() }

// TestThePanelOfAChat has its tasks, its schedules and its use, within bounds and without secrets.
func TestThePanelOfAChat(t *testing.T) {
	t.Parallel()
	status, body := ask(t, &desk{}, "ada", http.MethodGet, "/page/chats/main/work", "")
	var v struct {
		Tasks []struct {
			State string
			Mine  bool
		}
		Jobs []struct {
			Text, When string
			Mine       bool
		}
		Days []struct {
			Day          string
			Input, Money int
		}
		Turns    []struct{ Ended time.Time }
		Currency string
	}
	if err := json.Unmarshal([]byte(body), &v); status != http.StatusOK || err != nil {
		t.Fatal(status, body, err)
	}
	if got := fmt.Sprint(v.Tasks, v.Jobs); got != "[{running true} {running false} {done false}] "+
		"[{water the roses, [redacted] daily true} {feed daily false} {beat daily true}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(v.Days, len(v.Turns), " ", v.Currency); got != "[{2026-11-23 5 0} {2026-11-17 1 5}] 10 EUR" {
		t.Error(got)
	}
}

// TestTheViewsOfOwners are there for owners alone.
func TestTheViewsOfOwners(t *testing.T) {
	t.Parallel()
	d := &desk{}
	for _, c := range []struct {
		who, method, path, body string
		want                    int
	}{
		{"owner", http.MethodGet, "status", "", http.StatusOK},
		{"owner", http.MethodGet, "token", "", http.StatusNotFound},
		{"ada", http.MethodGet, "status", "", http.StatusNotFound},
		{"owner", http.MethodPost, "approvals/q", `{"decision":"allow_once"}`, http.StatusOK},
		{"owner", http.MethodPost, "approvals/q", `{"decision":"deny"}`, http.StatusOK},
		{"owner", http.MethodPost, "approvals/q", `{"decision":"allow_here"}`, http.StatusOK},
		{"owner", http.MethodPost, "approvals/q", `{"decision":"allow"}`, http.StatusBadRequest},
		{"owner", http.MethodPost, "approvals/late", `{"decision":"deny"}`, http.StatusConflict},
		{"ada", http.MethodPost, "approvals/q", `{"decision":"allow_once"}`, http.StatusNotFound},
	} {
		if status, body := ask(t, d, c.who, c.method, "/page/owner/"+c.path, c.body); status != c.want {
			t.Errorf("%s: %s %s: %d %s", c.who, c.path, c.body, status, body)
		}
	}
	if got := strings.Join(d.done, ", "); got != "q true false web:owner, q false false web:owner, q true true web:owner" {
		t.Errorf("done: %s", got)
	}
}
