package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/providers"
)

// costs is an answer with a use of its own.
func costs(text string, u providers.Usage) fakemodel.Answer {
	a := fakemodel.Say(text)
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	a.Usage = u
	return a
}

// usage is the answer to `parley usage` of the running gateway: the numbers of each row, by
// the values of its columns.
func (w *world) usage(args ...string) map[string]string {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd := w.gw.Command(w.ctx, nil, append([]string{"usage", "--json"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("usage %v: %v: %s", args, err, errs.String())
	}
	rows := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			Chat, Person, Model, Purpose                                    string
			Turns, Answers, Input, Cached, Output, Reasoning, Money, Others int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			w.t.Fatal(err)
		}
		key := strings.Join(strings.Fields(strings.Join([]string{r.Chat, r.Person, r.Model, r.Purpose}, " ")), " ")
		rows[key] = fmt.Sprintf("%d turns, %d answers, %d read, %d cached, %d written, %d reasoning, %d",
			r.Turns, r.Answers, r.Input, r.Cached, r.Output, r.Reasoning, r.Money)
	}
	return rows
}

// TestUsageOfPeopleAndModels counts in a running gateway, also one that was started anew: two people
// of a group, another chat, a model with a price for cached tokens, and one that steps in.
func TestUsageOfPeopleAndModels(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	ada, bert := tg.User("Ada"), tg.User("Bert")
	group, direct := tg.Supergroup("all", ada, bert), tg.Private(ada)
	cached := providers.Usage{PromptTokens: 1000, CachedTokens: 800, CompletionTokens: 100, ReasoningTokens: 60}
	w := prepareTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		if strings.Contains(lastUser(req), "hard") {
			return costs("", providers.Usage{PromptTokens: 500, CompletionTokens: 1})
		}
		return costs("easy", cached)
	}, rig.Config{LogLevel: "trace", Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()}})
	w.fallBack(func(fakemodel.Request) fakemodel.Answer {
		return costs("solved", providers.Usage{PromptTokens: 400, CompletionTokens: 50})
	})
	text, err := os.ReadFile(w.gw.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("  main: {"), []byte("  main: {prices: {input: 2, output: 10, cached: 0.5}, "), 1)
	text = bytes.Replace(text, []byte("  next: {"), []byte("  next: {prices: {input: 3, output: 20}, "), 1)
	if err := os.WriteFile(w.gw.ConfigPath(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	group.Say(mention(tg) + "one")
	w.reads(group, "easy")
	group.As(bert).Say(mention(tg) + "a hard one")
	w.reads(group, "easy", "solved")
	direct.Say("two")
	w.reads(direct, "easy")
	w.process.Signal(syscall.SIGTERM)
	if _, err := w.process.Wait(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.start()
	direct.Say("three")
	w.reads(direct, "easy", "easy")

	bot := fmt.Sprintf("telegram:%d/", tg.Bot().User().ID)
	a, b := fmt.Sprint(bot, ada.ID), fmt.Sprint(bot, bert.ID)
	g, d := fmt.Sprint(bot, group.ID()), fmt.Sprint(bot, direct.ID())
	const (
		easy   = "1 answers, 1000 read, 800 cached, 100 written, 60 reasoning, 1800"
		thrice = "3 answers, 3000 read, 2400 cached, 300 written, 180 reasoning, 5400"
		wasted = "0 turns, 1 answers, 500 read, 0 cached, 1 written, 0 reasoning, 1010"
		solved = "0 turns, 1 answers, 400 read, 0 cached, 50 written, 0 reasoning, 2200"
		both   = "2 answers, 900 read, 0 cached, 51 written, 0 reasoning, 3210"
	)
	for args, want := range map[string]map[string]string{
		"--by person":              {a: "3 turns, " + thrice, b: "1 turns, " + both},
		"--by person,model":        {a + " main": "0 turns, " + thrice, b + " main": wasted, b + " next": solved},
		"--by model --person " + b: {"main": wasted, "next": solved},
		"--by model --chat " + d: {
			"main": "0 turns, 2 answers, 2000 read, 1600 cached, 200 written, 120 reasoning, 3600",
		},
		"--by turn --chat " + g: {g + " " + a + " people": "1 turns, " + easy, g + " " + b + " people": "1 turns, " + both},
		"": {
			g + " people": "2 turns, 3 answers, 1900 read, 800 cached, 151 written, 60 reasoning, 5010",
			d + " people": "2 turns, 2 answers, 2000 read, 1600 cached, 200 written, 120 reasoning, 3600",
		},
		"--by chat --model next": {g: solved},
		"--person telegram:1":    {},
	} {
		if diff := cmp.Diff(want, w.usage(strings.Fields(args)...)); diff != "" {
			t.Errorf("usage %s (-want +got)\n%s", args, diff)
		}
	}
}
