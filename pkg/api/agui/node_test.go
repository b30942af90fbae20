package agui_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/faces"
	"parley/internal/test/node"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// tried is what the client made of a run.
type tried struct {
	Name, Error, Failed, Outcome    string
	Events, Texts, Results, Pending []string
}

// scripted answers by the last words.
func scripted(msgs []providers.Message, _ func(providers.StreamEvent)) *providers.LLMResponse {
	m := faces.Last(msgs)
	if m.Role == providers.RoleTool {
		return faces.Says("result: " + m.Content)
	}
	for _, name := range []string{"look", "slow", "wipe", "paint"} {
		if strings.HasSuffix(m.Content, name) {
			return faces.Calls("", name, `{}`)
		}
	}
	if strings.Contains(m.Content, "fail") {
		return nil
	}
	return faces.Says("heard " + m.Content)
}

// TestTheRealClient drives @ag-ui/client, with its verifier, on the Node that is pinned with
// it.
func TestTheRealClient(t *testing.T) {
	t.Parallel()
	clients := node.Install(t)
	goOn := make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(goOn) }))
	defer other.Close()
	w := newWorld(t, scripted, look(),
		faces.Tool("slow", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(ctx context.Context) string {
			select {
			case <-goOn:
				return "ready"
			case <-ctx.Done():
				return "cut off"
			}
		}),
		faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string { return "wiped" }),
	)
	ctx, cancel := context.WithTimeout(t.Context(), 2*faces.Patience)
	defer cancel()
	out := clients.Run(ctx, t, nil, "agui.mjs", w.URL, other.URL)
	all := map[string]tried{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var one tried
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		all[one.Name] = one
	}
	if n := strings.Count(fmt.Sprint(all["text"].Events), "TEXT_MESSAGE_CONTENT"); n < 2 {
		t.Errorf("the text came in %d pieces", n)
	}
	for name, want := range map[string]string{
		"text": "[heard hello] [] []", "again": "[heard and again] [] []", "server tool": "[result: a tree] [a tree] []",
		"abort": "[result: ready] [ready] []", "resume": "[result: wiped] [wiped] []", "client result": "[result: painted] [] []",
		"approval": "[] [] []", "picture": "[heard view\n[picture picture-1.png, 8 bytes]] [] []",
	} {
		got := all[name]
		if said := fmt.Sprint(got.Texts, got.Results, got.Pending); said != want || got.Failed+got.Error != "" {
			t.Errorf("%s: %s, want %s: %+v", name, said, want, got)
		}
	}
	if c := all["client tool"]; len(c.Pending) != 1 || c.Outcome != "success" || c.Failed != "" {
		t.Errorf("%+v", c)
	}
	if a := all["approval"]; a.Outcome != "interrupt" {
		t.Errorf("%+v", a)
	}
	if e := all["error"]; e.Error != "turn_failed" || !slices.Contains(e.Events, "RUN_ERROR") {
		t.Errorf("%+v", e)
	}
	if n := all["no token"]; !strings.Contains(n.Failed, "401") {
		t.Errorf("%+v", n)
	}
}
