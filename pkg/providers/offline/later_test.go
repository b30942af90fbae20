package offline_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/providers"
	"parley/pkg/providers/offline"
)

// withLater are the tools of a chat that has schedules and background work.
func withLater() []providers.ToolDefinition {
	return append(allTools(), offered("schedule", "spawn")...)
}

func TestUnderstandsWhatIsForLater(t *testing.T) {
	t.Parallel()
	model := offline.New(offline.Options{})
	tests := []struct{ text, want string }{
		{"remind me in 2 minutes to drink water", `schedule {"action":"create","in":"2m","text":"Reminder: drink water"}`},
		{"Remind me in two hours and 30 minutes that the cake is done.", `schedule {"action":"create","in":"150m","text":"Reminder: the cake is done"}`},
		{"please remind me to drink water in half an hour", `schedule {"action":"create","in":"30m","text":"Reminder: drink water"}`},
		{"in an hour remind me to call", `schedule {"action":"create","in":"1h","text":"Reminder: call"}`},
		{"remind me in 3 days to buy milk and eggs", `schedule {"action":"create","in":"72h","text":"Reminder: buy milk and eggs"}`},
		{"remind me in 45 seconds: stop", `schedule {"action":"create","in":"45s","text":"Reminder: stop"}`},
		{"remind me tomorrow at 9:00 to call", `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call"}`},
		{"remind me to call Dr. Smith tomorrow at 9", `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call Dr. Smith"}`},
		{"Remind me tomorrow at nine.", `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: this is what you wanted to be reminded of"}`},
		{"remind me tomorrow to call", `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call"}`},
		{"remind me at 9:30 pm to sleep", `schedule {"action":"create","at":"21:30","text":"Reminder: sleep"}`},
		{"remind me at 6pm today to eat", `schedule {"action":"create","at":"today 18:00","text":"Reminder: eat"}`},
		{"remind me on friday at noon to go", `schedule {"action":"create","at":"friday 12:00","text":"Reminder: go"}`},
		{"remind me to pay on 2027-01-02 at 8 o'clock", `schedule {"action":"create","at":"2027-01-02 08:00","text":"Reminder: pay"}`},
		{"set a reminder for tomorrow 10:15 to water the plants", `schedule {"action":"create","at":"tomorrow 10:15","text":"Reminder: water the plants"}`},
		{"every day at 08:30 say good morning", `schedule {"action":"create","cron":"30 8 * * *","text":"good morning"}`},
		{"say “good morning, all” every weekday at 8", `schedule {"action":"create","cron":"0 8 * * 1-5","text":"good morning, all"}`},
		{"every monday at 9 summarise MEMORY.md", `schedule {"action":"create","cron":"0 9 * * 1","prompt":true,"text":"summarise MEMORY.md"}`},
		{"every monday and thursday at 9, show MEMORY.md", `schedule {"action":"create","cron":"0 9 * * 1,4","prompt":true,"text":"show MEMORY.md"}`},
		{"every 2 hours what time is it in Tokyo?", `schedule {"action":"create","every":"2h","prompt":true,"text":"what time is it in Tokyo"}`},
		{"every hour tell me to stand up", `schedule {"action":"create","every":"1h","text":"Reminder: stand up"}`},
		{"In 20 minutes, tell me to take the bread out.", `schedule {"action":"create","in":"20m","text":"Reminder: take the bread out"}`},
		{"tell us to leave at 6pm", `schedule {"action":"create","at":"18:00","text":"Reminder: leave"}`},
		{"remind me every month on the 3rd at 00:05 to pay the rent", `schedule {"action":"create","cron":"5 0 3 * *","text":"Reminder: pay the rent"}`},
		{"remind me daily at midnight to sleep", `schedule {"action":"create","cron":"0 0 * * *","text":"Reminder: sleep"}`},
		{"what is scheduled?", `schedule {"action":"list"}`},
		{"What have you got planned for me?", `schedule {"action":"list"}`},
		{"list my reminders", `schedule {"action":"list"}`},
		{"cancel reminder k3f9", `schedule {"action":"remove","id":"k3f9"}`},
		{"please pause job abc", `schedule {"action":"pause","id":"abc"}`},
		{"resume the reminder abc", `schedule {"action":"resume","id":"abc"}`},
		{"in the background: 3*4+5", `spawn {"task":"3*4+5"}`},
		{"In the background, list the files and tell me", `spawn {"task":"list the files"}`},
		{"look into README.md in the background and tell me", `spawn {"task":"look into README.md"}`},
		{"work on 3*4+5 in the background", `spawn {"task":"3*4+5"}`},

		// A text that may mean something else stays as it was.
		{"every day is a gift", ""},
		{"remind me of Paris", ""},
		{"remind me every other day at nine to run", ""},
		{"remind me at 25:00 to run", ""},
		{"remind me at 13 pm to run", ""},
		{"what runs in the background?", ""},
		{"in the background there was noise", ""},
		{"cancel my flight", ""},
		{"show time.md", `read_file {"path":"time.md"}`},
		{"what time is it?", `current_time {}`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			resp, err := model.Chat(t.Context(), []providers.Message{user(tt.text)}, withLater(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, callsOf(resp)); diff != "" {
				t.Errorf("%s\nanswer: %s", diff, resp.Content)
			}
		})
	}
}

