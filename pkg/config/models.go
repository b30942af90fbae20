package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/strictyaml"
)

// run checks the models, and the agent that asks them.
func (c modelChecker) run() {
	c.agent()
	c.schedules()
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models)) {
		c.model("models."+name, c.cfg.Models[name])
	}
}

// agent checks which models are asked, and in which order.
func (c modelChecker) agent() {
	a := &c.cfg.Agent
	if len(c.cfg.Models) == 0 {
		if a.Model != Default("").Agent.Model {
			c.at("agent.model", "%s is not among the models: there are none, so add a block models", strictyaml.Quote(a.Model))
		}
		for i := range a.Fallbacks {
			c.at(fmt.Sprintf("agent.fallbacks[%d]", i), "there are no models: add a block models")
		}
		return
	}
	c.modelName("agent.model", a.Model)
	before := a.Model
	for i, name := range a.Fallbacks {
		path := fmt.Sprintf("agent.fallbacks[%d]", i)
		c.modelName(path, name)
		if m := c.cfg.Models[before]; m != nil && m.Provider == "offline" {
			c.at(path, "is never asked, because %s before it is the built-in model, which always answers: put that one last",
				strictyaml.Quote(before))
		} else if name == a.Model {
			c.at(path, "is the model that is asked first already: write another, or take it out")
		}
		before = name
	}
}

func (c modelChecker) modelName(path, name string) {
	if _, ok := c.cfg.Models[name]; !ok {
		c.at(path, "%s is not among the models: write one of %s", strictyaml.Quote(name),
			strings.Join(slices.Sorted(maps.Keys(c.cfg.Models)), ", "))
	}
}

func (c modelChecker) model(path string, m *Model) {
	c.prices(path + ".prices")
	if m.Provider == "offline" {
		for _, key := range []string{"model", "base_url", "api_key"} {
			if at := path + "." + key; c.written(at) {
				c.at(at,
					"belongs to a server, and offline is the model that is built in: write provider: openai for a server, also one on this machine")
			}
		}
		return
	}
	if m.Model == "" {
		c.at(path+".model", "is missing: write the server's name for the model, such as gpt-4o")
	}
	c.server(path+".base_url", m.BaseURL, m.APIKey.set)
	if strings.HasSuffix(strings.TrimRight(m.BaseURL, "/"), "/chat/completions") {
		c.at(path+".base_url", "must end before /chat/completions, which is added to it")
	}
	for key, d := range map[string]Duration{"connect": m.Timeouts.Connect, "idle": m.Timeouts.Idle} {
		if at := path + ".timeouts." + key; c.written(at) && d > m.Timeouts.Total {
			c.at(at, "is longer than total, %s, which ends the request first", m.Timeouts.Total)
		}
	}
}

// prices reports half a price: the other half would count as zero, and no limit of
// money would ever be reached.
func (c modelChecker) prices(path string) {
	if !c.written(path) {
		return
	}
	for _, key := range []string{"input", "output"} {
		if at := path + "." + key; !c.written(at) {
			c.at(at, "is missing: write what a million tokens cost, 0 for nothing")
		}
	}
}
