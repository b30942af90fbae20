package terminal_test

import (
	"regexp"
	"strings"
	"testing"

	"parley/internal/test/terminal"
)

// TestColoursAreThoseOfTheTerminal, from none to all, and no text from outside adds one.
func TestColoursAreThoseOfTheTerminal(t *testing.T) {
	t.Parallel()
	const text = "# Head\n\n`code` **bold** [link](https://example.com/x)\n\n```go\nfunc f() // note\n```\n\n" +
		"\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202ereversed"
	for name, tt := range map[string]struct {
		env  []string
		has  string
		lack *regexp.Regexp
	}{
		"NO_COLOR":    {[]string{"NO_COLOR=yes"}, "\x1b[1m", regexp.MustCompile(`\x1b\[[0-9;]*[34][0-8]`)},
		"16 colours":  {[]string{"TERM=xterm", "TMUX="}, "\x1b[36mcode", regexp.MustCompile(`38;[25]`)},
		"256 colours": {[]string{"TERM=screen-256color"}, "\x1b[38;5;37mcode", regexp.MustCompile(`38;2`)},
		"all colours": {[]string{"TERM=xterm-direct", "COLORTERM=truecolor"}, "code", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t)
			s := newWorld(t, m).chat(terminal.Options{Env: tt.env})
			s.Say("hello")
			r := m.next()
			r.says(text)
			r.ends()
			s.Shows("Head\n\ncode bold link (https://example.com/x)\n\n  func f() // note\n\n␛[31mred␛[0m ␛]0;title␇ <U+202E>reversed\n\n>")
			shown := s.Colours()
			if !strings.Contains(shown, tt.has) || tt.lack != nil && tt.lack.MatchString(shown) {
				t.Errorf("the screen is %q", shown)
			}
			if title := s.Tmux("display-message", "-p", "#{pane_title}"); strings.Contains(title, "title") {
				t.Errorf("the title is %s", title)
			}
			s.Keys("C-d")
			s.Code(0)
		})
	}
}

// TestPlainLines are for bare terminals, and for those who ask.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ env, flags []string }{
		"TERM=dumb": {[]string{"TERM=dumb"}, []string{"chat"}},
		"no TERM":   {[]string{"TERM="}, []string{"chat"}},
		"--plain":   {nil, []string{"chat", "--plain"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWorld(t, nil).start(terminal.Options{Env: tt.env}, tt.flags...)
			s.Shows("\n>")
			s.Say("what is 17*23?")
			s.Shows("17*23 = 391")
			if shown := s.Screen(); strings.Contains(shown, "Enter sends") || strings.Contains(shown, "✓") {
				t.Errorf("the screen is\n%s", shown)
			}
			s.Keys("C-d")
			s.Code(0)
		})
	}
}
