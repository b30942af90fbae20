package console

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"

	"parley/pkg/console/ansi"
	"parley/pkg/events"
)

// TestAQuestionNeedsAMoment on screen before a key answers it, each one anew.
func TestAQuestionNeedsAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := transcript{theme: ansi.NewTheme(colorprofile.ASCII), width: 80}
		a := asks{said: &said}
		for _, id := range []string{"one", "two"} {
			a.add(&events.Question{ID: id, Called: "write_file", Question: "Allow it?", Choices: []string{"allow_once", "deny"}})
		}
		answers := func(key, want string) {
			t.Helper()
			if got, ok := a.takes(key); got != want || ok != (want != "") {
				t.Errorf("%s answers %q", key, got)
			}
		}
		answers("y", "")
		<-time.After(armTime)
		answers("y", "allow_once")
		answers("n", "deny")
		answers("a", "") // it is not offered
		answers("x", "")
		a.close("one")
		answers("y", "")
		<-time.After(armTime)
		answers("y", "allow_once")
		a.aside = true
		answers("y", "")
		a.close("two")
		answers("y", "")
	})
}

// TestKeysAreDrawnAgainOnceTheyWork, also where their moment ends between a drawing and what follows it.
func TestKeysAreDrawnAgainOnceTheyWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := transcript{theme: ansi.NewTheme(colorprofile.ASCII), width: 80}
		m := model{asks: asks{said: &said}}
		m.asks.add(&events.Question{ID: "one", Called: "write_file", Question: "Allow it?", Choices: []string{"allow_once"}})
		m.asks.bar(true)
		<-time.After(armTime)
		if m.later() == nil {
			t.Error("the keys stay as they are")
		}
		m.soon = false
		m.asks.bar(true)
		if m.later() != nil {
			t.Error("the keys are drawn without end")
		}
	})
}

// TestAllKeysOfAQuestionAreShown, however narrow the terminal is.
func TestAllKeysOfAQuestionAreShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, width := range []int{39, 59, 79, 199} {
			said := transcript{theme: ansi.NewTheme(colorprofile.ASCII), width: width}
			a := asks{said: &said}
			a.add(&events.Question{
				ID: "one", Called: "write_file", Question: "Allow it?", Choices: []string{"allow_once", "allow_here", "deny"},
				ExpiresAt: time.Now().Add(time.Hour),
			})
			<-time.After(armTime)
			var shown []string
			for _, l := range a.bar(true) {
				if l.Columns() > width {
					t.Errorf("%d columns: %q", width, l.String())
				}
				shown = append(shown, l.String())
			}
			all := strings.Join(shown, " ")
			for _, want := range []string{"[y]", "[a]", "[n]", "until"} {
				if !strings.Contains(all, want) {
					t.Errorf("%d columns: %s is not in %q", width, want, all)
				}
			}
		}
	})
}