// TestAsksForTheTimeZone takes the person's answer and makes the call again with it.
func TestAsksForTheTimeZone(t *testing.T) {
	t.Parallel()
	const refused = `{"error":true,"type":"invalid_arguments","message":"no time zone is known for this chat: ask the person for it and pass it as timezone","details":{}}`
	tests := []struct {
		name    string
		answers []string
		call    string
		says    string
	}{
		{"a sentence", []string{"I am in Europe/Vienna"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Vienna"}`, ""},
		{"the zone", []string{"Europe/Vienna."}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Vienna"}`, ""},
		{"a place", []string{"Ada: > In which time zone are you?\n\nI'm in Salzburg, please"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Vienna"}`, ""},
		{"no place", []string{"I am in Atlantis"}, "", "I do not know the time zone of “Atlantis”."},
		{"no place, then one", []string{"I am in Atlantis", "Tokyo"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Asia/Tokyo"}`, ""},
		{"in a place", []string{"in Berlin"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Berlin"}`, ""},
		{"a zone in small letters", []string{"europe/berlin"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Berlin"}`, ""},
		{"from a place", []string{"I'm from Berlin, Germany."}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Berlin"}`, ""},
		{"not understood, then the zone", []string{"hm, let me think", "Europe/Berlin"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Berlin"}`, ""},
		{"twice not understood, then a place", []string{"hm", "well yes no", "in Berlin"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Berlin"}`, ""},
		{"no place, not understood, then the zone", []string{"I am in Atlantis", "hm", "Europe/Vienna"}, `schedule {"action":"create","at":"tomorrow 09:00","text":"Reminder: call","timezone":"Europe/Vienna"}`, ""},
		{"not understood", []string{"hm"}, "", "I did not understand that. In which time zone are you?"},
		{"something else", []string{"thanks"}, "", "You're welcome."},
		{"something else, then the zone", []string{"thanks", "Europe/Vienna"}, "", "did not understand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			messages := []providers.Message{user("remind me tomorrow at 9:00 to call")}
			first := ask(t, messages, withLater(), nil)
			messages = append(messages, first.Message(), result(first.ToolCalls[0].ID, "schedule", refused))
			asked := ask(t, messages, withLater(), nil)
			if want := "In which time zone are you?"; !strings.HasPrefix(asked.Content, want) {
				t.Fatalf("got %s %q, want %q", callsOf(asked), asked.Content, want)
			}
			messages = append(messages, asked.Message())
			messages = asKept(messages)
			var last *providers.LLMResponse
			for _, text := range tt.answers {
				messages = append(messages, user(text))
				last = ask(t, messages, withLater(), nil)
				messages = append(messages, last.Message())
			}
			if got := callsOf(last); got != tt.call || !strings.Contains(last.Content, tt.says) {
				t.Errorf("got %s %q, want %s %q", got, last.Content, tt.call, tt.says)
			}
		})
	}
}

// asKept gives messages as a history has them, with the text of the arguments alone.
func asKept(messages []providers.Message) []providers.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for k := range out[i].ToolCalls {
			out[i].ToolCalls[k].Arguments = nil
		}
	}
	return out
}

// TestGeneratedReminders asks for generated texts at generated times, in many words.
func TestGeneratedReminders(t *testing.T) {
	t.Parallel()
	model := offline.New(offline.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		what := rapid.StringMatching(`[A-Za-z]{2,8}( [A-Za-z0-9,.]{1,9}){0,6} [a-z]{2,8}x`).Draw(rt, "what")
		h, m := rapid.IntRange(0, 23).Draw(rt, "hour"), rapid.IntRange(0, 59).Draw(rt, "minute")
		hour := rapid.SampledFrom([]string{
			fmt.Sprintf("at %d:%02d", h, m), fmt.Sprintf("at %02d.%02d", h, m),
			time.Date(2026, 1, 1, h, m, 0, 0, time.UTC).Format("at 3:04 pm"), time.Date(2026, 1, 1, h, m, 0, 0, time.UTC).Format("@3:04PM"),
		}).Draw(rt, "hour of the day")
		days := []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
		day := rapid.IntRange(0, 6).Draw(rt, "day")
		n := rapid.IntRange(1, 99_999).Draw(rt, "n")
		date := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 2000).Draw(rt, "date")).Format(time.DateOnly)
		times := map[string]map[string]any{
			fmt.Sprintf("in %d minutes", n):           {"in": time.Duration(n) * time.Minute},
			fmt.Sprintf("in %ds", n):                  {"in": time.Duration(n) * time.Second},
			fmt.Sprintf("in %d hours and %d m", n, m): {"in": time.Duration(n)*time.Hour + time.Duration(m)*time.Minute},
			hour:                          {"at": fmt.Sprintf("%02d:%02d", h, m)},
			"tomorrow " + hour:            {"at": fmt.Sprintf("tomorrow %02d:%02d", h, m)},
			hour + " today":               {"at": fmt.Sprintf("today %02d:%02d", h, m)},
			"on " + date + " " + hour:     {"at": fmt.Sprintf("%s %02d:%02d", date, h, m)},
			"next " + days[day]:           {"at": days[day] + " 09:00"},
			"every day " + hour:           {"cron": fmt.Sprintf("%d %d * * *", m, h)},
			hour + " every " + days[day]:  {"cron": fmt.Sprintf("%d %d * * %d", m, h, day)},
			fmt.Sprintf("every %d h", n):  {"every": time.Duration(n) * time.Hour},
			fmt.Sprintf("each %d min", n): {"every": time.Duration(n) * time.Minute},
		}
		when := rapid.SampledFrom(slices.Sorted(maps.Keys(times))).Draw(rt, "when")
		form := rapid.SampledFrom([]string{
			"remind me %[1]s to %[2]s", "Remind us to %[2]s %[1]s.", "%[1]s, remind me to %[2]s!", "please remind me that %[2]s %[1]s",
			"set a reminder %[1]s: %[2]s", "could you create a reminder to %[2]s %[1]s, please?",
		}).Draw(rt, "form")
		ask := fmt.Sprintf(form, when, what)
		resp, err := model.Chat(t.Context(), []providers.Message{user(ask)}, withLater(), "", nil)
		if err != nil || len(resp.ToolCalls) != 1 {
			rt.Fatalf("%s\ngot %q, %s, %v", ask, resp.Content, callsOf(resp), err)
		}
		want, got := maps.Clone(times[when]), maps.Clone(resp.ToolCalls[0].Arguments)
		want["action"], want["text"] = "create", "Reminder: "+what
		for _, key := range []string{"in", "every"} {
			if text, ok := got[key].(string); ok {
				if got[key], err = time.ParseDuration(text); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%s\n%s", ask, diff)
		}
	})
}

// TestGeneratedBackgroundWork hands over texts as they are.
func TestGeneratedBackgroundWork(t *testing.T) {
	t.Parallel()
	model := offline.New(offline.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		task := rapid.StringMatching(`[A-Za-z0-9äé(]{1,9}( [A-Za-z0-9+*/,.:]{1,9}){0,8}[a-z0-9)]`).Draw(rt, "task")
		form := rapid.SampledFrom([]string{
			"in the background: %s", "In the background: %s and tell me", "please, in the background: %s, then report back.",
		}).Draw(rt,
			"form")
		resp, err := model.Chat(t.Context(), []providers.Message{user(fmt.Sprintf(form, task))}, withLater(), "", nil)
		if err != nil || len(resp.ToolCalls) != 1 || resp.ToolCalls[0].Arguments["task"] != task {
			rt.Fatalf("%s: got %s %q", fmt.Sprintf(form, task), callsOf(resp), resp.Content)
		}
	})
}

func TestABackgroundAgentSaysNothingOfItself(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{
		{Role: providers.RoleSystem, Content: "Be brief. You are a background agent. The assistant of a chat gave you the task that follows."},
		user("3*4+5"),
	}
	first := ask(t, messages, allTools(), nil)
	messages = append(messages, first.Message(), result(first.ToolCalls[0].ID, "calculator", `{"expression":"3*4+5","result":17}`))
	if got := ask(t, messages, allTools(), nil).Content; got != "3*4+5 = 17" {
		t.Errorf("it reports %q", got)
	}
}
