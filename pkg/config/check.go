package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checker holds values against each other and against their surroundings.
type checker struct {
	*walker
	cfg     *Config
	options Options
}

func (c checker) run() {
	c.folders()
	c.agent()
	c.schedules()
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models)) {
		c.model("models."+name, c.cfg.Models[name])
	}
	for i, owner := range c.cfg.Owners {
		if c.options.Owner != nil {
			c.report(fmt.Sprintf("owners[%d]", i), c.options.Owner(owner))
		}
	}
	c.budgets()
	c.tools()
	c.programs()
	c.web()
	c.telegram()
	c.slack()
	c.listeners()
}

// place checks how a chat is named.
func (c checker) place(path, place string) {
	if c.options.Place != nil {
		c.report(path, c.options.Place(place))
	}
}

func (c checker) report(path string, err error) {
	if err != nil {
		c.at(path, "%v", err)
	}
}

func (c checker) built(path, name string, enabled bool) { //nolint:revive // flag-parameter: a disabled channel is always fine
	if enabled && !slices.Contains(c.options.Built, name) {
		c.at(path+".enabled", "this gateway is built without the channel %s: set enabled: false (built are %s)",
			name, strings.Join(c.options.Built, ", "))
	}
}

// ids checks a list of ids of one channel.
func (c checker) ids(path, channel string, list []ID, check func(channel, id string) error) {
	if check == nil {
		return
	}
	for i, id := range list {
		c.report(fmt.Sprintf("%s[%d]", path, i), check(channel, string(id)))
	}
}
