package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// keeper is a tool that changes jobs as its arguments say.
func (w *world) keeper() tools.Tool {
	return fn{name: "keep", an: readOnly(), run: func(ctx context.Context, args map[string]any) *tools.ToolResult {
		text := func(name string) string { s, _ := args[name].(string); return s }
		var err error
		switch text("do") {
		case "put":
			paused, _ := args["paused"].(bool)
			err = w.agent.Calls().KeepJob(ctx, session.Job{
				ID: text("id"), Name: text("name"), Spec: every("1h"), Text: text("text"), Prompt: true, Paused: paused, Due: time.Now().Add(time.Hour),
			})
		case "drop":
			err = w.agent.Calls().DropJob(ctx, text("id"))
		case "zone":
			err = w.agent.Calls().KeepZone(ctx, text("id"))
		case "list":
			var all []session.Job
			var zone string
			if zone, err = w.agent.Calls().ChatZone(ctx); err == nil {
				all, err = w.agent.Calls().ChatJobs(ctx)
			}
			if err != nil {
				break
			}
			out := []string{zone, w.agent.Calls().UsualZone(ctx)}
			for i := range all {
				out = append(out, all[i].ID)
			}
			return tools.NewToolResult(strings.Join(out, ","))
		}
		if err != nil {
			return tools.ErrorResult(err.Error()).WithError(err)
		}
		return tools.NewToolResult("ok")
	}}
}

// keeping is a world with a model that calls keep with the text that it reads.
func keeping(t *testing.T, opts ...option) *planned {
	t.Helper()
	return newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		text := m.Content[strings.LastIndexByte(m.Content, '\n')+1:]
		if m.Role == providers.RoleTool || !strings.Contains(text, "{") {
			return say(m.Content)
		}
		return call("keep", text[strings.IndexByte(text, '{'):])
	}, append(opts, func(w *world) { w.opts.Tools.Register(w.keeper()) })...)
}

func TestAJobBelongsToItsChatAndToWhoeverWroteItsText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keeping(t)
		do := func(chat, user, args, want string) {
			t.Helper()
			p.write(chat, user, args)
			if got := (<-p.sent).Text; !strings.Contains(got, want) {
				t.Errorf("%s: %s answered %q, want %q", user, args, got, want)
			}
		}
		const make1, make2 = `{"do":"put","id":"j1","text":"one"}`, `{"do":"put","id":"j1","text":"two"}`
		whose := func(id string, level policy.Level) {
			t.Helper()
			if j := p.job("j1"); j.Principal.Sender.ID != id || j.Principal.Level != string(level) || j.Address.Chat != "group" ||
				j.Created.IsZero() {
				t.Errorf("job %+v, want that of %s with %s", j, id, level)
			}
		}
		do("group", "7", make1, "ok")
		whose("7", policy.LevelChat)
		do("group", "8", make1, "only the person who asked or an owner can change the schedule j1")
		do("group", "8", `{"do":"drop","id":"j1"}`, "only the person who asked or an owner")
		do("other", "7", make1, "not found")
		do("other", "7", `{"do":"drop","id":"j1"}`, "not found")
		do("other", "7", `{"do":"list"}`, ",")
		do("group", "1", `{"do":"put","id":"j1","text":"one","paused":true}`, "ok") // an owner pauses it: its owner stays
		whose("7", policy.LevelChat)
		do("group", "1", make2, "ok") // and writes another text: it is theirs
		whose("1", policy.LevelChat)
		do("group", "7", `{"do":"drop","id":"j1"}`, "or an owner")
		do("group", "1", `{"do":"list"}`, ",,j1")
		do("group", "1", `{"do":"drop","id":"j1"}`, "ok")
		p.gone("j1")
	})
}

func TestAJobThatOutsideContentHadAHandInIsTainted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keeping(t)
		p.accept(channels.Inbound{
			ID: "f", Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, Direct: true, Forwarded: true,
			Text: `{"do":"put","id":"j1","text":"one"}`, MessageID: "f", Time: time.Now(),
		})
		p.next("ok")
		if !p.job("j1").Tainted {
			t.Error("the job is not tainted")
		}
		p.write("1", "1", `{"do":"put","id":"j1","text":"one","name":"clean"}`)
		p.next("ok")
		if !p.job("j1").Tainted {
			t.Error("a change of its name made it clean")
		}
	})
}

func TestNothingIsKeptOutsideOfATurn(t *testing.T) {
	t.Parallel()
	p := newPlanned(t, nil)
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Channel: "test", Chat: "1", Turn: "gone", Key: "gone/1/0"})
	_, err1 := p.agent.Calls().ChatJobs(ctx)
	_, err2 := p.agent.Calls().ChatZone(ctx)
	for _, err := range []error{
		err1, err2, p.agent.Calls().KeepJob(ctx, session.Job{ID: "x"}),
		p.agent.Calls().DropJob(ctx, "x"), p.agent.Calls().KeepZone(ctx, "UTC"),
	} {
		if err == nil {
			t.Error("it was done")
		}
	}
	if p.agent.Calls().UsualZone(ctx) != "" {
		t.Error("it has a zone")
	}
}

func TestTheScheduleCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keeping(t)
		do := func(user, text, want string) {
			t.Helper()
			p.write("group", user, text)
			if got := (<-p.sent).Text; got != want {
				t.Errorf("%s: %s answered %q, want %q", user, text, got, want)
			}
		}
		do("7", "/schedule", "This chat has no schedules.")
		do("7", `{"do":"put","id":"j1","text":"one","name":"plants"}`, "ok")
		do("7", "/schedule list", "Schedules:\n`j1` plants: every hour; next Sat 2000-01-01 01:00 UTC: “one”")
		do("7", "/schedule remove", "Write /schedule to list the schedules, or /schedule remove ID, /schedule pause ID, /schedule resume ID.")
		do("7", "/schedule remove j2", "There is no schedule j2 in this chat. /schedule lists the schedules.")
		do("8", "/schedule pause j1", "Schedule “plants” (j1) was not changed: only the person who asked or an owner can change it.")
		do("1", "/schedule pause J1", "Schedule “plants” (j1) is paused. /schedule resume j1 resumes it.")
		do("8", "/schedule", "Schedules:\n`j1` plants: every hour; paused: by the person who asked: “one”")
		p.quiet(3*time.Hour + 10*time.Minute)
		do("7", "/schedule resume j1", "Schedule “plants” (j1) is resumed: next Sat 2000-01-01 04:00 UTC.")
		do("7", `{"do":"put","id":"j2","text":"`+strings.Repeat("two ", 30)+`","name":"Plants"}`, "ok")
		do("7", "/schedule remove plants", "Several have this name: write one of j1, j2 instead of plants.")
		do("7", "/schedule", "Schedules:\n`j1` plants: every hour; next Sat 2000-01-01 04:00 UTC: “one”\n"+
			"`j2` Plants: every hour; next Sat 2000-01-01 04:10 UTC: “"+strings.Repeat("two ", 20)+"…”")
		do("7", "/schedule remove j2", "Schedule “Plants” (j2) is removed.")
		do("7", "/schedule  remove  “plants”", "Schedule “plants” (j1) is removed.")
		once := p.now().Add(time.Hour)
		p.put(session.Job{
			ID: "j3", Address: chatAddr("group"), Principal: session.Principal{Sender: channels.Sender{ID: "7"}},
			Spec: at(once), Text: "late", Due: once, Paused: true,
		})
		p.quiet(2 * time.Hour)
		do("7", "/schedule resume j3", "Schedule j3 stays paused: its time has passed: remove the schedule, or give it another time in the chat.")
		if _, err := p.agent.Jobs().Resume(t.Context(), "j3"); !errors.Is(err, job.ErrOver) {
			t.Errorf("resumed: %v", err)
		}
	})
}

func TestTheDateIsThatOfTheChatsZoneAndStaysForADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		prompts := make(chan string, 10)
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if m := last(msgs); strings.Contains(m.Content, "{") {
				return call("keep", m.Content)
			}
			prompts <- msgs[len(msgs)-2].Content // the notes stand before the message
			return say("ok")
		}, func(w *world) { w.opts.Tools.Register(w.keeper()) }, withOptions(func(o *agent.Options) {
			o.Zone = func(a channels.Address) string {
				return map[string]string{"2": "Asia/Tokyo", "3": "Nowhere/Land"}[a.Chat]
			}
		}))
		date := func(chat, want string) string {
			t.Helper()
			p.write(chat, "1", "hello")
			p.next("ok")
			got := <-prompts
			if !strings.Contains(got, "Today is "+want+".") {
				t.Errorf("chat %s: the prompt is %q, want %q", chat, got, want)
			}
			return got
		}
		p.skew.Add(int64(20 * time.Hour)) // 20:00 UTC on Saturday, the first
		const unknown = "(UTC; the time zone of this chat is not known)"
		first := date("1", "Saturday 2000-01-01 "+unknown)
		date("2", "Sunday 2000-01-02 (Asia/Tokyo)")
		date("3", "Saturday 2000-01-01 "+unknown)
		p.skew.Add(int64(3 * time.Hour))
		if again := date("1", "Saturday 2000-01-01 "+unknown); again != first {
			t.Error("the prompt changed within a day")
		}
		p.skew.Add(int64(time.Hour))
		date("1", "Sunday 2000-01-02 "+unknown)
		p.write("2", "1", `{"do":"zone","id":"America/New_York"}`)
		p.next("ok")
		<-prompts
		date("2", "Saturday 2000-01-01 (America/New_York)")
	})
}

// TestDaylightSavingNights: a job at 02:30 fires exactly once on the night on which
// there is no 02:30, and on the one on which there are two.
func TestDaylightSavingNights(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for night, want := range map[string][]string{
		"2000-03-25": {"2000-03-25 02:30", "2000-03-26 03:30", "2000-03-27 02:30"},
		"2000-10-28": {"2000-10-28 02:30", "2000-10-29 02:30", "2000-10-30 02:30"},
	} {
		for _, down := range []bool{false, true} {
			t.Run(fmt.Sprint(night, " down ", down), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := newPlanned(t, nil)
					p.met()
					from, err := time.ParseInLocation(time.DateOnly, night, berlin)
					if err != nil {
						t.Fatal(err)
					}
					p.skew.Store(int64(time.Until(from)))
					raw := json.RawMessage(`{"cron":"30 2 * * *","zone":"Europe/Berlin"}`)
					tick, err := timetable{}.Tick(raw, p.now(), p.now())
					if err != nil {
						t.Fatal(err)
					}
					p.put(session.Job{Spec: raw, Text: "tick", Due: tick.Next})
					for i, at := range want {
						if down && i == 1 { // it is down over the hour in question
							p.stop()
							<-time.After(from.AddDate(0, 0, 1).Add(6 * time.Hour).Sub(p.now()))
							p.start()
							if got := (<-p.sent).Text; !strings.HasSuffix(got, "I could not do it sooner.)\n\ntick") {
								t.Errorf("sent %q", got)
							}
							continue
						}
						p.next("tick")
						if got := p.now().In(berlin).Format("2006-01-02 15:04"); got != at {
							t.Errorf("said at %s, want %s", got, at)
						}
					}
					p.quiet(20 * time.Hour)
				})
			})
		}
	}
}
