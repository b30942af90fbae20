package providers_test

import (
	"context"
	"strings"
	"testing"

	"parley/pkg/providers"
)

// fixed answers always the same, and streams where it is asked to.
type fixed struct{ resp *providers.LLMResponse }

func (f fixed) Chat(
	context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any,
) (*providers.LLMResponse, error) {
	return f.resp, nil
}

func TestMetered(t *testing.T) {
	t.Parallel()
	cheap, dear, free := 0.5, 2.5, 0.0
	long := []providers.Message{{Role: providers.RoleUser, Content: strings.Repeat("word ", 800)}}
	tool := []providers.ToolDefinition{{Function: providers.FunctionDefinition{
		Name: "look", Description: "looks", Parameters: map[string]any{"type": "object", "description": strings.Repeat("x", 300)},
	}}}
	for name, tc := range map[string]struct {
		usage    providers.Usage
		messages []providers.Message
		tools    []providers.ToolDefinition
		prices   providers.Prices
		want     providers.Usage
	}{
		"reported": {
			usage: providers.Usage{PromptTokens: 1000, CompletionTokens: 10, TotalTokens: 1010, CachedTokens: 900}, messages: long,
			prices: providers.Prices{Input: 2.5, Output: 10},
			want:   providers.Usage{PromptTokens: 1000, CompletionTokens: 10, TotalTokens: 1010, CachedTokens: 900, Money: 2600},
		},
		"cached tokens have their own price": {
			usage:  providers.Usage{PromptTokens: 1000, CompletionTokens: 10, CachedTokens: 900, ReasoningTokens: 4},
			prices: providers.Prices{Input: 2, Output: 10, Cached: &cheap},
			want: providers.Usage{
				PromptTokens: 1000, CompletionTokens: 10, TotalTokens: 1010, CachedTokens: 900, ReasoningTokens: 4, Money: 200 + 450 + 100,
			},
		},
		"what is written to the cache has its own price": {
			usage:  providers.Usage{PromptTokens: 1000, CompletionTokens: 10, CachedTokens: 700, CacheWriteTokens: 200},
			prices: providers.Prices{Input: 2, Output: 10, Cached: &cheap, CacheWrite: &dear},
			want: providers.Usage{
				PromptTokens: 1000, CompletionTokens: 10, TotalTokens: 1010, CachedTokens: 700, CacheWriteTokens: 200, Money: 200 + 350 + 500 + 100,
			},
		},
		"more written to the cache than read": {
			usage:  providers.Usage{PromptTokens: 100, CompletionTokens: 10, CachedTokens: 60, CacheWriteTokens: 5000},
			prices: providers.Prices{Input: 2, Output: 10, CacheWrite: &dear},
			want: providers.Usage{
				PromptTokens: 100, CompletionTokens: 10, TotalTokens: 110, CachedTokens: 60, CacheWriteTokens: 40, Money: 120 + 100 + 100,
			},
		},
		"cached tokens for nothing": {
			usage:  providers.Usage{PromptTokens: 1000, CompletionTokens: 10, CachedTokens: 1000},
			prices: providers.Prices{Input: 2, Output: 10, Cached: &free},
			want:   providers.Usage{PromptTokens: 1000, CompletionTokens: 10, TotalTokens: 1010, CachedTokens: 1000, Money: 100},
		},
		"more cached than read, more thought than written": {
			usage:  providers.Usage{PromptTokens: 100, CompletionTokens: 10, CachedTokens: 5000, ReasoningTokens: 600},
			prices: providers.Prices{Input: 2, Output: 10, Cached: &cheap},
			want: providers.Usage{
				PromptTokens: 100, CompletionTokens: 10, TotalTokens: 110, CachedTokens: 100, ReasoningTokens: 10, Money: 50 + 100,
			},
		},
		"a small answer is not for nothing": {
			usage: providers.Usage{PromptTokens: 1, CompletionTokens: 1}, prices: providers.Prices{Input: 0.1, Output: 0.1},
			want: providers.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Money: 1},
		},
		"priced already": {
			usage: providers.Usage{PromptTokens: 1, CompletionTokens: 1, Money: 7}, prices: providers.Prices{Input: 5},
			want: providers.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Money: 7},
		},
		"nothing reported": {
			messages: long, prices: providers.Prices{Input: 1},
			want: providers.Usage{PromptTokens: 1004, CompletionTokens: 5, TotalTokens: 1009, Money: 1004},
		},
		"with tools": {
			messages: long,
			tools:    tool,
			want:     providers.Usage{PromptTokens: 1004 + 4 + 3 + 112, CompletionTokens: 5, TotalTokens: 1128},
		},
		"nonsense": {
			usage:    providers.Usage{PromptTokens: -5, CompletionTokens: 1 << 60, TotalTokens: 3, Money: -1},
			messages: long, prices: providers.Prices{Output: 1e6},
			want: providers.Usage{PromptTokens: 1004, CompletionTokens: 1 << 30, TotalTokens: 1004 + 1<<30, Money: 1 << 30 * 1e6},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := &providers.LLMResponse{Content: "yes", Usage: tc.usage}
			m := providers.Metered(providers.Metered(fixed{given}, "main", tc.prices), "around it", providers.Prices{Input: 99, Output: 99})
			if tc.prices == (providers.Prices{}) {
				m = providers.Metered(fixed{given}, "main", tc.prices)
			}
			resp, err := m.Chat(t.Context(), tc.messages, tc.tools, "", nil)
			if err != nil || resp.Usage != tc.want || resp.Content != "yes" || resp.Billed != "main" {
				t.Errorf("%+v, %v; want %+v", resp, err, tc.want)
			}
			shown := ""
			resp, err = providers.Stream(t.Context(), m, tc.messages, tc.tools, "", nil, func(e providers.StreamEvent) {
				if d, ok := e.(providers.TextDelta); ok {
					shown += d.Text
				}
			})
			if err != nil || resp.Usage != tc.want || shown != "yes" {
				t.Errorf("streaming: %+v, %v, shown %q; want %+v", resp, err, shown, tc.want)
			}
			if given.Usage != tc.usage {
				t.Errorf("the provider's own answer was changed: %+v", given.Usage)
			}
		})
	}
	if _, err := providers.Metered(&script{steps: []step{{err: fail(providers.KindAuth)}}}, "", providers.Prices{}).Chat(t.Context(),
		nil, nil, "", nil); err == nil {
		t.Error("an error is lost")
	}
}
