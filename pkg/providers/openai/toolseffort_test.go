package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestToolsWithoutReasoning asks models that take tools only without reasoning, as OpenAI's
// newer ones do whether an effort was told or not: with tools they are told the
// effort "none", and the question's own effort goes along where no tool does. A model that
// cannot do without reasoning refuses.
func TestToolsWithoutReasoning(t *testing.T) {
	t.Parallel()
	tools := providertest.Tools()
	for name, c := range map[string]struct {
		model   string
		efforts []string // that the model knows; a request may also tell no effort
		options map[string]any
		// sent are the efforts of a question with tools, of another, and of one without.
		sent    []string
		refused bool
	}{
		"an effort": {
			model: "gpt-5.6-sol", efforts: []string{"none", "high"}, options: map[string]any{"reasoning_effort": "high"},
			sent: []string{"high", "none", "none", "high"},
		},
		"no word of it": {model: "gpt-5.6-sol", efforts: []string{"none"}, sent: []string{"", "none", "none", ""}},
		"an effort that the library refuses": {
			model: "gpt-6-sol", efforts: []string{"none"}, options: map[string]any{"reasoning_effort": "minimal"},
			sent: []string{"", "none", "none", ""},
		},
		"a call that the library refuses": {
			model: "gpt-6-sol", efforts: []string{"none"}, options: map[string]any{"tool_choice": "required"},
			sent: []string{"none", "none", ""},
		},
		"always with reasoning": {
			model: "gpt-6-astra", efforts: []string{"low"}, options: map[string]any{"reasoning_effort": "low"},
			sent: []string{"low", "low", "", "", ""}, refused: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			srv := fakemodel.New(fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Answer {
				var body struct {
					Effort string `json:"reasoning_effort"`
				}
				if err := json.Unmarshal(r.Body, &body); err != nil {
					t.Error(err)
				}
				sent = append(sent, body.Effort)
				if len(r.Tools) > 0 && body.Effort != "none" {
					return fakemodel.Fail(http.StatusBadRequest, "invalid_request_error", "Function tools with reasoning_effort are not "+
						"supported for "+c.model+" in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.")
				}
				if body.Effort != "" && !strings.Contains(strings.Join(c.efforts, " "), body.Effort) {
					return fakemodel.Fail(http.StatusBadRequest, "invalid_request_error",
						"Unsupported value: 'reasoning_effort' does not support '"+body.Effort+"' with this model.")
				}
				return fakemodel.Say("fine")
			}})
			t.Cleanup(srv.Close)
			p := openai.New(openai.Options{BaseURL: srv.URL()})
			t.Cleanup(p.Close)
			for i, offered := range [][]providers.ToolDefinition{tools, tools, nil} {
				resp, err := p.Chat(t.Context(), providertest.Question(), offered, c.model, c.options)
				if refused := err != nil; refused != (c.refused && i < 2) {
					t.Fatalf("question %d: %+v, %v", i, resp, err)
				}
			}
			if diff := cmp.Diff(c.sent, sent); diff != "" {
				t.Errorf("the efforts (-want +got): %s", diff)
			}
		})
	}
}

// TestAChoiceThatTheLibraryRefuses reaches a server under the name of a model that, by the
// library's table, takes no choice of tools at all: the server decides.
func TestAChoiceThatTheLibraryRefuses(t *testing.T) {
	t.Parallel()
	tool := providertest.Tools()[0].Function.Name
	for name, c := range map[string]struct {
		choice any
		want   string
	}{
		"required": {"required", `"required"`},
		"named":    {map[string]any{"name": tool}, `{"type":"function","function":{"name":"` + tool + `"}}`},
		"auto":     {"auto", `"auto"`},
		"none":     {"none", `"none"`},
		"no word":  {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			srv := fakemodel.New(fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Answer {
				var body struct {
					Choice json.RawMessage `json:"tool_choice"`
				}
				if err := json.Unmarshal(r.Body, &body); err != nil || len(r.Tools) == 0 {
					t.Errorf("%d tools: %v", len(r.Tools), err)
				}
				sent = append(sent, string(body.Choice))
				return fakemodel.Say("fine")
			}})
			t.Cleanup(srv.Close)
			p := openai.New(openai.Options{BaseURL: srv.URL()})
			t.Cleanup(p.Close)
			for range 2 {
				options := map[string]any{}
				if c.choice != nil {
					options["tool_choice"] = c.choice
				}
				if _, err := p.Chat(t.Context(), providertest.Question(), providertest.Tools(), "gpt-6-astra", options); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff([]string{c.want, c.want}, sent); diff != "" {
				t.Errorf("the choices (-want +got): %s", diff)
			}
		})
	}
}
