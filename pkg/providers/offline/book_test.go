package offline_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/schedule"
)

// book keeps the jobs of one chat in memory.
type book struct {
	jobs []schedule.Job
	zone string
}

func (b *book) List(context.Context) ([]schedule.Job, error) { return slices.Clone(b.jobs), nil }

func (b *book) Put(ctx context.Context, j schedule.Job) error {
	_ = b.Delete(ctx, j.ID) // it may be new
	b.jobs = append(b.jobs, j)
	return nil
}

func (b *book) Delete(_ context.Context, id string) error {
	b.jobs = slices.DeleteFunc(b.jobs, func(j schedule.Job) bool { return j.ID == id })
	return nil
}

func (*book) Shows(context.Context) {}

func (b *book) Zone(context.Context) (string, error) { return b.zone, nil }

func (b *book) SetZone(_ context.Context, zone string) error {
	b.zone = zone
	return nil
}

// TestRemindersWithTheRealTool holds a conversation about reminders, in the evening in
// Europe and the morning in Tokyo.
func TestRemindersWithTheRealTool(t *testing.T) {
	t.Parallel()
	b := &book{}
	k := newTalk(t)
	k.registry.Register(
		schedule.New(schedule.Options{Book: b, Now: func() time.Time { return time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC) }}),
	)
	messages := []providers.Message{{Role: providers.RoleSystem, Content: "You are Parley."}}
	say := func(text string) string {
		t.Helper()
		messages = append(messages, user(text))
		n := len(messages)
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: k.dir, Level: tools.LevelRead, Key: text})
		res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{Provider: k.model, Tools: k.registry}, messages, "console", "1")
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages[:n:n], res.Messages...)
		return res.Content
	}
	tests := []struct{ text, want string }{
		{"remind me in 2 minutes to drink water", "is scheduled: once on Saturday, 21 November 2026, at 22:02 (UTC), in 2 minutes."},
		{"remind me tomorrow at 9:00 to call", "In which time zone are you?"},
		{"I am in Atlantis", "I do not know the time zone of “Atlantis”"},
		{"Tokyo", "is scheduled: once on Monday, 23 November 2026, at 09:00 (Asia/Tokyo), in 1 day 2 hours."},
		{"remind me at 8:30 to eat", "is scheduled: once on Sunday, 22 November 2026, at 08:30 (Asia/Tokyo), in 1 hour 30 minutes."},
		{"remind me on sunday at noon to rest", "is scheduled: once on Sunday, 22 November 2026, at 12:00 (Asia/Tokyo), in 5 hours."},
		{
			"every day at 06:30 say good morning",
			"is scheduled: every day at 06:30 (Asia/Tokyo), next on Monday, 23 November 2026, at 06:30, in 23 hours 30 minutes.",
		},
		{
			"every monday at 9 summarise MEMORY.md",
			"is scheduled: every Monday at 09:00 (Asia/Tokyo), next on Monday, 23 November 2026, at 09:00, in 1 day 2 hours.",
		},
		{"remind me today at 6:00 to sleep", "is over"},
		{"every 10 seconds tell me a joke", "60 seconds at least"},
		{"what is scheduled?", ": Reminder: drink water (once on Saturday, 21 November 2026, at 22:02 (UTC), in 2 minutes)"},
	}
	for _, tt := range tests {
		if got := say(tt.text); !strings.Contains(got, tt.want) {
			t.Fatalf("%s: got %q, want %q", tt.text, got, tt.want)
		}
	}
	id := b.jobs[0].ID
	for _, tt := range []struct{ text, want string }{
		{"pause reminder " + id, id + " is paused: "},
		{"resume reminder " + id, id + " is on again: "},
		{"cancel reminder " + id, id + " is cancelled."},
		{"cancel reminder " + id, "was not found"},
	} {
		if got := say(tt.text); !strings.Contains(got, tt.want) {
			t.Fatalf("%s: got %q, want %q", tt.text, got, tt.want)
		}
	}
	b.jobs = nil
	if got := say("list reminders"); got != "Nothing is scheduled." {
		t.Errorf("got %q", got)
	}
}
