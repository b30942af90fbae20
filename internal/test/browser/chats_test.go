package browser_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/internal/test/fakemodel"
)

// reminds is an assistant that sets a reminder for the seconds that it is asked for.
func reminds(r fakemodel.Request) fakemodel.Answer {
	var seconds int
	if _, err := fmt.Sscanf(r.LastUser(), "Remind me in %d seconds.", &seconds); err == nil && len(results(r)) == 0 {
		return fakemodel.Call("schedule", fmt.Sprintf(`{"action":"create","text":"Water the roses","in":"%ds"}`, seconds))
	}
	return assistant(r)
}

// TestAReminderArrivesWhileTyping: a real schedule is due while its person writes; the text, the
// focus and the caret stay as they are. It arrives in another chat too, whose row says so until
// that chat is opened.
func TestAReminderArrivesWhileTyping(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, reminds)
	b := w.browser()
	b.login()
	remind := func(seconds int) {
		b.write(fmt.Sprintf("Remind me in %d seconds.", seconds))
		b.until("the question", `document.querySelector(".question.open button")`)
		b.click(".question.open button.allow_once")
		b.until("the answer", `!document.querySelector(".question.open") && document.querySelector("[role=log][aria-busy=false]")`)
		b.settled()
	}
	remind(3)
	b.do(chromedp.SendKeys("#message", "I am still writing", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("#message").setSelectionRange(2, 4); window.field = document.querySelector("#message"); 1`, nil))
	b.until("the reminder", `[...document.querySelectorAll(".answer .origin")].some((o) => o.innerText.includes("schedule"))`)
	const typed = `document.activeElement === window.field && window.field.value + " " + window.field.selectionStart + " " +
		window.field.selectionEnd`
	if got := eval[string](b, `String(`+typed+`)`); got != "I am still writing 2 4" {
		t.Errorf("the field has %q", got)
	}
	b.do(chromedp.KeyEvent("was"))
	if got := eval[string](b, `window.field.value`); got != "I was still writing" {
		t.Errorf("the next words stand in %q", got)
	}
	b.everySize("reminder")

	b.do(chromedp.KeyEvent(kb.Enter))
	b.settled()
	remind(4)
	b.click("a.new")
	b.until("the new chat", `document.querySelector(".hello")`)
	b.do(chromedp.SendKeys("#message", "half a word", chromedp.ByQuery))
	b.until("the mark", `document.querySelector(".chats .unread") && document.querySelector(".chats .unread").innerText.startsWith("1")`)
	b.until("the title", `document.title.startsWith("(1) ")`)
	if got := eval[string](b, `document.activeElement.value`); got != "half a word" {
		t.Errorf("behind the news: %q", got)
	}
	b.everySize("unread")
	b.do(chromedp.Reload())
	b.until("the mark after a reload", `document.querySelector(".chats .unread")`)
	second := b.second()
	second.do(chromedp.Navigate(w.base + "/#/another"))
	second.until("the mark on another tab", `document.querySelector(".chats .unread")`)
	b.do(page.BringToFront()) // a chat that nobody looks at stays unread
	b.click(`.chats a[href="#/main"]`)
	b.until("the chat of the reminder", `document.querySelectorAll(".answer .origin").length === 2`)
	for _, tab := range []*tab{b, second} {
		tab.until("no mark", `!document.querySelector(".chats .unread")`)
		tab.clean()
	}
}

// TestQueuedMessagesStay on the page when it is loaded again, in their order, and each is answered
// once.
func TestQueuedMessagesStay(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	looked := make(chan struct{})
	answer := sync.OnceFunc(func() { close(looked) })
	w := newWorld(t, func(r fakemodel.Request) fakemodel.Answer {
		if strings.Contains(r.LastUser(), "first") {
			<-looked
			return fakemodel.Say(long(60))
		}
		return fakemodel.Say("answer to " + r.LastUser())
	})
	t.Cleanup(answer)
	b := w.browser()
	b.login()
	for _, text := range []string{"the first", "the second", "the third"} {
		b.write(text)
	}
	b.until("what waits", `[...document.querySelectorAll(".person .tools")].filter((p) => p.innerText.includes("waiting")).length === 2`)
	const bubbles = `[...document.querySelectorAll(".bubble")].map((e) => e.innerText).join(", ")`
	second := b.second()
	b.do(chromedp.Reload())
	second.do(chromedp.Navigate(w.base + "/"))
	for _, tab := range []*tab{b, second} {
		tab.until("what waits after a reload", bubbles+` === "the first, the second, the third"`)
	}
	b.everySize("queued")
	answer()
	for _, tab := range []*tab{b, second} {
		tab.until("the answers", `document.querySelectorAll(".answer .tools").length === 3`)
		tab.settled()
		got := eval[[]string](tab, `[...document.querySelectorAll(".bubble, .answer .md")].map((e) => e.innerText)`)
		want := []string{"the first", long(60), "the second", "answer to the second", "the third", "answer to the third"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q", got)
		}
		tab.clean()
	}
}
