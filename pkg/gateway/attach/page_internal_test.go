package attach

import "testing"

// TestLastSaid: a console that comes back names the words of a person, and neither those that
// were undone nor those of a schedule that fired since.
func TestLastSaid(t *testing.T) {
	t.Parallel()
	said := []message{{Turn: "a", Role: "user", Text: "hello"}, {Turn: "a", Role: "assistant", ID: "a/1"}}
	undone := []message{{Turn: "b", Role: "user", Text: "wrong", Undone: true}, {Turn: "b", Role: "assistant", ID: "b/1"}}
	fired := []message{{Turn: "c", Role: "user", Text: "[schedule]"}, {Turn: "c", Role: "assistant", ID: "c/1", Origin: "job"}}
	for name, tc := range map[string]struct {
		parts [][]message
		want  string
	}{
		"nothing":             {nil, ""},
		"words":               {[][]message{said}, "hello"},
		"undone":              {[][]message{said, undone}, "hello"},
		"a schedule":          {[][]message{said, fired}, "hello"},
		"a schedule alone":    {[][]message{undone, fired}, "[schedule]"},
		"words of a new turn": {[][]message{fired, said}, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p page
			for _, part := range tc.parts {
				p.Messages = append(p.Messages, part...)
			}
			got := ""
			if m := p.lastSaid(); m != nil {
				got = m.Text
			}
			if got != tc.want {
				t.Errorf("the last words are %q, want %q", got, tc.want)
			}
		})
	}
}
