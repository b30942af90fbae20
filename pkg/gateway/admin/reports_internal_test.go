package admin

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// TestReports: scripts read the reports on tasks, jobs and approvals by these names.
func TestReports(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Unix(2_000_000_000+int64(seconds), 0).UTC() }
	place, ada := channels.Address{Channel: "telegram", Account: "bot", Chat: "17"}, channels.Sender{ID: "7", Name: "Ada"}
	g := &Gateway{Schedule: func(spec json.RawMessage) string { return "read from " + string(spec) }}
	for name, c := range map[string]struct {
		report any
		want   string
	}{
		"task": {newTaskReport(&session.Task{
			ID: "task/1", Address: place, Principal: session.Principal{Sender: ada}, Tool: "subagent",
			Arguments: json.RawMessage(`{"name":"scout","task":"look"}`), Agent: true,
			State: session.TaskDone, Started: at(1), Deadline: at(2), Ended: at(3), Result: "found",
		}), `{"id":"hdpcr7vr","state":"done","tool":"subagent","name":"scout","chat":"telegram:bot/17","who":"Ada 7","started":"2033-05-18T03:33:21Z",` +
			`"until":"2033-05-18T03:33:22Z","ended":"2033-05-18T03:33:23Z"}`},
		"job": {newJobReport(g, &session.Job{
			ID: "job1", Address: place, Name: "stretch",
			Principal: session.Principal{Sender: ada}, Spec: json.RawMessage(`{"every":"1h"}`), Text: "stretch now", Prompt: true,
			Due: at(1), Paused: true, Why: "it failed", Runs: session.JobRuns{Failures: 2, Last: at(2), Reason: "no model"},
		}), `{"id":"job1","name":"stretch","state":"paused","chat":"telegram:bot/17","who":"Ada 7","when":"read from {\"every\":\"1h\"}",` +
			`"due":"2033-05-18T03:33:21Z","why":"it failed","last":"2033-05-18T03:33:22Z","failures":2,"reason":"no model","text":"stretch now","prompt":true}`},
		"approval": {newApprovalReport(&session.Approval{
			ID: "approval1", Address: place, Call: session.HeldCall{Tool: "write_file", Arguments: `{"path":"a.md"}`}, Text: "write_file a.md",
			Principal: session.Principal{Sender: ada},
			Expires:   at(1), State: session.ApprovalDenied, Answer: session.ApprovalAnswer{By: channels.Sender{ID: "8", Name: "Bob"}},
		}), `{"id":"approval1","state":"denied","tool":"write_file","chat":"telegram:bot/17","who":"Ada 7","by":"Bob",` +
			`"until":"2033-05-18T03:33:21Z","text":"write_file a.md"}`},
		"grant": {newGrantReport("granted", &session.Grant{ID: "grant1", Address: place, Tool: "write_file", Person: ada, Expires: at(1)}), `{"id":"grant1","state":"granted","tool":"write_file","chat":"telegram:bot/17","who":"Ada 7","until":"2033-05-18T03:33:21Z"}`},
	} {
		got, err := json.Marshal(c.report)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, string(got)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}
