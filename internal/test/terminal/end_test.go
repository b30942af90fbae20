package terminal_test

import (
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/terminal"
)

// TestCtrlCHasThreeSteps: it clears the line, then stops the turn, then leaves.
func TestCtrlCHasThreeSteps(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	s := newWorld(t, m).chat(terminal.Options{})
	s.Say("hello")
	m.next().says("A long answer beg")
	s.Shows("A long answer beg")
	s.Type("and another thing")
	s.Shows("> and another thing")
	s.Keys("C-c")
	s.Ends("* writing N s · Ctrl-C stops\n>")
	s.Keys("C-c")
	s.Shows("Stopped.")
	s.Ends(">")
	s.Shows("A long answer beg")
	s.Keys("C-c")
	s.Shows("left; to go on here: ")
	s.Code(130)
}

// TestNotesAtTheStartKeepTheirWords in a narrow terminal.
func TestNotesAtTheStartKeepTheirWords(t *testing.T) {
	t.Parallel()
	s := newWorld(t, nil).start(terminal.Options{Width: 40, Height: 30}, "chat", "--session", "far")
	s.Shows("because models.main in\nthe configuration names it. To use\nanother: change it in")
	s.Shows("a new conversation: far")
	s.Shows("Enter sends") // before, the terminal itself would take the key
	s.Keys("C-d")
	s.Shows("--session far\ncode=0")
	s.Code(0)
}

// TestEveryEndGivesTheTerminalBack, with its modes as they were.
func TestEveryEndGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(s *terminal.Terminal)
		code int
	}{
		"Ctrl-D":     {func(s *terminal.Terminal) { s.Keys("C-d") }, 0},
		"/quit":      {func(s *terminal.Terminal) { s.Say("/quit") }, 0},
		"exit":       {func(s *terminal.Terminal) { s.Say("exit") }, 0},
		"Ctrl-C":     {func(s *terminal.Terminal) { s.Keys("C-c") }, 130},
		"SIGTERM":    {func(s *terminal.Terminal) { s.Signal(syscall.SIGTERM) }, 0},
		"SIGINT":     {func(s *terminal.Terminal) { s.Signal(syscall.SIGINT) }, 130},
		"two of it":  {func(s *terminal.Terminal) { s.Type("half"); s.Signal(syscall.SIGTERM) }, 0},
		"a SIGHUP":   {func(s *terminal.Terminal) { s.Signal(syscall.SIGHUP) }, 0},
		"while busy": {func(s *terminal.Terminal) { s.Say("what is 6*7?"); s.Keys("C-d") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWorld(t, nil).chat(terminal.Options{})
			tt.end(s)
			s.Code(tt.code)
			// The shell behind it shows each line that is typed, as before.
			s.Say("after")
			s.Shows("after\nafter")
			if modes := s.Tmux("display-message", "-p", "#{cursor_flag} #{wrap_flag} #{keypad_flag}"); strings.TrimSpace(modes) != "1 1 0" {
				t.Errorf("the modes are %s", modes)
			}
		})
	}
}
