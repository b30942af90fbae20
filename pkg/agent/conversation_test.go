package agent_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// says writes for user 1 and gives the answer.
func (w *world) says(chat, text string) string {
	w.t.Helper()
	w.write(chat, "1", text)
	return w.expect().Text
}

// contains fails where a text lacks one of some parts.
func contains(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("%q lacks %q", said, part)
		}
	}
}

// lacks fails where a text has one of some parts.
func lacks(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(said, part) {
			t.Errorf("%q has %q", said, part)
		}
	}
}

// TestUndoTakesTheLastExchangeOut: the model sees it no more, the one before follows, and the store
// keeps all.
func TestUndoTakesTheLastExchangeOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil)
	for _, text := range []string{"one", "two", "three"} {
		w.says("1", text)
	}
	contains(t, w.says("1", "/undo"), "Taken out of the conversation: “three”", "what it did stays done")
	if got := w.says("1", "four"); got != "one|two|four" {
		t.Errorf("the model read %q", got)
	}
	contains(t, w.says("1", "/undo"), "“four”")
	contains(t, w.says("1", "/undo"), "“two”")
	if got := w.says("1", "five"); got != "one|five" {
		t.Errorf("the model read %q", got)
	}
	contains(t, w.says("1", "/undo"), "“five”")
	contains(t, w.says("1", "/undo"), "“one”")
	contains(t, w.says("1", "/undo"), "There is no exchange to take out")
	if got := w.says("1", "six"); got != "six" {
		t.Errorf("the model read %q", got)
	}
	w.settled()
	want := []string{
		"user: one", "assistant: one", "user: two", "assistant: one|two", "user: three", "assistant: one|two|three",
		"user: four", "assistant: one|two|four", "user: five", "assistant: one|five", "user: six", "assistant: six",
	}
	if d := cmp.Diff(want, w.transcript("1")); d != "" {
		t.Errorf("the store (-want +got)\n%s", d)
	}
}

// TestUndoIsOfItsChat alone, and of its conversation.
func TestUndoIsOfItsChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil)
	w.says("1", "mine")
	w.says("2", "theirs")
	w.says("1", "/new")
	contains(t, w.says("1", "/undo"), "There is no exchange")
	if got := w.says("2", "more"); got != "theirs|more" {
		t.Errorf("the other chat's model read %q", got)
	}
	contains(t, w.says("1", "/resume 1"), "Going on with “mine”")
	if got := w.says("1", "more"); got != "mine|more" {
		t.Errorf("the model read %q", got)
	}
	w.settled()
}

// TestRetryAsksTheLastQuestionAgain: the model sees the earlier exchange with its calls and results,
// reads that it is asked again, and no call is run by that.
func TestRetryAsksTheLastQuestionAgain(t *testing.T) {
	t.Parallel()
	var ran, asked atomic.Int32
	count := fn{name: "count", an: tools.Annotations{Level: tools.LevelRead}, run: func(context.Context, map[string]any) *tools.ToolResult {
		return tools.NewToolResult(fmt.Sprint("counted ", ran.Add(1)))
	}}
	var second []providers.Message
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch asked.Add(1) {
		case 1:
			return call("count", "{}")
		case 2:
			return say("first answer")
		default:
			second = msgs
			return say(fmt.Sprint("another answer after ", len(users(msgs)), " questions"))
		}
	}), []tools.Tool{count})
	if got := w.says("1", "count the books"); got != "first answer" {
		t.Errorf("told %q", got)
	}
	if got := w.says("1", "/retry"); got != "another answer after 2 questions" {
		t.Errorf("told %q", got)
	}
	if n := ran.Load(); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
	var read []string
	note := ""
	for i := range second {
		switch m := &second[i]; {
		case m.Aside:
			note = m.Content
		case m.Role != providers.RoleSystem:
			read = append(read, m.Role+": "+m.Content)
		}
	}
	want := []string{"user: count the books", "assistant: ", "tool: counted 1", "assistant: first answer", "user: count the books"}
	if d := cmp.Diff(want, read); d != "" {
		t.Errorf("the model read (-want +got)\n%s", d)
	}
	contains(t, note, "asks the question that follows again")
	if got := w.says("1", "/retry"); got != "another answer after 3 questions" {
		t.Errorf("the second time it is told %q", got)
	}
	w.settled()
	if d := cmp.Diff([]string{
		"user: count the books", "assistant: [count]", "tool: counted 1", "assistant: first answer",
		"user: count the books", "assistant: another answer after 2 questions",
		"user: count the books", "assistant: another answer after 3 questions",
	}, w.transcript("1")); d != "" {
		t.Errorf("the store (-want +got)\n%s", d)
	}
	contains(t, w.says("1", "/undo"), "“count the books”")
	contains(t, w.says("1", "/usage"), "messages: 3 turns")
}

