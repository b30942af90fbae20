package events_test

import (
	"strings"
	"testing"

	"parley/pkg/events"
	"parley/pkg/policy"
)

// TestNoSecretPasses in pieces, in a call, in a result, in a message or in an error.
func TestNoSecretPasses(t *testing.T) {
	t.Parallel()
	const secret = "sk-canary-0123456789"
	redactor := policy.NewRedactor(secret)
	h := events.New(events.Options{Redact: redactor.Redact, Unsettled: redactor.Unsettled})
	before := h.Mark(at("1"))
	turn := say(h, "1", "t1", "it is sk-can", "ary-01234", "56789, ", "and sk-c")
	turn.Reasoning("sk-canary-")
	turn.Reasoning("0123456789 hm")
	turn.CallDelta("c", "look", `{"q":"sk-canary`)
	turn.CallDelta("c", "look", `-0123456789"}`)
	turn.Answered()
	turn.Tell(events.Call{ID: "c", Called: "look", Arguments: []byte(`{"q":"` + secret + `"}`), Summary: "look: " + secret})
	turn.Progress("c", secret)
	turn.Result(events.Result{ID: "c", Result: secret})
	turn.Tell(events.Failure{Message: secret})
	turn.Tell(events.Notice{Text: secret})
	turn.Tell(events.Question{Question: secret, Arguments: []byte(`{"q":"` + secret + `"}`)})
	turn.Tell(events.Resolved{By: secret})
	h.Delivered(at("1"), "m", events.Message{Text: secret, File: secret})
	turn.Done(events.Done{Text: secret}, "")
	lines, _ := drain(t, h, "1", before)
	all := strings.Join(lines, "\n")
	if strings.Contains(all, secret) || strings.Contains(all, "canary") {
		t.Errorf("a secret, or a part of one, passed:\n%s", all)
	}
	if n := strings.Count(all, "[redacted]"); n < 13 || !strings.Contains(all, "and ") {
		t.Errorf("redacted %d times:\n%s", n, all)
	}
	var text strings.Builder
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(l, "token {"); ok {
			text.WriteString(strings.TrimSuffix(rest, "}"))
		}
	}
	if got := text.String(); got != "it is [redacted], and sk-c" {
		t.Errorf("the text is %q", got)
	}
}

// TestASecretThatEndsAsItBegins passes neither whole nor in two pieces.
func TestASecretThatEndsAsItBegins(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-canary-s3"
	redactor := policy.NewRedactor(secret)
	for name, pieces := range map[string][]string{
		"in one piece":  {"it is " + secret, " now"},
		"in two pieces": {"it is s3cret-can", "ary-s3", " now"},
		"at the end":    {"it is ", secret},
	} {
		h := events.New(events.Options{Redact: redactor.Redact, Unsettled: redactor.Unsettled})
		before := h.Mark(at("1"))
		say(h, "1", "t1", pieces...).Answered()
		if lines, _ := drain(t, h, "1", before); strings.Contains(strings.Join(lines, ""), "canary") {
			t.Errorf("%s: %q", name, lines)
		}
	}
}

// TestNoTokenCutsACharacter, however the model's server cuts its pieces.
func TestNoTokenCutsACharacter(t *testing.T) {
	t.Parallel()
	const text = "gr\u00fc\u00dfe \u4f60\u597d \U0001f600!"
	h := events.New(events.Options{})
	before := h.Mark(at("1"))
	turn := say(h, "1", "t1")
	for i := range len(text) {
		turn.Token(text[i : i+1])
	}
	turn.Token("\xf0\x9f")
	turn.Answered()
	lines, _ := drain(t, h, "1", before)
	var whole strings.Builder
	for _, l := range lines[1:] {
		piece := strings.TrimSuffix(strings.TrimPrefix(l, "token {"), "}")
		whole.WriteString(piece)
	}
	if got := whole.String(); got != text+"\uFFFD" {
		t.Errorf("got %q", got)
	}
}
