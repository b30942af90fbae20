package e2e_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/pkg/providers"
)

// TestTelegramModelTellsCredentials has the model say the bot's token, in many
// spellings and places, to a person, in a call and in a question.
func TestTelegramModelTellsCredentials(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	token := tg.Token()
	_, secret, _ := strings.Cut(token, ":")
	answers := map[string]fakemodel.Answer{}
	for name, text := range map[string]string{
		"plain":           token,
		"in a sentence":   "The token is " + token + ", keep it.",
		"marked":          "**" + token + "** and `" + token + "`",
		"in a block":      "```\nTOKEN=" + token + "\n```",
		"in a link":       "[here](https://api.telegram.org/bot" + token + "/getMe)",
		"in base64":       base64.StdEncoding.EncodeToString([]byte(token)),
		"in base64, URL":  base64.RawURLEncoding.EncodeToString([]byte("key=" + token + ";")),
		"escaped":         url.QueryEscape("x=" + token),
		"in hex":          hex.EncodeToString([]byte(token)),
		"in hex, dearly":  strings.ToUpper(hex.EncodeToString([]byte("x" + token))),
		"many times":      strings.Repeat(token+" ", 500),
		"a long way down": strings.Repeat("word ", 2000) + token,
		"where it is cut": strings.Repeat("w", 4090) + token,
	} {
		answers[name] = fakemodel.Say(text)
	}
	answers["to the person"] = fakemodel.Call("message", `{"text":"`+token+`"}`)
	answers["in a result"] = fakemodel.Call("lookup", `{"text":"`+token+`"}`)
	answers["in a question"] = fakemodel.Call("effect_asked", `{"text":"`+token+`"}`)
	answers["in a name"] = fakemodel.Call(token, `{}`)
	answers["in a path"] = fakemodel.Call("read_file", `{"path":"../`+token+`"}`)
	answers["in a key"] = fakemodel.Call("effect", `{"`+token+`":1}`)
	w := newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			return fakemodel.Say("result: " + strings.Join(got, " "))
		}
		return answers[lastUser(req)]
	}, chat)
	for name := range answers {
		told := len(chat.Texts())
		chat.Say(name)
		w.await("an answer to "+name, func() bool { return len(chat.Texts()) > told })
	}
	chat.Say("/status")
	w.says(chat, "Model: fake")
	if n := w.ran(); n != 0 {
		t.Errorf("%d effects", n)
	}
	spellings := []string{secret, base64.StdEncoding.EncodeToString([]byte(token)), url.QueryEscape(token), hex.EncodeToString([]byte(secret))}
	spellings = append(spellings, strings.ToUpper(spellings[len(spellings)-1]))
	clean := func(where, text string) {
		t.Helper()
		for _, s := range spellings {
			if strings.Contains(text, s) {
				t.Errorf("%s has the token: %.300q", where, text)
			}
		}
	}
	for _, text := range chat.Texts() {
		clean("a message", text)
	}
	for _, d := range chat.Drafts() {
		clean("a draft", d.Text)
	}
	requests := w.model.Requests()
	for i := range requests {
		for _, m := range requests[i].Messages {
			if m.Role == providers.RoleTool {
				clean("a result", m.Content)
			}
		}
	}
	for _, row := range w.recorded() {
		clean("the audit log", row.Tool+row.Detail+row.Call)
	}
	err := filepath.WalkDir(filepath.Join(w.gw.Dir, "state"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".jsonl") {
			clean(path, string(b))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
