package strictmodel_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/strictmodel"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/openai"
)

// model is one wire's server with the adapter that asks it.
type model struct {
	wire     strictmodel.Wire
	server   *strictmodel.Server
	provider providers.LLMProvider
	name     string
}

func key() string { return "test" }

func models(t *testing.T, script strictmodel.Script) []model {
	t.Helper()
	all := []model{
		{wire: strictmodel.OpenAI, name: "gpt-5"},
		{wire: strictmodel.Anthropic, name: "claude-sonnet-4-5"},
		{wire: strictmodel.Gemini, name: "gemini-3-pro-preview"},
		{wire: strictmodel.Llama, name: "kimi-k2"},
		{wire: strictmodel.Anthropic, name: "claude-opus-4-6"},
	}
	for i := range all {
		m := &all[i]
		m.server = strictmodel.New(m.wire, script)
		srv := httptest.NewServer(m.server.Handler())
		t.Cleanup(srv.Close)
		switch m.wire {
		case strictmodel.Anthropic:
			m.provider = anthropic.New(anthropic.Options{BaseURL: srv.URL, Key: key})
		case strictmodel.Gemini:
			m.provider = gemini.New(gemini.Options{BaseURL: srv.URL + "/v1beta", Key: key})
		default:
			m.provider = openai.New(openai.Options{BaseURL: srv.URL + "/v1", Key: key})
		}
		if c, ok := m.provider.(interface{ Close() }); ok {
			t.Cleanup(c.Close)
		}
	}
	return all
}

// think answers a turn with thoughts and calls for two rounds, and then with a text.
func think(r fakemodel.Request) fakemodel.Answer {
	rounds := 0
	for i := range r.Messages {
		switch m := &r.Messages[i]; {
		case m.Role == providers.RoleUser && m.Content != steer:
			rounds = 0
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) > 0:
			rounds++
		}
	}
	a := fakemodel.Say(fmt.Sprintf("text of round %d", rounds))
	a.Reasoning = fmt.Sprintf("thoughts of round %d, of %d messages", rounds, len(r.Messages))
	for n := 0; rounds < 2 && n <= rounds; n++ {
		a.ToolCalls = append(a.ToolCalls, providers.ToolCall{
			Name: "lookup", RawArguments: fmt.Sprintf(`{"text":"ü %d <&>","n":%d.50}`, rounds, n),
		})
	}
	return a
}

// steer is a message that arrives while a turn runs.
const steer = "and hurry"

func offered() []providers.ToolDefinition {
	return []providers.ToolDefinition{{Type: "function", Function: providers.FunctionDefinition{
		Name: "lookup", Description: "Looks a text up.",
		Parameters: map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"text"},
			"properties": map[string]any{"text": map[string]any{"type": "string"}, "n": map[string]any{"type": "number"}},
		},
	}}}
}

// stored is a message as the store gives it back.
func stored(t *testing.T, m providers.Message) providers.Message {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again providers.Message
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

// TestAConversationMovesBetweenWires has each answer come from the next wire. Every wire
// takes the conversation at every step, and the next one also streams its answer.
func TestAConversationMovesBetweenWires(t *testing.T) {
	t.Parallel()
	for start := range 5 {
		for name, options := range map[string]map[string]any{"plain": {}, "thinking": {"reasoning_effort": "low"}} {
			t.Run(fmt.Sprintf("%s from %d", name, start), func(t *testing.T) {
				t.Parallel()
				move(t, options, start)
			})
		}
	}
}

func move(t *testing.T, options map[string]any, start int) {
	t.Helper()
	all := models(t, think)
	history := []providers.Message{{Role: providers.RoleSystem, Content: "You are helpful."}}
	step := start
	for turn := range 4 {
		history = append(history, providers.Message{Role: providers.RoleUser, Content: fmt.Sprintf("question %d", turn)})
		for {
			answer := ask(t, all, step%len(all), history, options)
			step++
			history = append(history, stored(t, answer.Message()))
			for i, c := range answer.ToolCalls {
				history = append(history, providers.Message{
					Role: providers.RoleTool, ToolCallID: c.ID, Name: c.Name, Content: []string{"found", "", `{"rows":[1,2]}`}[(turn+i)%3],
				})
			}
			if len(answer.ToolCalls) == 0 {
				break
			}
			if turn%4 == 3 {
				history = append(history, providers.Message{Role: providers.RoleUser, Content: steer})
			}
		}
	}
	for i := range all {
		for _, v := range all[i].server.Violations() {
			t.Errorf("%s: %s", all[i].name, v)
		}
	}
}

// ask puts the conversation to all models, and gives the answer of one.
func ask(t *testing.T, all []model, chosen int, history []providers.Message, options map[string]any) *providers.LLMResponse {
	t.Helper()
	var answer *providers.LLMResponse
	messages := providers.Repair(history)
	for i := range all {
		m := &all[i]
		whole, err := m.provider.Chat(t.Context(), messages, offered(), m.name, options)
		if err != nil {
			t.Fatalf("%s, after %d messages: %v", m.name, len(messages), err)
		}
		if i != chosen {
			continue
		}
		if answer, err = providers.Stream(t.Context(), m.provider, messages, offered(), m.name, options, nil); err != nil {
			t.Fatalf("%s, after %d messages: %v", m.name, len(messages), err)
		}
		if whole.Content != answer.Content || len(whole.ToolCalls) != len(answer.ToolCalls) {
			t.Errorf("%s: %+v whole, %+v streamed", m.name, whole, answer)
		}
	}
	if answer == nil {
		t.Fatal("no model was chosen")
	}
	return answer
}