// TestRetryAfterAFailure asks the question again, of which there was no answer; without a question
// it says so, and asks no model.
func TestRetryAfterAFailure(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	failing := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if asked.Add(1) == 1 {
			return nil, &providers.Error{Kind: providers.KindFiltered, Status: 400}
		}
		return echo(ctx, msgs, defs)
	}
	w := newWorld(t, script(failing), nil)
	contains(t, w.says("1", "/retry"), "There is no question to ask again")
	w.says("1", "one")
	if got := w.says("1", "/retry"); got != "one|one" {
		t.Errorf("told %q", got)
	}
	w.says("1", "/new")
	contains(t, w.says("1", "/retry"), "There is no question to ask again")
	w.settled()
}

// TestCommandsWaitForTheRunningTurn: they are about the exchange that runs when they are sent, and
// those that come twice count once.
func TestCommandsWaitForTheRunningTurn(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"/undo":    {"Taken out of the conversation: “two”", "one|three"},
		"/retry":   {"one|two|two", "one|two|two|three"},
		"/history": {"You: two", "one|two|three"},
		"/new":     {"New conversation started", "three"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			asked, answer := make(chan struct{}, 9), make(chan struct{})
			slow := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
				asked <- struct{}{}
				if strings.HasSuffix(last(msgs).Content, "two") {
					<-answer
				}
				return echo(ctx, msgs, defs)
			}
			w := newWorld(t, script(slow), nil)
			w.says("1", "one")
			<-asked
			w.write("1", "1", "two")
			<-asked
			in := channels.Inbound{
				ID: "again", Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, Text: command, Direct: true,
			}
			w.accept(in, in)
			w.accept(in)
			w.write("1", "1", "three")
			close(answer)
			w.expectText("one|two")
			contains(t, w.expect().Text, want[0])
			w.expectText(want[1])
			w.accept(in)
			w.settled()
		})
	}
}

// TestResumeGoesOnWithAnEarlierConversation: by its number or its id, and back again.
func TestResumeGoesOnWithAnEarlierConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil)
	contains(t, w.says("1", "/resume"), "There is no earlier conversation in this chat")
	for _, text := range []string{"garden", "plants", "/new", "/new", "house", "/new"} {
		w.says("1", text)
	}
	list := w.says("1", "/resume")
	if ok, _ := regexp.MatchString(
		`^Earlier conversations of this chat:\n1\. “house” \(until .*\)\n2\. “garden” \(until .*\)\n\n/resume NUMBER goes on`, list,
	); !ok {
		t.Errorf("told %q", list)
	}
	first := w.chat("1")
	contains(t, w.says("1", "/resume 3"), "There is no earlier conversation 3 in this chat. /resume lists them.")
	contains(t, w.says("1", "/resume s1"), "There is no earlier conversation s1")
	contains(t, w.says("1", "/resume "+first.Session), "There is no earlier conversation")
	contains(t, w.says("1", "/resume 2"),
		"Going on with “garden”", "The conversation until now is kept", "You: plants", "Answer: garden|plants")
	if got := w.says("1", "roses"); got != "garden|plants|roses" {
		t.Errorf("the model read %q", got)
	}
	garden := w.chat("1").Session
	contains(t, w.says("1", "/resume 1"), "Going on with “house”")
	if got := w.says("1", "roof"); got != "house|roof" {
		t.Errorf("the model read %q", got)
	}
	contains(t, w.says("1", "/resume "+garden), "Going on with “garden”")
	if got := w.says("1", "bees"); got != "garden|plants|roses|bees" {
		t.Errorf("the model read %q", got)
	}
	w.settled()
}

