package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/cassette"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
)

// TestRecordedConversations holds each recorded conversation again, with answers in small
// pieces. Each request as a whole is the recorded one, but for ids of the client's own.
func TestRecordedConversations(t *testing.T) {
	t.Parallel()
	all := cassette.Load(t, cassette.Gemini)
	streams, vertexes, steps := 0, 0, 0
	for _, c := range all {
		first := c.Steps[0]
		base, _, _ := strings.Cut(first.URL.Path, "/models/")
		base, vertex := strings.CutSuffix(base, "/publishers/google")
		steps += len(c.Steps)
		if first.Stream {
			streams += len(c.Steps)
		}
		if vertex {
			vertexes += len(c.Steps)
		}
		for _, piece := range []int{1, 3, 7} {
			t.Run(fmt.Sprintf("%s in pieces of %d", c.Name, piece), func(t *testing.T) {
				t.Parallel()
				sent := cassette.Play(t, c, piece, func(root string) providers.LLMProvider {
					return provider(t, root+base, func(o *gemini.Options) {
						o.Key, o.Bearer = func() string { return "secret" }, vertex
					})
				})
				for n, r := range sent {
					if d := cmp.Diff(neutral(t, c.Steps[n].Request), neutral(t, r.Body)); d != "" {
						t.Errorf("request %d (-recorded +sent):\n%s", n, d)
					}
					key, token := r.Header.Get("X-Goog-Api-Key"), r.Header.Get("Authorization")
					if vertex != (token == "Bearer secret") || vertex == (key == "secret") {
						t.Errorf("key %q, token %q", key, token)
					}
				}
			})
		}
	}
	if len(all) < 30 || vertexes == 0 || streams == 0 {
		t.Errorf("%d conversations found; the recordings hold 30", len(all))
	}
	t.Logf("%d conversations with %d steps in pieces of 1, 3 and 7 bytes: %d streamed, %d of Vertex AI", len(all), steps, streams, vertexes)
}

// stored is a message as it comes back from a store.
func stored(t *testing.T, m providers.Message) providers.Message {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var out providers.Message
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// neutral is a request with the client's own ids in a common form: the client of the
// recordings counted, ours are made from the conversation.
func neutral(t *testing.T, body []byte) any {
	t.Helper()
	known := map[string]string{}
	return rename(object(t, string(body)), func(id string) string {
		if len(id) > 1 && !strings.HasPrefix(id, "call_") {
			return id
		}
		if known[id] == "" {
			known[id] = fmt.Sprint("own ", len(known)+1)
		}
		return known[id]
	})
}

func rename(v any, name func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range []string{"contents", "parts", "functionCall", "functionResponse"} {
			if v[k] != nil {
				v[k] = rename(v[k], name)
			}
		}
		if id, ok := v["id"].(string); ok {
			v["id"] = name(id)
		}
	case []any:
		for i := range v {
			v[i] = rename(v[i], name)
		}
	}
	return v
}

func object(t *testing.T, s string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatalf("%v in %.200s", err, s)
	}
	return m
}
