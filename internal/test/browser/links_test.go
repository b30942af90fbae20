package browser_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestAChatOfTelegramOnThePage: its code puts it in the list, where it grows and cannot be written
// to; axe and the widths find nothing. It goes when the person ends it, on either side.
func TestAChatOfTelegramOnThePage(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newWorldOf(t, assistant, rig.Config{Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()}})
	b := newChecker(w.browser())
	b.login()
	chat.Say("Please look.")
	said := func(n int) string {
		t.Helper()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(30 * time.Millisecond) {
			if all := chat.Texts(); len(all) >= n {
				return all[n-1]
			}
		}
		t.Fatalf("no message %d: %q", n, chat.Texts())
		return ""
	}
	said(1)
	code := regexp.MustCompile("[A-Z0-9]{8}")
	link := func(n int) {
		t.Helper()
		chat.Say("/link")
		found := code.FindString(said(n))
		b.do(chromedp.Evaluate(`document.querySelector(".linking").open = true; 1`, nil),
			chromedp.SendKeys("#link-code", found+"\r", chromedp.ByQuery))
		b.until("the chat", `location.hash.startsWith("#/link-") && document.querySelector("details.tool-execution")`)
	}
	b.click(".linking summary")
	b.do(chromedp.SendKeys("#link-code", "WRONGONE\r", chromedp.ByQuery))
	b.says("no chat has this code")
	b.check("a wrong code")
	link(2)
	b.until("the list", `document.querySelector(".chats a[aria-current]").innerText.includes("Telegram")`)
	if eval[bool](b.tab, `Boolean(document.querySelector("textarea, .person .tools button[aria-label^=Edit]"))`) {
		t.Error("there is a way to write")
	}
	chat.Say("And now?")
	b.says("And now?")
	b.until("the answer", `document.querySelectorAll(".answer").length >= 2 && document.body.innerText.includes("And now?")`)
	b.settled()
	b.check("a chat of Telegram")
	b.clean()
	b.click(".bar button.words")
	b.until("the main chat", `location.hash === "#/main" && document.querySelector("textarea")`)
	n := len(chat.Texts())
	link(n + 1)
	chat.Say("/unlink")
	b.until("the main chat again", `location.hash === "#/main" && document.querySelector("textarea")`)
	b.until("the list without it", `!document.querySelector(".chats").innerText.includes("Telegram")`)
}
