package browser_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestCommandsChangeTheOpenChat: words that are taken out are shown as such, a new conversation begins empty and one that is
// resumed has its words, in each tab and without a reload. Neither axe nor the widths find a fault.
func TestCommandsChangeTheOpenChat(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, func(r fakemodel.Request) fakemodel.Answer { return fakemodel.Say("heard " + r.LastUser()) })
	b := newChecker(w.browser())
	b.login()
	second := b.second()
	second.do(chromedp.Navigate(w.base + "/"))
	b.write("alpha")
	b.settled()
	b.write("beta")
	b.until("the second answer", `document.body.innerText.includes("heard beta")`)
	b.settled()
	const undone = `[...document.querySelectorAll(".undone .bubble, .undone .md")].map((e) => e.innerText).join(", ")`
	if got := eval[string](b.tab, undone); got != "" {
		t.Errorf("taken out before it was said: %s", got)
	}
	b.write("/undo")
	for _, tab := range []*tab{b.tab, second} {
		tab.until("the words that are taken out", undone+` === "beta, heard beta"`)
		tab.until("the words that stay", `document.body.innerText.includes("heard alpha")`)
	}
	b.check("undone")
	b.write("/new")
	for _, tab := range []*tab{b.tab, second} {
		tab.until("the new conversation", `!document.body.innerText.includes("heard alpha")`)
	}
	b.write("gamma")
	b.until("its answer", `document.body.innerText.includes("heard gamma")`)
	b.settled()
	b.write("/resume 1")
	for _, tab := range []*tab{b.tab, second} {
		tab.until("the conversation of before",
			`document.body.innerText.includes("heard alpha") && !document.body.innerText.includes("heard gamma")`)
		tab.clean()
	}
}

// TestAMessageThatJoinsATurn of a linked chat is on the page at once, behind the message that it joins and in front of the answer.
func TestAMessageThatJoinsATurn(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	asked, release := make(chan struct{}, 8), make(chan struct{})
	w := newWorldOf(t, func(r fakemodel.Request) fakemodel.Answer {
		if strings.Contains(r.LastUser(), "first") {
			asked <- struct{}{}
			<-release
		}
		return fakemodel.Say("the answer")
	}, rig.Config{Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()}})
	b := w.browser()
	b.login()
	chat.Say("/link")
	code := ""
	for deadline := time.Now().Add(patience); code == "" && time.Now().Before(deadline); <-time.After(30 * time.Millisecond) {
		code = regexp.MustCompile("[A-Z0-9]{8}").FindString(strings.Join(chat.Texts(), " "))
	}
	b.click(".linking summary")
	b.do(chromedp.SendKeys("#link-code", code+"\r", chromedp.ByQuery))
	b.until("the chat", `location.hash.startsWith("#/link-")`)
	chat.Say("the first")
	<-asked
	chat.Say("the second")
	chat.Say("the third")
	close(release)
	b.until("all of it",
		`[...document.querySelectorAll(".bubble")].map((e) => e.innerText).join(", ").endsWith("the first, the second, the third")`)
	b.settled()
	b.clean()
}
