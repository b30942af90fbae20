package agui_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// wiper is a world whose model makes a call that a person has to allow, and counts the runs
// of that.
func wiper(t *testing.T) (*world, *atomic.Int64) {
	t.Helper()
	wiped := &atomic.Int64{}
	w := newWorld(t, func(msgs []providers.Message, _ func(providers.StreamEvent)) *providers.LLMResponse {
		switch m := faces.Last(msgs); {
		case m.Role == providers.RoleTool:
			return faces.Says("result: " + m.Content)
		case strings.Contains(m.Content, "go"):
			return faces.Calls("", "wipe", `{"all":true}`)
		default:
			return faces.Says("heard " + m.Content)
		}
	}, faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string {
		wiped.Add(1)
		return "wiped"
	}))
	return w, wiped
}

// interrupts are the ids and the calls of the interrupts with which a run ended.
func interrupts(t *testing.T, all []event) (ids, callIDs []string) {
	t.Helper()
	outcome, _ := all[len(all)-1]["outcome"].(map[string]any)
	list, _ := outcome["interrupts"].([]any)
	if outcome["type"] != "interrupt" || len(list) == 0 {
		t.Fatalf("the run is not interrupted: %v", all)
	}
	for _, one := range list {
		i, _ := one.(map[string]any)
		if i["reason"] != "tool_call" || i["message"] == "" || i["expiresAt"] == nil || strings.Contains(fmt.Sprint(i["message"]), "\u202e") {
			t.Errorf("%v", i)
		}
		ids, callIDs = append(ids, fmt.Sprint(i["id"])), append(callIDs, fmt.Sprint(i["toolCallId"]))
	}
	return ids, callIDs
}

// resume is a run that answers an interrupt.
func resume(run, id, answer string) string {
	return fmt.Sprintf(`{"threadId":"main","runId":%q,"messages":[],"resume":[{"interruptId":%q,%s}]}`, run, id, answer)
}

// TestAnInterruptIsResumed by another token of the person, once, with the result of the call
// that the first run told.
func TestAnInterruptIsResumed(t *testing.T) {
	t.Parallel()
	w, wiped := wiper(t)
	all := w.runs("ada", body("main", "r1", "go"))
	if d := cmp.Diff([]string{"RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"}, types(all)); d != "" {
		t.Fatal(d)
	}
	ids, callIDs := interrupts(t, all)
	if callIDs[0] != all[1].str("toolCallId") {
		t.Errorf("the interrupt is about %s: %v", callIDs[0], all)
	}
	if again, _ := interrupts(t, w.runs("ada", body("main", "r1", "go"))); !slices.Equal(again, ids) {
		t.Errorf("again %v", again)
	}
	const yes = `"status":"resolved","payload":{"decision":"allow_once"}`
	for sent, code := range map[[2]string]string{
		{"ada", resume("r2", ids[0], yes)}:                        "token_scope_insufficient", // its own turn
		{"bob", resume("r2", ids[0], yes)}:                        "not_found",
		{"approver", resume("r2", "unknown", yes)}:                "not_found",
		{"ada", body("main", "r2", "something new")}:              "interrupt_open",
		{"approver", body("main", "r2", "something new")}:         "interrupt_open",
		{"ada", body("main", "r1b", "go on with something else")}: "interrupt_open",
	} {
		refused := w.runs(sent[0], sent[1])
		if end := refused[len(refused)-1]; end.typ() != "RUN_ERROR" || end.str("code") != code {
			t.Errorf("%v: %v", sent, refused)
		}
	}
	for _, answer := range []string{
		`"status":"perhaps"`, `"status":"resolved"`, `"status":"resolved","payload":{"decision":"yes"}`,
		`"status":"resolved","payload":{"approved":true,"editedArgs":{"all":false}}`,
	} {
		resp := w.post(t.Context(), "approver", resume("r2", ids[0], answer))
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", answer, resp.Status)
		}
	}
	for range 2 { // the same run again is the same answer
		all = w.runs("approver", resume("r3", ids[0], yes))
		want := []string{"RUN_STARTED", "TOOL_CALL_RESULT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"}
		if d := cmp.Diff(want, types(all)); d != "" {
			t.Fatal(d)
		}
		if all[1].str("toolCallId") != callIDs[0] || all[1].str("content") != "wiped" || text(all) != "result: wiped" {
			t.Errorf("%v", all)
		}
	}
	// the front end of the first token goes on from the answer that was given elsewhere
	all = w.runs("ada", resume("r4", ids[0], yes))
	if text(all) != "result: wiped" || wiped.Load() != 1 {
		t.Errorf("%v, wiped %d times", all, wiped.Load())
	}
	if all = w.runs("ada", body("main", "r5", "and now")); text(all) != "heard and now" {
		t.Errorf("%v", all)
	}
}

// TestACallIsDenied by another token, or taken back by the one that started its turn; a new
// message may come along.
func TestACallIsDenied(t *testing.T) {
	t.Parallel()
	for token, answer := range map[string]string{
		"approver": `"status":"resolved","payload":{"approved":false}`,
		"ada":      `"status":"cancelled"`,
	} {
		w, wiped := wiper(t)
		ids, callIDs := interrupts(t, w.runs("ada", body("main", "r1", "go")))
		sent := strings.Replace(resume("r2", ids[0], answer), `"messages":[]`, `"messages":[{"role":"user","content":"and then"}]`, 1)
		all := w.runs(token, sent)
		var results []string
		for _, e := range all {
			if e.typ() == "TOOL_CALL_RESULT" {
				results = append(results, e.str("toolCallId"))
			}
		}
		if wiped.Load() != 0 || !slices.Equal(results, callIDs) || !strings.Contains(text(all), "heard and then") {
			t.Errorf("%s: %v, wiped %d times", token, all, wiped.Load())
		}
		if end := all[len(all)-1]; end.typ() != "RUN_FINISHED" || fmt.Sprint(end["outcome"]) != "map[type:success]" {
			t.Errorf("%s: %v", token, end)
		}
	}
}

// TestAnOpenInterruptOutlivesTheProcess: the run that led to it ends with it again.
func TestAnOpenInterruptOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ask := func(msgs []providers.Message, _ func(providers.StreamEvent)) *providers.LLMResponse {
		if m := faces.Last(msgs); m.Role == providers.RoleTool {
			return faces.Says("result: " + m.Content)
		}
		return faces.Calls("", "wipe", "{\"name\":\"a\u202egnp.exe\"}")
	}
	wipe := faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string { return "wiped" })
	first := openWorld(t, dir, ask, wipe)
	ids, callIDs := interrupts(t, first.runs("ada", body("main", "r1", "go")))
	first.Stop()
	second := openWorld(t, dir, ask, wipe)
	defer second.Stop()
	again, same := interrupts(t, second.runs("ada", body("main", "r1", "go")))
	if !slices.Equal(again, ids) || !slices.Equal(same, callIDs) {
		t.Errorf("%v of %v, again %v of %v", ids, callIDs, again, same)
	}
	all := second.runs("approver", resume("r2", ids[0], `"status":"resolved","payload":{"decision":"allow_once"}`))
	if text(all) != "result: wiped" || all[1].str("toolCallId") != callIDs[0] {
		t.Errorf("%v", all)
	}
}