// chat is the present conversation of a chat.
func (w *world) chat(name string) session.Info {
	w.t.Helper()
	info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return info
}

// TestNoOtherConversationIsResumed: not by its id, which is that of another chat, and the answer is
// that for an id that there is not.
func TestNoOtherConversationIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil)
	var ids []string
	for _, chat := range []string{"2", "3"} {
		w.write(chat, chat, "canary of "+chat)
		w.expect()
		ids = append(ids, w.chat(chat).Session)
		w.write(chat, chat, "/new")
		w.expect()
		w.write(chat, chat, "present of "+chat)
		w.expect()
		ids = append(ids, w.chat(chat).Session)
	}
	w.says("1", "mine")
	w.says("1", "/new")
	for _, id := range ids {
		said := w.says("1", "/resume "+id)
		if want := "There is no earlier conversation " + id + " in this chat. /resume lists them."; said != want {
			t.Errorf("told %q", said)
		}
	}
	all := w.says("1", "/resume") + w.says("1", "/history") + w.says("1", "hello")
	lacks(t, all, "canary", "present of")
	for _, chat := range []string{"2", "3"} {
		if got := w.chat(chat); got.Entries != 2 {
			t.Errorf("chat %s has %d entries", chat, got.Entries)
		}
	}
	w.settled()
}

// TestHistoryShowsTheLastExchanges, as many as are asked for, without those that are undone and with
// those that a summary stands for.
func TestHistoryShowsTheLastExchanges(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		switch {
		case strings.HasPrefix(m.Content, "Summarise"):
			return say("a summary")
		case m.Role == providers.RoleUser && strings.HasPrefix(m.Content, "look"):
			return call("look", "{}")
		default:
			return say("answer\nto " + users(msgs)[len(users(msgs))-1])
		}
	}), []tools.Tool{look})
	if got := w.says("1", "/history"); got != "This conversation is empty." {
		t.Errorf("told %q", got)
	}
	for i := range 7 {
		w.says("1", fmt.Sprint("question ", i))
	}
	w.says("1", "look there")
	said := w.says("1", "/history")
	contains(t, said, "The last 5 exchanges:", "You: question 3\nAnswer: answer to question 3",
		"You: look there\nAnswer: answer to look there\nTools: look")
	lacks(t, said, "question 2")
	contains(t, w.says("1", "/history 2"), "The last 2 exchanges:", "question 6", "look there")
	contains(t, w.says("1", "/history 99"), "question 0")
	contains(t, w.says("1", "/history much"), "up to 20")
	w.says("1", "/undo")
	lacks(t, w.says("1", "/history"), "look there")
	w.says("1", "/compact")
	w.says("1", "later")
	said = w.says("1", "/history 2")
	contains(t, said, "question 6", "later")
	lacks(t, said, "a summary")
	w.settled()
}

// TestCommandsInAGroup have the rights of the chat: a person takes out what they asked themselves, an
// owner or somebody with the level write also what others did, and changes the conversation.
func TestCommandsInAGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil, func(w *world) {
		p, err := policy.New(policy.Options{Owners: []string{"test:1"}, Channels: map[string]policy.ChannelRules{"test": {Everyone: true}}})
		if err != nil {
			t.Fatal(err)
		}
		w.opts.Authorize = p.Authorize
	})
	as := func(user, text string) string {
		t.Helper()
		w.write("group", user, text)
		return w.expect().Text
	}
	as("2", "of two")
	as("3", "of three")
	contains(t, as("2", "/undo"), "In a group, the person who asked, an owner, or somebody with the level write")
	contains(t, as("3", "/undo"), "“of three”")
	contains(t, as("1", "/undo"), "“of two”")
	as("3", "more")
	as("3", "/new")
	contains(t, as("3", "/resume"), "1. “more”")
	contains(t, as("3", "/resume 1"), "In a group, an owner or somebody with the level write changes the conversation")
	contains(t, as("1", "/resume 1"), "Going on with “more”")
	if got := as("3", "again"); got != "more|again" {
		t.Errorf("the model read %q", got)
	}
	w.settled()
}
