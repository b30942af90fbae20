package gateway

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent/command"
	"parley/pkg/channels/console"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/telegram"
	"parley/pkg/channels/web"
	"parley/pkg/config"
)

// TestDocumentedCommands: docs/commands.md has a row for each command, in the order of the table.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `/([a-z]+)").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, m[1])
	}
	for _, c := range command.List() {
		want = append(want, c.Name)
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("the table and docs/commands.md differ (-table +page)\n%s", d)
	}
}

// TestCommandsOfAToken name the models of its list alone.
func TestCommandsOfAToken(t *testing.T) {
	t.Parallel()
	for _, c := range wireCommands(&config.Config{}, web.Name, []string{"large", "small"}, []string{"small"}) {
		if c.Name == "model" && !slices.Equal(c.Args[0].Values, []string{"small"}) {
			t.Errorf("models %q", c.Args[0].Values)
		}
	}
}

// TestOneTableOfCommands: each channel offers the commands of the table that make sense there, in
// its order and with its words.
func TestOneTableOfCommands(t *testing.T) {
	t.Parallel()
	served, alone := &config.Config{HTTP: config.HTTP{Listen: "127.0.0.1:0"}}, &config.Config{}
	for _, c := range []struct {
		channel string
		cfg     *config.Config
		lacks   []string
	}{
		{telegram.Name, served, []string{"copy"}},
		{telegram.Name, alone, []string{"copy", "link", "unlink"}},
		{slack.Name, served, []string{"copy"}},
		{slack.Name, alone, []string{"copy", "link", "unlink"}},
		{web.Name, served, []string{"copy", "link", "unlink"}},
		{console.Name, served, nil},
		{console.Name, alone, []string{"link", "unlink"}},
	} {
		want := slices.DeleteFunc(command.List(), func(one command.Command) bool { return slices.Contains(c.lacks, one.Name) })
		wire, menu := wireCommands(c.cfg, c.channel, []string{"large", "small"}, nil), menu(c.cfg)
		if len(wire) != len(want) || c.channel == telegram.Name && len(menu) != len(want) {
			t.Errorf("%s has %d commands, %d in the menu, want %d", c.channel, len(wire), len(menu), len(want))
			continue
		}
		for i := range want {
			if wire[i].Name != want[i].Name || wire[i].Does != want[i].Does || len(wire[i].Args) != len(want[i].Args) {
				t.Errorf("%s: %+v, want %+v", c.channel, wire[i], want[i])
			}
			if want[i].Name == "model" && !slices.Equal(wire[i].Args[0].Values, []string{"default", "large", "small"}) {
				t.Errorf("models %q", wire[i].Args[0].Values)
			}
			if c.channel == telegram.Name && (menu[i].Name != want[i].Name || menu[i].Description != want[i].Does) {
				t.Errorf("the menu has %+v, want %+v", menu[i], want[i])
			}
		}
	}
}
