package anthropic_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"parley/internal/test/cassette"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
)

// TestRecordedTraffic holds the recorded conversations of Anthropic and of Vertex AI
// again: the answers come in small pieces, and the requests have all that the
// recorded ones have.
func TestRecordedTraffic(t *testing.T) {
	t.Parallel()
	const recorded = 12
	all := cassette.Load(t, cassette.Anthropic)
	if len(all) < recorded {
		t.Fatalf("%d conversations, want %d", len(all), recorded)
	}
	for _, c := range all {
		for _, piece := range []int{1, 3, 7} {
			t.Run(c.Name+"/"+strconv.Itoa(piece), func(t *testing.T) {
				t.Parallel()
				for _, sent := range cassette.Play(t, c, piece, func(root string) providers.LLMProvider {
					return provider(t, root, reached(c))
				}) {
					checkHeaders(t, c, sent)
				}
			})
		}
	}
}

// reached makes a provider reach the recorded address.
func reached(c *cassette.Cassette) func(*anthropic.Options) {
	return func(o *anthropic.Options) {
		o.Key = func() string { return "sk-canary" }
		if base, _, vertex := strings.Cut(c.Steps[0].URL.Path, "/publishers/"); vertex {
			o.BaseURL += base
		}
	}
}

func checkHeaders(t *testing.T, c *cassette.Cassette, sent cassette.Sent) {
	t.Helper()
	var body struct {
		Version string `json:"anthropic_version"`
		Model   *string
	}
	if err := json.Unmarshal(sent.Body, &body); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.Name, "vertex") {
		keyed := sent.Header.Get("Authorization") == "Bearer sk-canary" && sent.Header.Get("X-Api-Key") == ""
		if !keyed || body.Version == "" || body.Model != nil {
			t.Errorf("not in Vertex AI's form: %v %s", sent.Header, sent.Body)
		}
		return
	}
	if sent.Header.Get("X-Api-Key") != "sk-canary" || sent.Header.Get("Authorization") != "" || sent.Header.Get("Anthropic-Version") == "" {
		t.Errorf("not in Anthropic's form: %v", sent.Header)
	}
	for name := range sent.Header {
		if strings.HasPrefix(name, "X-Stainless") {
			t.Errorf("the request describes this machine: %s", name)
		}
	}
}

// provider makes a provider; its connections end with the test.
func provider(t *testing.T, url string, change ...func(*anthropic.Options)) *anthropic.Provider {
	t.Helper()
	o := anthropic.Options{BaseURL: url}
	for _, c := range change {
		c(&o)
	}
	p := anthropic.New(o)
	t.Cleanup(p.Close)
	return p
}
