package agent_test

import (
	"context"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// TestAnAgentOfAConversationWithAPage: a turn that follows a page may hand an order of the page on to an agent,
// whose own conversation does not have the page. A call of the agent that would keep words for later turns asks;
// without the page it does not.
func TestAnAgentOfAConversationWithAPage(t *testing.T) {
	t.Parallel()
	for name, looks := range map[string]bool{"with a page": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := delegates(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if last(msgs).Role == providers.RoleTool {
					return say("kept")
				}
				return call("keep", "{}")
			})
			model := script(func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if last(msgs).Content == "look" && last(msgs).Role == providers.RoleUser {
					return call("look", "{}")
				}
				return home(ctx, msgs, defs)
			})
			keep := fn{name: "keep", an: tools.Annotations{Keeps: true}, run: func(context.Context, map[string]any) *tools.ToolResult {
				return tools.NewToolResult("done")
			}}
			w := newParty(t, model, []tools.Tool{pageReader(), keep}, withOptions(asking))
			if looks {
				w.write("1", "1", "look")
				w.expectText("started")
			}
			w.write("1", "1", "keep it")
			for {
				o := w.expect()
				if asked := len(o.Buttons) > 0; asked || o.Text == "it says: kept" {
					if asked != looks {
						t.Errorf("it is told %q", o.Text)
					}
					return
				}
			}
		})
	}
}
