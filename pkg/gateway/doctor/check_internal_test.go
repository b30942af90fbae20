package doctor

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/config"
	"parley/pkg/policy"
)

// TestEachCheckEndsInTime whether or not its work does, or panics; one that comes back late with
// findings of its own gives those.
func TestEachCheckEndsInTime(t *testing.T) {
	t.Parallel()
	const limit = 15 * time.Second
	for name, c := range map[string]struct {
		run   func(ctx context.Context, forever <-chan struct{}) []Finding
		took  time.Duration
		found string
	}{
		"that listens to its context": {func(ctx context.Context, _ <-chan struct{}) []Finding {
			<-ctx.Done()
			return []Finding{{"a", Fail, context.Cause(ctx).Error(), "cure"}}
		}, limit, errLate.Error()},
		"that listens to nothing": {func(_ context.Context, forever <-chan struct{}) []Finding {
			<-forever
			return nil
		}, limit + grace, "no result within 15s"},
		"that panics": {func(context.Context, <-chan struct{}) []Finding { panic("broken") }, 0, "the check itself has failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				forever := make(chan struct{})
				defer close(forever)
				begun := time.Now()
				check := Check{Name: "a", Limit: limit, Run: func(ctx context.Context) []Finding { return c.run(ctx, forever) }}
				found := check.run(t.Context(), "parley")
				if took := time.Since(begun); took != c.took {
					t.Errorf("it ends after %v, want %v", took, c.took)
				}
				if len(found) != 1 || found[0].Verdict != Fail || !strings.Contains(found[0].Found, c.found) || found[0].Cure == "" {
					t.Errorf("found %+v", found)
				}
			})
		})
	}
}

// TestEachCheckHasALimit, also those that are skipped.
func TestEachCheckHasALimit(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	cfg.HTTP.Listen, cfg.HTTP.PublicURL = "127.0.0.1:1", "https://bot.example"
	cfg.Channels.Telegram.Enabled, cfg.Channels.Slack.Enabled = true, true
	for _, c := range []struct {
		cfg            *config.Config
		sound, offline bool
	}{{nil, false, false}, {cfg, false, false}, {cfg, true, true}, {cfg, true, false}} {
		o := &Options{Offline: c.offline}
		o.Limits.setDefaults()
		s := &setup{o: o, cfg: c.cfg, sound: c.sound, redactor: policy.NewRedactor()}
		all := s.checks()
		if len(all) == 0 {
			t.Errorf("%+v has no check", c)
		}
		for i := range all {
			if all[i].Limit <= 0 || all[i].Limit > 10*time.Minute || all[i].Name == "" || all[i].Run == nil {
				t.Errorf("the check %q has the limit %v", all[i].Name, all[i].Limit)
			}
		}
	}
}
