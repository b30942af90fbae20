package config

import (
	"fmt"
	"maps"
	"slices"
)

// Budgets bound the use of a chat in a day.
type Budgets struct {
	Currency   string `yaml:"currency" jsonschema_description:"The word for what the models' prices are in, for display. Default USD."`
	All        Limits `yaml:"all" jsonschema_description:"What a chat may use in a day, all together. Default no limit."`
	People     Limits `yaml:"people" jsonschema_description:"What it may use for what people write. Default no limit of its own."`
	Jobs       Limits `yaml:"jobs" jsonschema_description:"What it may use for schedules. Default 200 turns."`
	Background Limits `yaml:"background" jsonschema_description:"What it may use for background agents and for what comes of work in the background. Default 500 turns."`

	Chats map[string]ChatBudget `yaml:"chats" jsonschema_description:"Budgets of single chats, by their place: CHANNEL:[ACCOUNT/]CHAT[#THREAD]. A block here takes the place of the block above with its name."`
}

// ChatBudget is the budget of one chat; a nil field is as for all.
type ChatBudget struct {
	All        *Limits `yaml:"all" jsonschema_description:"In place of budgets.all."`
	People     *Limits `yaml:"people" jsonschema_description:"In place of budgets.people."`
	Jobs       *Limits `yaml:"jobs" jsonschema_description:"In place of budgets.jobs."`
	Background *Limits `yaml:"background" jsonschema_description:"In place of budgets.background."`
}

// Limits bound one day; 0 is no limit.
type Limits struct {
	Turns  int     `yaml:"turns" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Turns that ask the model. 0 is no limit."`
	Tokens int     `yaml:"tokens" jsonschema:"minimum=0,maximum=1000000000000" jsonschema_description:"Tokens, read and written ones together. 0 is no limit."`
	Money  float64 `yaml:"money" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Money; the models need prices. 0 is no limit."`
}

// Prices are the costs of a model per million tokens, and of one that writes down speech
// per minute.
type Prices struct {
	Input  float64 `yaml:"input" jsonschema:"minimum=0,maximum=1000000" jsonschema_description:"For a million tokens that it reads."`
	Output float64 `yaml:"output" jsonschema:"minimum=0,maximum=1000000" jsonschema_description:"For a million tokens that it writes."`

	Cached     *float64 `yaml:"cached" jsonschema:"minimum=0,maximum=1000000" jsonschema_description:"For a million tokens that it reads from its cache. Default: as input."`
	CacheWrite *float64 `yaml:"cache_write" jsonschema:"minimum=0,maximum=1000000" jsonschema_description:"For a million tokens that it writes to its cache, where the server tells how many. Default: as input."`

	Minute float64 `yaml:"minute" jsonschema:"minimum=0,maximum=1000000" jsonschema_description:"For a minute of sound that it writes down. Default 0."`
}

// defaultBudgets bound work that no person started.
func defaultBudgets() Budgets {
	const jobs, background = 200, 500
	return Budgets{Currency: "USD", Jobs: Limits{Turns: jobs}, Background: Limits{Turns: background}}
}

// budgets checks places, and that money is limited only where it can be counted.
func (c budgetChecker) budgets() {
	const path, most = "budgets", 16
	b := &c.cfg.Budgets
	if b.Currency == "" || len(b.Currency) > most {
		c.at(path+".currency", "must be a short word, such as USD")
	}
	c.limits(path, ChatBudget{&b.All, &b.People, &b.Jobs, &b.Background})
	for _, place := range slices.Sorted(maps.Keys(b.Chats)) {
		at := path + ".chats." + place
		c.place(at, place)
		c.chatBudget(at, b.Chats[place])
		c.limits(at, b.Chats[place])
	}
}

// chatBudget reports blocks without a word: one would lift the limit that it replaces.
func (c budgetChecker) chatBudget(path string, b ChatBudget) {
	if b == (ChatBudget{}) {
		c.at(path, "says nothing: write all, people, jobs or background, or leave it out")
	}
	for name, l := range map[string]*Limits{"all": b.All, "people": b.People, "jobs": b.Jobs, "background": b.Background} {
		at := path + "." + name
		if l != nil && !c.written(at+".turns") && !c.written(at+".tokens") && !c.written(at+".money") {
			c.at(at, "is empty, which would be no limit at all: write turns, tokens or money, or turns: 0 for no limit")
		}
	}
}

func (c budgetChecker) limits(path string, b ChatBudget) {
	for name, l := range map[string]*Limits{"all": b.All, "people": b.People, "jobs": b.Jobs, "background": b.Background} {
		if l == nil || l.Money <= 0 {
			continue
		}
		at := path + "." + name + ".money"
		if len(c.cfg.Models) == 0 {
			c.at(at, "needs a model with prices: add a block models, or leave this limit out")
		}
		for _, model := range slices.Sorted(maps.Keys(c.cfg.Models)) { // a chat may choose any of them
			if m := c.cfg.Models[model]; m.Prices == nil && m.Provider != "offline" {
				c.at(at, "%s has no prices: write %s, what a million tokens cost, or leave this limit out",
					"models."+model, fmt.Sprintf("models.%s.prices: {input: 2.5, output: 10}", model))
			}
		}
	}
}
