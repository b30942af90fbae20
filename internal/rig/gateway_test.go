package rig_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/rig"
)

func TestTelegramIsInTheConfiguration(t *testing.T) {
	t.Parallel()
	g, err := rig.NewGateway("gateway", t.TempDir(), rig.Config{
		Telegram: &rig.Telegram{APIURL: "http://127.0.0.1:1", Token: "1:secret", Chats: []int64{7, -8}, Owner: 9},
		Tools:    map[string]any{"disabled": []string{"calculator"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(g.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"api_url: \"http://127.0.0.1:1\"", "owners: [\"telegram:9\"]",
		`tools: {"chats":{"telegram:-8":{"level":"write"},"telegram:7":{"level":"write"},"telegram:9":{"level":"exec"}},"disabled":["calculator"]}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "secret") || !slices.Contains(g.Env, "TELEGRAM_TOKEN=1:secret") {
		t.Errorf("the token does not come by the environment: %q", g.Env)
	}
}
