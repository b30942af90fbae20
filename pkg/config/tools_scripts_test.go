package config_test

import (
	"strings"
	"testing"
	"time"

	"parley/pkg/config"
)

func TestScriptTools(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(write(t,
		"workspace: /srv/bot\ntools: {disabled: [mine], scripts: {enabled: false, max_timeout: 2m, max_output_kb: 8}}\n"), config.Options{
		Home: home,
		Tools: func(c *config.Config) []string { // it is asked about this configuration
			if c.Workspace != "/srv/bot" {
				t.Errorf("asked about %s", c.Workspace)
			}
			return []string{"mine"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.ScriptTools{MaxTimeout: config.Duration(2 * time.Minute), MaxOutput: 8}); cfg.Tools.Scripts != want {
		t.Errorf("%+v", cfg.Tools.Scripts)
	}
	for text, want := range map[string]string{
		"max_timeout: 2h":   "tools.scripts.max_timeout: 2h0m0s is out of range",
		"max_output_kb: 0":  "tools.scripts.max_output_kb: 0 is out of range",
		"enabled: 'yes'":    "tools.scripts.enabled: must be true or false",
		"enable: true":      "unknown key: did you mean enabled?",
		"max_output_kb: 1m": "must be a whole number",
	} {
		_, err := config.Load(write(t, "tools: {scripts: {"+text+"}}\n"), options())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
