package console

import (
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
