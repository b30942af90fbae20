package config

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/strictyaml"
)

// checker holds values against each other and against their surroundings. It has the
// checks that several parts of the file need; each part has a checker of its own.
type checker struct {
	yaml    *strictyaml.Walker
	cfg     *Config
	options Options
}

type (
	folderChecker  struct{ checker }
	modelChecker   struct{ checker }
	budgetChecker  struct{ checker }
	toolChecker    struct{ checker }
	fileChecker    struct{ checker }
	programChecker struct{ checker }
	webChecker     struct{ checker }
	channelChecker struct{ checker }
)

// run checks the whole configuration.
func (c checker) run() {
	folderChecker{c}.folders()
	modelChecker{c}.run()
	c.owners()
	budgetChecker{c}.budgets()
	fileChecker{c}.files()
	fileChecker{c}.corpora()
	toolChecker{c}.tools()
	programChecker{c}.programs()
	webChecker{c}.web()
	channelChecker{c}.run()
	httpChecker{c}.run()
}

// at reports a problem with the value of a key.
func (c checker) at(path, format string, args ...any) { c.yaml.At(path, format, args...) }

// written says whether the file has a value at path.
func (c checker) written(path string) bool { return c.yaml.Written(path) }

func (c checker) owners() {
	if c.options.Owner == nil {
		return
	}
	for i, owner := range c.cfg.Owners {
		c.report(fmt.Sprintf("owners[%d]", i), c.options.Owner(owner))
	}
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
