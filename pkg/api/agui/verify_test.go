package agui_test

import (
	"fmt"
	"strings"
	"testing"
)

// verify holds a run against the rules of the protocol's own verifier: the first and the
// last event, everything ended, no null, a result for each call that is not told otherwise.
func verify(tb testing.TB, all []event) {
	tb.Helper()
	if len(all) == 0 || all[0].typ() != "RUN_STARTED" {
		tb.Fatalf("a run begins with %v", all)
	}
	open, unanswered := map[string]bool{}, map[string]bool{}
	begins := map[string]string{
		"TEXT_MESSAGE_START": "text", "REASONING_START": "span", "REASONING_MESSAGE_START": "thought", "TOOL_CALL_START": "call",
	}
	goes := map[string]string{"TEXT_MESSAGE_CONTENT": "text", "REASONING_MESSAGE_CONTENT": "thought", "TOOL_CALL_ARGS": "call"}
	ends := map[string]string{
		"TEXT_MESSAGE_END": "text", "REASONING_END": "span", "REASONING_MESSAGE_END": "thought", "TOOL_CALL_END": "call",
	}
	for i, e := range all {
		if strings.Contains(fmt.Sprint(map[string]any(e)), "<nil>") {
			tb.Errorf("%v has a null", e)
		}
		id := e.str("messageId") + e.str("toolCallId")
		kind := e.typ()
		switch {
		case begins[kind] != "":
			key := begins[kind] + id
			if open[key] || id == "" {
				tb.Errorf("%v begins twice", e)
			}
			open[key] = true
			if kind == "TOOL_CALL_START" {
				unanswered[id] = true
			}
		case goes[kind] != "":
			if !open[goes[kind]+id] || e.str("delta") == "" {
				tb.Errorf("%v goes on with nothing", e)
			}
		case ends[kind] != "":
			if !open[ends[kind]+id] {
				tb.Errorf("%v ends nothing", e)
			}
			delete(open, ends[kind]+id)
		case kind == "TOOL_CALL_RESULT":
			delete(unanswered, e.str("toolCallId"))
		case kind == "RUN_FINISHED" || kind == "RUN_ERROR":
			if len(open) > 0 || i != len(all)-1 {
				tb.Errorf("%v is event %d of %d, and these are open: %v", e, i+1, len(all), open)
			}
		}
	}
	end := all[len(all)-1]
	outcome, _ := end["outcome"].(map[string]any)
	for id := range unanswered {
		if !strings.Contains(fmt.Sprint(outcome), id) {
			tb.Errorf("the call %s has no result: %v", id, end)
		}
	}
}

// types are the types of events in their order, with equal neighbours as one.
func types(all []event) []string {
	var out []string
	for _, e := range all {
		if len(out) == 0 || out[len(out)-1] != e.typ() {
			out = append(out, e.typ())
		}
	}
	return out
}

// text is the text of all messages of a run.
func text(all []event) string {
	var b strings.Builder
	for _, e := range all {
		if e.typ() == "TEXT_MESSAGE_CONTENT" {
			b.WriteString(e.str("delta"))
		}
	}
	return b.String()
}
