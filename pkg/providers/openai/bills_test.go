package openai_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/test/cassette"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
)

// billed keeps the price of each answer.
type billed struct {
	providers.LLMProvider

	prices *[]int64
}

// ChatStream implements [providers.StreamingProvider].
func (b billed) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp, err := providers.Stream(ctx, b.LLMProvider, messages, tools, model, options, emit)
	if err == nil {
		*b.prices = append(*b.prices, resp.Usage.Money)
	}
	return resp, err
}

// Chat implements [providers.LLMProvider].
func (b billed) Chat(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	resp, err := b.LLMProvider.Chat(ctx, messages, tools, model, options)
	if err == nil {
		*b.prices = append(*b.prices, resp.Usage.Money)
	}
	return resp, err
}

// TestRecordedBills: the price of an answer is that which the recorded server charged for
// it. The charge of xAI comes in units of which a millionth of a dollar has 10,000; xAI counts
// reasoning apart from the rest of the answer and charges for both, and sells cached tokens
// cheaper.
func TestRecordedBills(t *testing.T) {
	t.Parallel()
	fast, code := 0.05, 0.02
	of := map[string]providers.Prices{
		"grok-4-fast": {Input: 0.2, Cached: &fast, Output: 0.5}, "grok-code-fast": {Input: 0.2, Cached: &code, Output: 1.5},
	}
	charge := regexp.MustCompile(`"cost_in_usd_ticks": ?([0-9]+)`)
	bills := 0
	for _, c := range cassette.Load(t, cassette.OpenAI) {
		var prices *providers.Prices
		for model, p := range of {
			if strings.HasPrefix(c.Steps[0].Model, model) && c.Steps[0].URL.Host == "api.x.ai" {
				prices = &p
			}
		}
		if prices == nil {
			continue
		}
		var want, got []int64
		for i := range c.Steps {
			all := charge.FindAllStringSubmatch(c.Steps[i].Answer, -1)
			ticks, err := strconv.ParseInt(all[len(all)-1][1], 10, 64) // a stream tells it again and again
			if err != nil {
				t.Fatal(err)
			}
			const unit = 10_000
			want = append(want, (ticks+unit-1)/unit)
			bills++
		}
		cassette.Play(t, c, 1000, func(root string) providers.LLMProvider {
			base := strings.TrimSuffix(c.Steps[0].URL.String(), "/chat/completions")
			p := provider(t, base, func(o *openai.Options) { o.Transport = elsewhere(t, root) })
			return billed{providers.Metered(p, "main", *prices), &got}
		})
		if !slices.Equal(want, got) {
			t.Errorf("%s: priced %v, and charged %v", c.Name, got, want)
		}
	}
	if bills < 20 {
		t.Errorf("%d bills found, the recordings hold 20", bills)
	}
	t.Logf("%d bills", bills)
}
