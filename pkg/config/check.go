package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
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
	for place := range c.cfg.Tools.Chats {
		if c.options.Place != nil {
			c.report("tools.chats."+place, c.options.Place(place))
		}
	}
	c.budgets()
	c.tools()
	c.programs()
	c.web()
	c.telegram()
	c.slack()
}

// tools checks the names of tools, for all chats and for single ones.
func (c checker) tools() {
	c.files()
	c.toolNames("tools.enabled", c.cfg.Tools.Enabled)
	c.toolNames("tools.disabled", c.cfg.Tools.Disabled)
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Tools.Rules)) {
		c.toolName("tools.rules."+name, name)
	}
	for place, t := range c.cfg.Tools.Chats {
		c.toolNames("tools.chats."+place+".enabled", t.Enabled)
		c.toolNames("tools.chats."+place+".disabled", t.Disabled)
	}
}

func (c checker) toolNames(path string, names []string) {
	for i, name := range names {
		c.toolName(fmt.Sprintf("%s[%d]", path, i), name)
	}
}

// toolName reports a name that no tool has.
func (c checker) toolName(path, name string) {
	if c.options.Tools == nil {
		return
	}
	known := slices.AppendSeq(c.options.Tools(c.cfg), maps.Keys(c.cfg.Tools.Composed))
	if slices.Sort(known); !slices.Contains(known, name) {
		c.at(path, "there is no tool %s: the tools are %s", quote(name), strings.Join(known, ", "))
	}
}

func (c checker) report(path string, err error) {
	if err != nil {
		c.at(path, "%v", err)
	}
}

func (c checker) folders() {
	if within(c.cfg.Workspace, c.cfg.StateDir) {
		c.at("state_dir", "must not lie inside the workspace, where tools read and write: move it out")
	}
}

// within says whether path is dir or lies below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (c checker) agent() {
	if len(c.cfg.Models) == 0 {
		for i := range c.cfg.Agent.Fallbacks {
			c.at(fmt.Sprintf("agent.fallbacks[%d]", i), "there are no models: add a block models")
		}
		return
	}
	c.modelName("agent.model", c.cfg.Agent.Model)
	for i, name := range c.cfg.Agent.Fallbacks {
		c.modelName(fmt.Sprintf("agent.fallbacks[%d]", i), name)
	}
}

func (c checker) modelName(path, name string) {
	if _, ok := c.cfg.Models[name]; !ok {
		c.at(path, "%s is not among the models: write one of %s", quote(name), strings.Join(slices.Sorted(maps.Keys(c.cfg.Models)), ", "))
	}
}

func (c checker) model(path string, m *Model) {
	if m.Provider == "offline" {
		return
	}
	if m.Model == "" {
		c.at(path+".model", "is missing: write the server's name for the model, such as gpt-4o")
	}
	c.server(path+".base_url", m.BaseURL, m.APIKey.set)
}

// server checks an address to which requests go; secret says that one goes with them.
func (c checker) server(path, address string, secret bool) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.at(path, "must be an address such as https://example.org/v1")
	case u.User != nil:
		c.at(path, "must not hold a name or a password: a key goes into its own field")
	case u.RawQuery != "" || u.Fragment != "":
		c.at(path, "must end before ? and #")
	case u.Scheme == "http" && secret && !loopback(u.Hostname()):
		c.at(path, "a secret would travel unencrypted: write https, or leave the secret out (plain http with a secret is for this machine only)")
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func (c checker) built(path, name string, enabled bool) { //nolint:revive // flag-parameter: a disabled channel is always fine
	if enabled && !slices.Contains(c.options.Built, name) {
		c.at(path+".enabled", "this gateway is built without the channel %s: set enabled: false (built are %s)", name, strings.Join(c.options.Built, ", "))
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

func (c checker) listen(path, address string) {
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
		c.at(path, "must be HOST:PORT, such as 127.0.0.1:8443")
	}
}

func (c checker) proxy(path, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme) {
		c.at(path, "must be an address such as http://127.0.0.1:3128 or socks5://127.0.0.1:1080")
	}
}
