package e2e_test

import (
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/providers"
)

const (
	germanAsks   = "Was heißt Guten Morgen auf Englisch?"
	germanAnswer = "Auf Englisch: Good morning."
)

// translates is a model that has another one translate, and that other one.
func translates(req fakemodel.Request) fakemodel.Answer {
	if req.Model == "translator" {
		m := req.Messages
		if len(m) == 2 && m[0].Role == providers.RoleSystem && strings.Contains(m[0].Content, "from German into English") &&
			strings.Contains(m[0].Content, "Morgen = morning") && m[1].Content == "Guten Morgen" {
			return fakemodel.Say("Good morning")
		}
		return fakemodel.Say("I was asked something else")
	}
	got := results(req)
	switch {
	case !strings.Contains(lastUser(req), germanAsks):
		return fakemodel.Say("Wie bitte?")
	case len(got) == 0:
		return fakemodel.Call("translate", `{"text":"Guten Morgen","from":"German","to":"English","glossary":{"Morgen":"morning"}}`)
	case got[0] == `{"text":"Good morning"}`:
		return fakemodel.Say(germanAnswer)
	default:
		return fakemodel.Say("the tool says " + got[0])
	}
}

// withTranslator has a gateway translate by a model of its own.
func withTranslator(c rig.Config) rig.Config {
	c.Models = map[string]string{"words": `{model: translator, base_url: "%s", api_key: "env:LLM_KEY"}`}
	c.More = "roles: {translate: words}\n"
	return c
}

// TestTranslateChain has a person write German, and the model use the tool translate for the answer.
func TestTranslateChain(t *testing.T) {
	t.Parallel()
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		chat := tg.Private(tg.User("Ada"))
		w := newTelegramWith(t, tg, translates, withTranslator(rig.Config{Telegram: &rig.Telegram{}}))
		chat.Say(germanAsks)
		w.reads(chat, germanAnswer)
		if use := w.usage("--by", "model"); !strings.HasPrefix(use["words"], "0 turns, 1 answers, ") {
			t.Errorf("the use is %v", use)
		}
	})
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		srv := fakeslack.New(t)
		chat := srv.DM(srv.User("Ada"))
		w := newSlackWith(t, srv, translates, withTranslator(rig.Config{Slack: slackApp(srv)}))
		chat.Say(germanAsks)
		w.reads(chat, germanAnswer)
	})
	t.Run("web", func(t *testing.T) {
		t.Parallel()
		addr := freeAddr(t)
		w := &apiWorld{world: prepare(t, translates, withTranslator(rig.Config{HTTP: addr})), base: "http://" + addr + "/api"}
		w.runsAPI(addr)
		_, after := w.posts(germanAsks, "k")
		w.follow(after, isNamed("done"))
		if all := w.reads(); len(all) != 2 || all[1].Text != germanAnswer {
			t.Errorf("the chat reads %+v", all)
		}
	})
	t.Run("console", func(t *testing.T) {
		t.Parallel()
		w := prepare(t, translates, withTranslator(rig.Config{}))
		cmd := w.gw.Command(w.ctx, []string{"PARLEY_TEST_CHANNEL="}, "chat")
		cmd.Stdin = strings.NewReader(germanAsks + "\n")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), germanAnswer) {
			t.Errorf("the console says %q, %v", out, err)
		}
	})
}
