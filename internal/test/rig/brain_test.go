package rig_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/rig"
	"parley/pkg/providers"
)

const (
	first  = "aaaaaaaaaaaa"
	second = "bbbbbbbbbbbb"
)

func user(text string) providers.Message { return providers.Message{Role: "user", Content: text} }

func assistant(text string, calls ...string) providers.Message {
	m := providers.Message{Role: "assistant", Content: text}
	for _, id := range calls {
		m.ToolCalls = append(m.ToolCalls, providers.ToolCall{ID: id})
	}
	return m
}

func result(id, text string) providers.Message {
	return providers.Message{Role: "tool", ToolCallID: id, Content: text}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	script := rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "one"}, {Tool: "two"}}, {{Tool: "three"}}}}
	ask := func(s rig.Script, nonce string) providers.Message { return user(s.Text() + " nq" + nonce) }
	c00, c01, c10 := rig.CallID(first, 0, 0), rig.CallID(first, 0, 1), rig.CallID(first, 1, 0)
	tests := map[string]struct {
		messages []providers.Message
		calls    []string
		text     string
	}{
		"nobody asks":      {messages: []providers.Message{user("hello")}, text: "NO_REPLY"},
		"answered already": {messages: []providers.Message{ask(rig.Script{}, first), assistant("answer")}, text: "NO_REPLY"},
		"one ask":          {messages: []providers.Message{ask(rig.Script{}, first)}, text: "answer rq" + first},
		"two asks": {
			messages: []providers.Message{ask(rig.Script{}, first), ask(rig.Script{}, second)},
			text:     "answer rq" + first + "\nanswer rq" + second,
		},
		"new ask after an answer": {
			messages: []providers.Message{ask(rig.Script{}, first), assistant("x"), ask(rig.Script{}, second)},
			text:     "answer rq" + second,
		},
		"first round": {messages: []providers.Message{ask(script, first)}, calls: []string{c00, c01}},
		"second round": {
			messages: []providers.Message{ask(script, first), assistant("", c00, c01), result(c00, ""), result(c01, "")},
			calls:    []string{c10},
		},
		"rounds done": {
			messages: []providers.Message{
				ask(script, first), assistant("", c00, c01), result(c00, ""),
				result(c01, ""), assistant("", c10), result(c10, ""),
			},
			text: "answer rq" + first,
		},
		"an ask within a call's arguments is not asked": {
			messages: []providers.Message{
				ask(rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "spawn", Args: map[string]any{"task": script.Ask(second)}}}}}, first),
			},
			calls: []string{c00},
		},
		"the letters of the mark in the id of a job": {
			messages: []providers.Message{user("Schedule 603tnqz3 was due at noon. " + rig.Script{Quiet: true, Parts: []string{"one"}}.Ask(first))},
			text:     "one",
		},
		"a quiet ask": {messages: []providers.Message{ask(rig.Script{Quiet: true, Parts: []string{"one", "two"}}, first)}, text: "one two"},
		"background work that ended": {
			messages: []providers.Message{
				ask(script, first), assistant("x"),
				user("[background task] spawn ended (done). The person has not been told yet.\nResult:\nfound"),
			},
			text: "ended: found",
		},
		"background work that was told": {
			messages: []providers.Message{user("[background task] x ended (done). The person has already been shown this text: y\nResult:\nfound")},
			text:     "NO_REPLY",
		},
		"an ask that joined between rounds": {
			messages: []providers.Message{ask(script, first), assistant("", c00, c01), result(c00, ""), result(c01, ""), ask(script, second)},
			calls:    []string{c10, rig.CallID(second, 0, 0), rig.CallID(second, 0, 1)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := rig.NewBrain().Decide(tc.messages)
			var calls []string
			for _, c := range got.ToolCalls {
				calls = append(calls, c.ID)
			}
			if diff := cmp.Diff(tc.calls, calls); diff != "" {
				t.Error(diff)
			}
			if got.Content != tc.text {
				t.Errorf("text %q, want %q", got.Content, tc.text)
			}
		})
	}
}

func TestBrainRemembersResults(t *testing.T) {
	t.Parallel()
	b := rig.NewBrain()
	id := rig.CallID(first, 0, 0)
	if _, ok := b.Result(id); ok {
		t.Error("a result before any request")
	}
	b.Decide([]providers.Message{user("x nq" + first), assistant("", id), result(id, "done")})
	if got, ok := b.Result(id); got != "done" || !ok {
		t.Errorf("Result = %q, %v", got, ok)
	}
}

func TestPartsArePaddedWithWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := rig.Script{Parts: []string{"PART1", "PART2"}, Pad: 3000}
	resp, nonces := rig.NewBrain().Decide([]providers.Message{user(s.Text() + " nq" + first)})
	if diff := cmp.Diff([]string{first}, nonces); diff != "" {
		t.Error(diff)
	}
	var want, got []string
	for part := range s.Parts {
		words := s.Words(first, part)
		if size := len(strings.Join(words, " ")); size < s.Pad-1 || size > s.Pad+30 {
			t.Errorf("part %d is followed by %d bytes", part, size)
		}
		want = append(want, words...)
	}
	seen := map[string]bool{}
	for w := range strings.FieldsSeq(resp.Content) {
		if strings.HasPrefix(w, "w"+first) {
			got = append(got, w)
			if seen[w] {
				t.Fatalf("%q comes twice", w)
			}
			seen[w] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, part := range s.Parts {
		if !strings.Contains(resp.Content, "**"+part+"**") {
			t.Errorf("%s is missing: %.100q", part, resp.Content)
		}
	}
}
