package outbound_test

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/outbound"
)

// offline is a way out that does not send.
func offline(t *testing.T, stream string) *outbound.Sender {
	t.Helper()
	client, err := api.New(api.Options{BotToken: func() string { return "x" }})
	if err != nil {
		t.Fatal(err)
	}
	return outbound.New(outbound.Options{API: client, Team: "T1", Stream: stream})
}

// TestTheAskersAreBounded: of many addresses the newest are remembered.
func TestTheAskersAreBounded(t *testing.T) {
	t.Parallel()
	c := offline(t, outbound.StreamAuto)
	for i := range 5000 {
		c.Heard(channels.Address{Chat: fmt.Sprint("C", i), Thread: "1.000001"}, "1.000001", "U1")
	}
	if n := c.Remembered(); n > 1024 {
		t.Errorf("%d are remembered", n)
	}
	native := offline(t, outbound.StreamNative)
	first, last := channels.Address{Chat: "C1", Thread: "1.000001"}, channels.Address{Chat: "C2", Thread: "1.000001"}
	native.Heard(first, "1.000001", "U1")
	for range 2000 {
		native.Heard(last, "1.000001", "U1")
	}
	if !native.Edits(first) || !native.Edits(last) {
		t.Error("one that writes often drives others out")
	}
}

func TestWhatIsSteadyStays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"plain words":               "plain words",
		"plain words with **bo":     "plain words with",
		"# Title":                   "",
		"- item":                    "",
		"One.\n\nTwo `co":           "One.\n\nTwo",
		"One **bold**.\n\nTwo":      "One **bold**.\n\nTwo",
		"One **bold**.\n\n**Two":    "One **bold**.",
		"```\nx = 1":                "",
		"Words\n\n| a | b |\n|---|": "Words",
	} {
		if got := outbound.Steady(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSectionsHoldAll(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one line":  strings.Repeat("x", 10_000),
		"lines":     strings.Repeat("some words\n", 900),
		"code":      "```\n" + strings.Repeat("some words\n", 900) + "```",
		"two codes": "```\na\n```\n" + strings.Repeat("b\n", 4000) + "```\nc\n```",
		"entities":  strings.Repeat("ab&lt;&amp;", 1000),
		"short":     "short",
	} {
		got := outbound.Sections(text)
		var letters, read strings.Builder
		for _, s := range got {
			if n := utf8.RuneCountInString(s); n > 3000 || n == 0 {
				t.Errorf("%s: a section of %d", name, n)
			}
			if strings.Count(s, "```")%2 != 0 {
				t.Errorf("%s: code is left open", name)
			}
			letters.WriteString(s)
			read.WriteString(html.UnescapeString(s))
		}
		strip := strings.NewReplacer("\n", "", "`", "")
		if strip.Replace(letters.String()) != strip.Replace(text) {
			t.Errorf("%s: something is lost", name)
		}
		if strip.Replace(read.String()) != strip.Replace(html.UnescapeString(text)) {
			t.Errorf("%s: an entity is cut", name)
		}
	}
}
