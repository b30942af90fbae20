package console_test

import (
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
)

// show puts text on the screen of c as a message.
func show(t *testing.T, c *console.Channel, text, draft string) {
	t.Helper()
	_, err := c.Send(t.Context(), channels.Part{Outbound: channels.Outbound{Address: c.Address(), Text: text, Draft: draft}, Count: 1})
	if err != nil {
		t.Errorf("Send: %v", err)
	}
}

func TestDraftsGrow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		drafts []string
		final  string
		want   string
	}{
		{"no draft", nil, "Hello", "Hello\n> "},
		{"grows", []string{"He", "Hello", "Hello wor"}, "Hello world", "Hello world\n> "},
		{"complete already", []string{"Hello"}, "Hello", "Hello\n> "},
		{"ends in a line break", []string{"Hello\n"}, "Hello\n", "Hello\n> "},
		{"ended in blanks", []string{"\nHello \n\n"}, "Hello", "Hello\n> "},
		{"blank so far", []string{" \n"}, "Hello", "Hello\n> "},
		{"became another", []string{"Hello", "Bonjour"}, "Bonjour!", "Hello\nBonjour!\n> "},
		{"final is another", []string{"Hello"}, "Sorry", "Hello\nSorry\n> "},
		{"escape cut in two", []string{"a\x1b", "a\x1b[31m"}, "a\x1b[31mred", "a␛[31mred\n> "},
		{"code point cut in two", []string{"a\xe2\x82"}, "a€", "a€\n> "},
		{"C1 cut in two", []string{"a\xc2"}, "a\u009b", "a<U+009B>\n> "},
		{"carriage return at the cut", []string{"a\r"}, "a\rb", "a␍b\n> "},
		{"line break cut in two", []string{"a\r"}, "a\r\nb", "a\nb\n> "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := &screen{}
			c := console.New(console.Options{Out: out, Interactive: true})
			for _, d := range tc.drafts {
				if err := c.Draft(t.Context(), c.Address(), "d", d); err != nil {
					t.Fatal(err)
				}
			}
			show(t, c, tc.final, "d")
			if got := out.String(); got != tc.want {
				t.Errorf("shown %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMessageGoesOnWhereACutOffDraftStands(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out, Interactive: true})
	if err := c.Draft(t.Context(), c.Address(), "d", "Hello"); err != nil {
		t.Fatal(err)
	}
	show(t, c, "Hello there", "") // the caller of the draft was told that it failed
	if got := out.String(); got != "Hello there\n> " {
		t.Errorf("shown %q", got)
	}
}

func TestScreenKeepsLinesApart(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out, Interactive: true})
	show(t, c, "one", "")
	show(t, c, "two", "") // takes the place of the prompt
	if err := c.Status(t.Context(), c.Address(), "read\x1b_file\nnow"); err != nil {
		t.Fatal(err)
	}
	if err := c.Draft(t.Context(), c.Address(), "d", "gro"); err != nil {
		t.Fatal(err)
	}
	show(t, c, "between", "")
	for range 2 {
		if err := c.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const clearLine = "\r\x1b[K"
	want := "one\n> " + clearLine + "two\n> " + clearLine + "[read␛_file now]\ngro\nbetween\n> "
	if got := out.String(); got != want {
		t.Errorf("shown %q\nwant  %q", got, want)
	}
}

func TestPipedOutputHasAnswersOnly(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out})
	for _, f := range []func() error{
		func() error { return c.Draft(t.Context(), c.Address(), "d", "gro") },
		func() error { return c.Status(t.Context(), c.Address(), "note") },
		func() error { return c.Idle(t.Context()) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	show(t, c, "391", "d")
	show(t, c, "MEMORY.md\n", "")
	if got := out.String(); got != "391\nMEMORY.md\n" {
		t.Errorf("shown %q", got)
	}
}

func TestAFileIsToldByItsPath(t *testing.T) {
	t.Parallel()
	for caption, want := range map[string]string{"the report": "the report\n[file] /space/a b.txt␛[1m\n", "": "[file] /space/a b.txt␛[1m\n"} {
		out := &screen{}
		c := console.New(console.Options{In: strings.NewReader(""), Out: out})
		_, err := c.SendFile(t.Context(), channels.FilePart{Part: channels.Part{Outbound: channels.Outbound{
			Address: c.Address(), Text: caption, File: &channels.File{Name: "a b.txt", Path: "/space/a b.txt\x1b[1m"},
		}, Count: 1}})
		if err != nil || out.String() != want {
			t.Errorf("shown %q, %v", out.String(), err)
		}
	}
}
