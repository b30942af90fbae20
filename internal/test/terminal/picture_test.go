package terminal_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/terminal"
)

// TestThePictureOfTheReadme is that of a console of today. Where PARLEY_PICTURE names a file, it is
// written there: see make docs.
func TestThePictureOfTheReadme(t *testing.T) {
	t.Parallel()
	const columns = 96
	m := newModel(t)
	w := newWorld(t, m)
	w.write("state/workspace/home/prices.md", "# Prices\n\n17 chairs: 319\n")
	s := w.chat(terminal.Options{Width: columns, Height: 40, Env: []string{"TZ=UTC"}})
	s.Keys("C-l")
	s.Ends(">")
	s.Say("17 chairs at 23 each: is prices.md right?")
	r := m.next()
	r.says("I look it up and work it out.")
	r.callsTool("read_file", `{"path":"prices.md"}`)
	r.callsTool("calculator", `{"expression":"17*23"}`)
	r.ends()
	r = m.next()
	r.says("It is **not**: two figures are swapped.\n\n")
	r.says("| chairs | each | together |\n|--:|--:|--:|\n| 17 | 23 | 391 |\n\nI put it right in `prices.md`.")
	r.callsTool("write_file", `{"path":"prices.md","content":"# Prices\n\n17 chairs: 391\n"}`)
	r.ends()
	s.Shows("Only the person who asked or an owner can decide.")
	armed(s)
	got := s.Colours()
	for old, fixed := range map[string]string{
		`· \d+(\.\d)? m?s\b`: "· 3 ms", `Approval [A-Z0-9]{8}`: "Approval K7QM2XAD", `until \d\d:\d\d:\d\d [A-Z]+`: "until 09:51:00 UTC",
		`until \d\d:\d\d\b([^:]|$)`: "until 09:51$1",
	} {
		got = regexp.MustCompile(old).ReplaceAllString(got, fixed)
	}
	got = terminal.Picture(got, columns)
	s.Keys("n")
	s.Shows("Denied by")
	s.Keys("C-d")
	s.Code(0)
	if name := os.Getenv("PARLEY_PICTURE"); name != "" { //nolint:forbidigo // make docs names it
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("../../../docs/console.svg")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("make docs writes it anew: -want +got\n%s", diff)
	}
}
