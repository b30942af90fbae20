package e2e_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/prefix"
	"parley/internal/test/rig"
)

// hiRequest is the request of "hi" on the fresh chat of an owner, the console, and the
// gateway that made it, with these settings of its tools.
func hiRequest(t *testing.T, tools map[string]any) (*prefix.Request, *rig.Gateway) {
	t.Helper()
	seen := make(chan []byte, 1)
	model := fakemodel.NewHandler(fakemodel.Options{Script: func(req fakemodel.Request) fakemodel.Answer {
		seen <- req.Body
		return fakemodel.Say("hello")
	}})
	srv := httptest.NewServer(model.Handler())
	t.Cleanup(srv.Close)
	bin, err := gateway.Path()
	if err != nil {
		t.Fatal(err)
	}
	gw, err := rig.NewGateway(bin, t.TempDir(), rig.Config{ModelURL: srv.URL + "/v1", Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := gw.Command(ctx, nil, "chat")
	cmd.Stdin = strings.NewReader("hi\n")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "hello") {
		t.Fatalf("%v\n%s", err, out)
	}
	r, err := prefix.Read(<-seen)
	if err != nil {
		t.Fatal(err)
	}
	return r, gw
}

// TestTheRequestOfHi is small: every request of every turn carries the same parts.
func TestTheRequestOfHi(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings    map[string]any
		most, tools int
	}{
		"all tools": {nil, 7700, 20},
		"on demand": {map[string]any{"lazy": true}, 2200, 1},
	} {
		r, _ := hiRequest(t, c.settings)
		t.Logf("%s: %d bytes", name, len(r.Body))
		if p := r.Parts(); len(r.Body) > c.most || p.All() != len(r.Body) || len(r.Tools) != c.tools {
			t.Errorf("%s: %d bytes, at most %d; %d tools, want %d: %+v", name, len(r.Body), c.most, len(r.Tools), c.tools, p)
		}
	}
}

// TestEachBoundIsSaid: a call that a tool refuses for a bound breaks one that the model
// was told, in the schema or in the description.
func TestEachBoundIsSaid(t *testing.T) {
	t.Parallel()
	r, gw := hiRequest(t, nil)
	told := map[string]prefix.Tool{}
	for _, d := range r.Tools {
		told[d.Name] = d
	}
	// Refused only in a turn; the tests of its room do it.
	for _, bound := range []string{"60 seconds", "one of in, at, every, cron", "once or skip"} {
		if d := told["schedule"]; !strings.Contains(string(d.Raw), bound) {
			t.Errorf("schedule says nowhere %q: %s", bound, d.Raw)
		}
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		tool string
		args map[string]any
		says string
	}{
		{"append_file", map[string]any{"path": "a", "content": "b", "encoding": "latin1"}, "utf-8 or base64"},
		{"write_file", map[string]any{"path": "a", "content": "b", "encoding": "latin1"}, "utf-8 or base64"},
		{"read_file", map[string]any{"path": "a", "limit": 49153}, `"maximum":49152`},
		{"read_file", map[string]any{"path": "a", "offset": -1}, `"minimum":0`},
		{"search_files", map[string]any{"name": "a", "max_results": 201}, `"maximum":200`},
		{"search_files", map[string]any{"content": "(?<=a)", "regexp": true}, "RE2"},
		{"send_file", map[string]any{"path": "a", "caption": long(901)}, "900 characters"},
		{"send_file", map[string]any{"path": "a", "as": "video"}, "auto, photo or document"},
		{"format_data", map[string]any{"data": "1", "from": "toml"}, `["json","yaml","xml","csv"]`},
		{"format_data", map[string]any{"data": "1", "from": "json", "indent": 9}, `"maximum":8`},
		{"format_data", map[string]any{"data": "1", "from": "json", "indent": -1}, `"minimum":0`},
		{"format_data", map[string]any{"data": "1", "from": "csv", "delimiter": ";;"}, "one character"},
		{"message", map[string]any{"text": ""}, `"minLength":1`},
		{"schedule", map[string]any{"action": "run"}, `["create","list","change","pause","resume","remove"]`},
		{"spawn", map[string]any{"task": long(8001)}, "8000 characters"},
		{"subagent", map[string]any{"task": long(8001)}, "8000 characters"},
		{"tasks", map[string]any{"action": "end"}, `["list","cancel"]`},
		{"web_fetch", map[string]any{"url": "http://example.com", "max_bytes": 61441}, `"maximum":61440`},
		{"web_fetch", map[string]any{"url": "http://example.com", "offset": -1}, `"minimum":0`},
		{"web_fetch", map[string]any{"url": "ftp://example.com"}, "http or https"},
		{"web_search", map[string]any{"query": long(501)}, "500 characters"},
		{"web_search", map[string]any{"query": "a", "max_results": 21}, `"maximum":20`},
	} {
		if d := told[c.tool]; !strings.Contains(d.Description+" "+string(d.Parameters), c.says) {
			t.Errorf("%s says nowhere %q: %s", c.tool, c.says, d.Raw)
		}
		args, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		out, err := toolCall(t, gw, c.tool, string(args))
		if err == nil || !strings.Contains(out, `"type":"invalid_arguments"`) && !strings.Contains(out, `"type":"security_violation"`) {
			t.Errorf("%s %s was not refused: %v\n%.300s", c.tool, args, err, out)
		}
	}
}

// toolCall runs one tool as the operator.
func toolCall(t *testing.T, gw *rig.Gateway, tool, args string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := gw.Command(ctx, nil, "tool", "call", tool, args)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestRequestsBeginAsTheOneBefore over a month of 200 turns: the history is full from turn
// 60 on, MEMORY.md is written every tenth turn, and the date changes. With tools on demand, the
// model finds its tool once: it goes on calling it.
func TestRequestsBeginAsTheOneBefore(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string]map[string]any{"all tools": {}, "on demand": {"lazy": true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, err := gateway.Path()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
			defer cancel()
			requests, err := prefix.Month(ctx, bin, t.TempDir(), tools)
			if err != nil {
				t.Fatal(err)
			}
			if want := prefix.Turns + prefix.Turns/10 + len(tools); len(requests) != want {
				t.Fatalf("%d requests, want %d", len(requests), want)
			}
			checkMonth(t, requests)
		})
	}
}

func checkMonth(t *testing.T, requests []*prefix.Request) {
	t.Helper()
	lengths := func(from, to int) (most int) {
		for _, r := range requests[from:to] {
			most = max(most, len(r.Messages))
		}
		return most
	}
	if early, late := lengths(0, prefix.Full), lengths(prefix.Full, len(requests)); late > early*5/4 {
		t.Errorf("the history goes on growing: %d messages, and then %d", early, late)
	}
	shares := prefix.Shares(requests)
	slices.Sort(shares)
	median, low := shares[len(shares)/2], shares[len(shares)/10]
	t.Logf("%d requests; stable prefix: median %.3f, 10th percentile %.3f", len(requests), median, low)
	if median < 0.9 || low < 0.6 {
		t.Errorf("stable prefix: median %.2f, 10th percentile %.2f, want 0.90 and 0.60", median, low)
	}
}
