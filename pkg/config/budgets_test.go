package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/config"
)

const pricedModel = "models: {main: {model: m, prices: {input: 2.5, output: 10, cached: 0}}}\n"

func TestBudgets(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(write(t, pricedModel+`
budgets:
  currency: EUR
  all: {money: 1.5}
  jobs: {tokens: 1000}
  chats:
    "telegram:7": {all: {turns: 0}, background: {turns: 3}}
`), options())
	if err != nil {
		t.Fatal(err)
	}
	want := config.Budgets{
		Currency: "EUR", All: config.Limits{Money: 1.5}, Jobs: config.Limits{Turns: 200, Tokens: 1000}, Background: config.Limits{Turns: 500},
		Chats: map[string]config.ChatBudget{"telegram:7": {All: &config.Limits{}, Background: &config.Limits{Turns: 3}}},
	}
	if d := cmp.Diff(want, cfg.Budgets); d != "" {
		t.Error(d)
	}
	cached := 0.0
	if d := cmp.Diff(&config.Prices{Input: 2.5, Output: 10, Cached: &cached}, cfg.Models["main"].Prices); d != "" {
		t.Error(d)
	}
}

func TestBudgetsRefused(t *testing.T) {
	t.Parallel()
	const cure = "models.main has no prices: write models.main.prices: {input: 2.5, output: 10}, what a million tokens cost, or " +
		"leave this limit out"
	for name, tc := range map[string]struct{ text, want string }{
		"money without prices": {"models: {main: {model: m}}\nbudgets: {all: {money: 1}}", "budgets.all.money: " + cure},
		"of jobs":              {"models: {main: {model: m}}\nbudgets: {jobs: {money: 1}}", "budgets.jobs.money: " + cure},
		"of one chat": {
			"models: {main: {model: m}}\nbudgets: {chats: {'a:1': {people: {money: 1}}}}",
			"budgets.chats.a:1.people.money: " + cure,
		},
		"of a fallback": {
			"agent: {fallbacks: [b]}\nmodels: {main: {model: m, prices: {input: 0, output: 0}}, b: {model: n}}\nbudgets: {all: {money: 1}}",
			"models.b has no prices",
		},
		"money without models":       {"budgets: {background: {money: 1}}", "budgets.background.money: needs a model with prices"},
		"a model that costs nothing": {"models: {main: {model: m, prices: {input: 0, output: 0}}}\nbudgets: {all: {money: 1}}", ""},
		"the offline model":          {"models: {main: {provider: offline}}\nbudgets: {all: {money: 1}}", ""},
		"of one that a chat may choose": {
			"models: {main: {model: m, prices: {input: 1, output: 0}}, b: {model: n}}\nbudgets: {all: {money: 1}}",
			"budgets.all.money: models.b has no prices",
		},
		"no limit on money":               {"models: {main: {model: m}}\nbudgets: {all: {money: 0, turns: 5}}", ""},
		"a place that is none":            {"budgets: {chats: {everybody: {all: {turns: 1}}}}", "budgets.chats.everybody: write CHANNEL:CHAT"},
		"below nothing":                   {"budgets: {all: {turns: -1}}", "budgets.all.turns: -1 is out of range"},
		"a negative price":                {"models: {main: {model: m, prices: {input: -1}}}", "models.main.prices.input: -1 is out of range"},
		"no currency":                     {"budgets: {currency: ''}", "budgets.currency: must be a short word"},
		"another word":                    {"budgets: {job: {turns: 1}}", "did you mean jobs?"},
		"half a turn":                     {"budgets: {jobs: {turns: 0.5}}", "must be a whole number"},
		"no limit on what runs by itself": {"budgets: {jobs: {turns: 0}, background: {turns: 0}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(write(t, tc.text), options())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
