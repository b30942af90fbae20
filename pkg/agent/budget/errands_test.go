package budget_test

import (
	"context"
	"testing"
	"time"

	"parley/pkg/agent/budget"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// one answers each question at a cost.
type one struct{}

func (one) Chat(
	context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any,
) (*providers.LLMResponse, error) {
	return &providers.LLMResponse{Content: "x", Billed: "ears", Usage: providers.Usage{PromptTokens: 90, CompletionTokens: 10}}, nil
}

// TestAFreeTurnPaysForItsErrands: a command that calls one tool asks no model of the chat, and the tool
// may ask one. Of an earlier attempt the answers for the tool count, and those of the built-in model do not.
func TestAFreeTurnPaysForItsErrands(t *testing.T) {
	t.Parallel()
	m := budget.New(budget.Options{})
	answer, _ := one{}.Chat(t.Context(), nil, nil, "", nil)
	turn := func(steps ...session.Step) *budget.TurnUsage {
		return m.Turn(budget.Turn{
			Chat: "c", Purpose: session.ForPeople, Began: time.Now(), Zone: func() *time.Location { return time.UTC }, Free: true, Steps: steps,
		})
	}
	built := session.Step{Kind: session.StepAnswer, Answer: answer}
	if s := turn(built).Spent(); s != nil {
		t.Errorf("a command spent %+v", s)
	}
	u := turn(built)
	if _, err := u.Provider(one{}).Chat(t.Context(), nil, nil, "", nil); err != nil {
		t.Fatal(err)
	}
	if s := u.Spent(); s == nil || s.Usage.Input != 90 || s.Usage.Turns != 1 {
		t.Errorf("with one errand it spent %+v", s)
	}
	if s := turn(built, session.Step{Kind: session.StepSensed, Key: "k", Answer: answer}).Spent(); s == nil || s.Usage.Input != 90 {
		t.Errorf("after a crash it spent %+v", s)
	}
}
