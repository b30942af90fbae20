package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// book is a place that a tool overwrites, with an edition that a call relies on.
type book struct {
	mu      sync.Mutex
	edition string
	written []string
	// began, when set, is told that a call has begun, which then waits for its end.
	began chan struct{}
}

type page struct {
	Text string `json:"text"`
}

func (b *book) tool() tools.Tool {
	return tools.NewExamined("overwrite", "Overwrites the book.", tools.Annotations{Destructive: true},
		func(_ context.Context, in page) (tools.Examination, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return tools.Examination{Destructive: true, Text: "overwrite with " + in.Text, State: b.edition}, nil
		},
		func(ctx context.Context, in page) (any, error) {
			if b.began != nil {
				b.began <- struct{}{}
				<-ctx.Done()
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.written = append(b.written, in.Text)
			return "written", ctx.Err()
		})
}

func (b *book) set(edition string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.edition = edition
}

func (b *book) texts() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.written)
}

// writer is a model that overwrites the file that it is told to, and repeats results.
func writer(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	m := last(msgs)
	if m.Role == providers.RoleTool {
		return say("result: " + m.Content)
	}
	return call("overwrite", fmt.Sprintf("{\n \"text\": %q}", m.Content))
}

// asking lets questions be put wherever a test runs.
func asking(o *agent.Options) {
	surface(o, func(s *turn.Surface) { s.CanAsk = func(channels.Outbound) error { return nil } })
}

// press lets somebody press the button with a label below a message.
func (w *world) press(chat, user string, question channels.Outbound, label string) {
	w.t.Helper()
	for _, b := range question.Buttons {
		if b.Label == label {
			w.mu.Lock()
			w.n++
			id := fmt.Sprint("press", w.n)
			w.mu.Unlock()
			w.accept(channels.Inbound{
				ID: id, Kind: channels.KindButton, Address: chatAddr(chat), Sender: channels.Sender{ID: user, Name: "user " + user},
				Text: b.Data, Direct: !strings.HasPrefix(chat, "group"), MessageID: "m", Time: time.Now(),
			})
			return
		}
	}
	w.t.Fatalf("there is no button %q below %q", label, question.Text)
}

// question waits for one and looks at it.
func (w *world) question(shows string) channels.Outbound {
	w.t.Helper()
	o := w.expect()
	if len(o.Buttons) == 0 || !strings.Contains(o.Text, shows) {
		w.t.Fatalf("sent %q with %d buttons, want a question that shows %q", o.Text, len(o.Buttons), shows)
	}
	return o
}

// approval is the one question there is.
func (w *world) approval() session.Approval {
	w.t.Helper()
	all, err := w.eng.Approvals().ApprovalList(w.t.Context(), "")
	if err != nil || len(all) != 1 {
		w.t.Fatalf("%d questions, %v", len(all), err)
	}
	return all[0]
}

func TestACallThatAPersonAllowsRunsOnceAndAsShown(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "page one")
	q := w.question("overwrite with page one")
	w.settled()
	if got := b.texts(); len(got) > 0 {
		t.Fatalf("it ran before it was allowed: %q", got)
	}
	if got := w.approval(); got.Call.Arguments != `{"text":"page one"}` || got.State != session.ApprovalOpen {
		t.Errorf("stored %s, %s", got.Call.Arguments, got.State)
	}
	w.restart() // waiting survives
	w.press("1", "1", q, "Allow once")
	if o := w.expect(); o.Finishes != q.ID || !strings.Contains(o.Text, "Allowed once by user 1") {
		t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
	}
	w.expectText("result: written")
	w.settled()

	// A press that is repeated, after a restart too, only says so.
	for range 2 {
		w.press("1", "1", q, "Allow once")
		if got := w.expect().Text; !strings.Contains(got, "already decided") {
			t.Errorf("told %q", got)
		}
		w.restart()
	}
	w.settled()
	if d := cmp.Diff([]string{"page one"}, b.texts()); d != "" {
		t.Error(d)
	}
	a := w.approval()
	if a.State != session.ApprovalAllowed || a.Answer.By.ID != "1" || a.Answer.Turn == "" || a.Answer.Turn == a.Call.Turn {
		t.Errorf("the question is stored as %+v", a)
	}
	got := w.transcript("1")
	want := []string{
		"user: page one", "assistant: [overwrite]", "tool: waiting for approval",
		"user: [approval " + a.ID + "] user 1 decided on the call call_overwrite of overwrite(",
		"assistant: [overwrite]", "tool: written", "assistant: result: written",
	}
	for i, line := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], line) {
			t.Fatalf("history %q, want %q", got, want)
		}
	}
}

func TestADeniedCallIsInTheHistory(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "page one")
	q := w.question("page one")
	w.press("1", "1", q, "Deny")
	if o := w.expect(); o.Finishes != q.ID || !strings.Contains(o.Text, "Denied by user 1") {
		t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
	}
	w.settled()
	if got := b.texts(); len(got) > 0 || w.approval().State != session.ApprovalDenied {
		t.Errorf("it ran: %q, and the question is %s", got, w.approval().State)
	}
	all := strings.Join(w.transcript("1"), "\n")
	for _, want := range []string{`"type":"approval_denied"`, "call_overwrite of overwrite", "user 1 decided"} {
		if !strings.Contains(all, want) {
			t.Errorf("the history has no %s:\n%s", want, all)
		}
	}
}

func TestAllowHere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking), everybodyWrites())
		w.write("group1", "7", "one")
		w.press("group1", "7", w.question("one"), "Allow here")
		w.expect()
		w.expectText("result: written")
		w.write("group1", "7", "two")
		w.expectText("result: written")
		w.write("group1", "8", "three") // another person
		w.question("three")
		w.write("group2", "7", "four") // another chat
		w.question("four")
		pass(24 * time.Hour)
		w.write("group1", "7", "five")
		w.question("five")
		w.settled()
		if d := cmp.Diff([]string{"one", "two"}, b.texts()); d != "" {
			t.Error(d)
		}
	})
}

