package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestSettingsOfModelsReachTheServer sends a picture to models with and without an effort of
// reasoning, and with and without a row that tells whether they take pictures.
func TestSettingsOfModelsReachTheServer(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	names := []string{"plain", "told", "blind", "overruled", "unknown"}
	var chats []*faketelegram.Chat
	for _, name := range names {
		chats = append(chats, tg.Private(tg.User(name)))
	}
	w := prepareTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer { return fakemodel.Say("seen by " + req.Model) },
		rig.Config{Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()}})
	var places string
	for i, name := range names[1:] {
		more := ""
		if name == "blind" {
			more = ", reasoning_effort: xhigh"
		}
		places += fmt.Sprintf("  \"telegram:%d\": {model: %s%s}\n", chats[i+1].ID(), name, more)
	}
	server := fmt.Sprintf("base_url: %q, api_key: \"env:LLM_KEY\"", w.modelURL)
	text := fmt.Sprintf(`state_dir: %q
workspace: %q
log: {level: trace, format: json}
agent: {model: plain}
models:
  plain: {model: gpt-4o, %[3]s}
  told: {model: gpt-5.1, reasoning_effort: low, %[3]s}
  blind: {model: gpt-oss-120b, reasoning_effort: low, %[3]s}
  overruled: {model: gpt-4o-mini, images: false, %[3]s}
  unknown: {model: fake, %[3]s}
chats:
%[4]schannels:
  telegram: {enabled: true, token: "env:TELEGRAM_TOKEN", api_url: %[5]q, allow_everyone: true}
`, filepath.Join(w.gw.Dir, "state"), filepath.Join(w.gw.Dir, "workspace"), server, places, tg.URL())
	if err := os.WriteFile(w.gw.ConfigPath(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	for _, chat := range chats {
		chat.Photo([]byte("\xff\xd8\xff\xe0 a picture"), "look")
		w.says(chat, "seen by")
	}
	type sent struct {
		Effort   string
		Pictures int
	}
	got := map[string]sent{}
	for _, r := range w.model.Requests() {
		var body struct {
			Effort string `json:"reasoning_effort"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		s := sent{Effort: body.Effort}
		for i := range r.Messages {
			s.Pictures += len(r.Messages[i].Images)
		}
		got[r.Model] = s
	}
	want := map[string]sent{
		"gpt-4o": {"", 1}, "gpt-5.1": {"low", 1}, "gpt-oss-120b": {"xhigh", 0}, "gpt-4o-mini": {"", 0}, "fake": {"", 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
