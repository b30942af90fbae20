package providers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

func TestShortenKeepsWhatIsShort(t *testing.T) {
	t.Parallel()
	m := providers.Message{Role: "assistant", Content: "text", Extra: json.RawMessage(`"x"`), Reasoning: "why", ToolCalls: []providers.ToolCall{
		{ID: "a", Name: "n", RawArguments: `{ "b":1,"a":"` + strings.Repeat("é", 500) + `"}`, Extra: json.RawMessage(`"y"`)},
		{ID: "b", Name: "n", Arguments: map[string]any{"k": 1.0}},
	}}
	if diff := cmp.Diff(m, providers.Shorten(m, 6000)); diff != "" {
		t.Errorf("-given +got\n%s", diff)
	}
}

func TestShortenArguments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é<", 1000)
	for _, c := range []struct {
		name, raw string
		args      map[string]any
		want      string
	}{
		{
			"each long string keeps its beginning", `{"path":"a/b","n":12345678901234567890,"deep":[{"text":"` + long + `"}]}`, nil,
			`{"deep":[{"text":"` + strings.Repeat("é<", 8) + `… [2976 bytes are left out of this history]"}],"n":12345678901234567890,"path":"a/b"}`,
		},
		{
			"decoded", "",
			map[string]any{"text": long},
			`{"text":"` + strings.Repeat("é<", 32) + `… [2904 bytes are left out of this history]"}`,
		},
		{"a list", `{"list":[1` + strings.Repeat(",1", 500) + `]}`, nil, `{"left_out":"[1012 bytes are left out of this history]"}`},
		{"an object in a string", `"` + strings.Repeat(" ", 500) + `{}"`, nil, `{"left_out":"[504 bytes are left out of this history]"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			given := []providers.ToolCall{{ID: "a", RawArguments: c.raw, Arguments: c.args}}
			got := providers.Shorten(providers.Message{Role: "assistant", ToolCalls: given}, 256)
			if diff := cmp.Diff(c.want, got.ToolCalls[0].RawArguments); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if given[0].RawArguments != c.raw {
				t.Error("the given message was changed")
			}
			var v any
			if err := json.Unmarshal([]byte(got.ToolCalls[0].RawArguments), &v); err != nil || !providers.LeftOut(v) {
				t.Errorf("the note is not found again: %v", err)
			}
		})
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                                       false,
		"[3 bytes are left out of this history]": true,
		"a [30 bytes are left out of this history]": true,
		"[%d bytes are left out of this history]":   false,
		"3 bytes are left out of this history":      false,
		"some bytes are left out of this history]":  false,
	} {
		if got := providers.LeftOut(map[string]any{"list": []any{1.0, text}}); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