func TestARevokedGrantAllowsNothing(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "one")
	w.press("1", "1", w.question("one"), "Allow here")
	w.expect()
	w.expectText("result: written")
	if _, err := w.eng.Approvals().RevokeGrant(t.Context(), w.approval().ID); err != nil {
		t.Fatal(err)
	}
	w.write("1", "1", "two")
	w.question("two")
	w.settled()
}

// TestAGrantIsRevokedInItsChat by the person who has it, or by an owner; others are refused.
func TestAGrantIsRevokedInItsChat(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking), everybodyWrites())
	as := func(chat, user, text string) string {
		t.Helper()
		w.write(chat, user, text)
		return w.expect().Text
	}
	allow := func(user, text string) {
		t.Helper()
		w.write("group1", user, text)
		w.press("group1", user, w.question(text), "Allow here")
		w.expect()
		w.expectText("result: written")
	}
	allow("7", "one")
	id := w.approval().ID
	contains(t, as("group1", "8", "/status"), "Allowed here: `overwrite` for the person who asked", id)
	contains(t, as("group1", "8", "/revoke "+strings.ToLower(id)), "Only the person who asked or an owner can revoke")
	contains(t, as("group2", "7", "/revoke "+id), "No call is allowed in advance in this chat.")
	contains(t, as("group1", "7", "/revoke OVERWRITE"), "Revoked: calls of `overwrite` for the person who asked")
	w.write("group1", "7", "two")
	w.press("group1", "7", w.question("two"), "Allow here")
	w.expect()
	w.expectText("result: written")
	contains(t, as("group1", "1", "/revoke overwrite"), "Revoked: calls of `overwrite` for the person who asked")
	w.write("group1", "7", "three")
	w.question("three")
	w.settled()
}

func TestWhatExecutesIsAllowedOnceOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if m := last(msgs); m.Role == providers.RoleTool {
			return say(m.Content)
		}
		return call("run", "{}")
	}), []tools.Tool{fn{name: "run", an: tools.Annotations{Executes: true}, run: func(context.Context, map[string]any) *tools.ToolResult {
		return tools.NewToolResult("ran")
	}}}, withOptions(asking), withOptions(func(o *agent.Options) { o.Approvals.Default = policy.AskNever }))
	w.write("1", "1", "go")
	q := w.question("{}")
	for _, b := range q.Buttons {
		if b.Label == "Allow here" {
			t.Error("it can be allowed in advance")
		}
	}
	forged := q
	forged.Buttons = []channels.Button{{Label: "Allow here", Data: strings.Replace(q.Buttons[0].Data, "/once", "/here", 1)}}
	w.press("1", "1", forged, "Allow here")
	if got := w.expect().Text; !strings.Contains(got, "one at a time") {
		t.Errorf("told %q", got)
	}
	w.press("1", "1", q, "Allow once")
	w.expect()
	w.expectText("ran")
	w.settled()
}

func TestWhereNobodyCanPressTheCallIsRefused(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()})
	w.write("1", "1", "one")
	if got := w.expect().Text; !strings.Contains(got, `"approval_denied"`) || !strings.Contains(got, "no person can press a button here") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if got := b.texts(); len(got) > 0 {
		t.Errorf("it ran: %q", got)
	}
}

func TestACallThatWasCutOffAfterItWasAllowedDoesNotRunAgain(t *testing.T) {
	t.Parallel()
	b := &book{began: make(chan struct{}, 1)}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking),
		withGrace(time.Millisecond))
	w.write("1", "1", "one")
	q := w.question("one")
	w.press("1", "1", q, "Allow once")
	<-b.began
	w.restart()
	w.expect()
	if got := w.expect().Text; !strings.Contains(got, "unknown whether it took effect") {
		t.Errorf("told %q", got)
	}
	w.press("1", "1", q, "Allow once")
	if got := w.expect().Text; !strings.Contains(got, "already decided") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if len(b.texts()) > 1 || len(b.began) > 0 {
		t.Errorf("it began again: %q", b.texts())
	}
}

func TestTheOperatorDecidesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "one")
	w.question("one")
	a := w.approval()
	for i := range 2 { // the second one is the same decision, or comes when the first was taken
		err := w.agent.Approvals().Decide(t.Context(), session.Decision{Approval: a.ID, Allow: true})
		if err != nil && (i == 0 || !strings.Contains(err.Error(), "is already decided")) {
			t.Fatal(err)
		}
	}
	if got := w.expect().Text; !strings.Contains(got, "Allowed once by the operator") {
		t.Errorf("told %q", got)
	}
	w.expectText("result: written")
	w.settled()
	if d := cmp.Diff([]string{"one"}, b.texts()); d != "" {
		t.Error(d)
	}
}

// TestTheOperatorAllowsHere: the operator's decision of a chat's question covers the later calls too.
func TestTheOperatorAllowsHere(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "one")
	w.question("one")
	if err := w.agent.Approvals().Decide(t.Context(), session.Decision{Approval: w.approval().ID, Allow: true, Here: true}); err != nil {
		t.Fatal(err)
	}
	if got := w.expect().Text; !strings.Contains(got, "Allowed here, for 24 hours by the operator") {
		t.Errorf("told %q", got)
	}
	w.expectText("result: written")
	w.write("1", "1", "two")
	w.expectText("result: written")
	w.settled()
	if d := cmp.Diff([]string{"one", "two"}, b.texts()); d != "" {
		t.Error(d)
	}
}
