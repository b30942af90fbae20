package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/internal/test/fakemodel"
)

// busy is an assistant with a slow background agent, and a reminder of tomorrow.
func busy(r fakemodel.Request) fakemodel.Answer {
	asked := r.LastUser()
	switch {
	case strings.Contains(asked, "count the stars"):
		return slowly(fakemodel.Say(long(4000)), 200*time.Millisecond)
	case strings.Contains(asked, "Begin") && len(results(r)) == 0:
		return fakemodel.Call("spawn", `{"task":"count the stars","name":"stars"}`)
	case strings.Contains(asked, "Remind") && len(results(r)) == 0:
		return fakemodel.Call("schedule", `{"action":"create","text":"Water the roses","in":"24h"}`)
	default:
		return assistant(r)
	}
}

// allowed answers the open questions until an answer is there.
func (b *tab) allowed(say string) {
	b.w.t.Helper()
	const answers = `document.querySelectorAll("[role=log][aria-busy=false] .answer .tools").length`
	before := eval[int](b, answers)
	b.write(say)
	b.until("a question or an answer", fmt.Sprintf(`document.querySelector(".question.open button") || %s > %d`, answers, before))
	if eval[bool](b, `Boolean(document.querySelector(".question.open button"))`) {
		b.click(".question.open button.allow_once")
		b.until("the decision", `!document.querySelector(".question.open")`)
	}
	b.settled()
}

// TestThePanelOfAChatOnThePage lists a task and a schedule, which are ended there, and the use.
func TestThePanelOfAChatOnThePage(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, busy)
	b := w.browser()
	b.login()
	b.allowed("Remind me tomorrow.")
	b.allowed("Begin the work.")
	const opener = `.bar button[aria-label="Work of this chat"]`
	b.click(opener)
	for _, word := range []string{"stars", "Water the roses", "runs since", "today"} {
		b.until(word, `document.querySelector(".panel").innerText.includes("`+word+`")`)
	}
	b.everySize("panel")
	b.click(`.panel button[aria-label="Stop stars"]`)
	b.until("the end of the task", `document.querySelector(".panel").innerText.includes("cancelled") && !document.querySelector('[aria-label="Stop stars"]')`)
	b.click(`.panel button[aria-label^="Remove the schedule"]`)
	b.until("the end of the schedule", `document.querySelector(".panel").innerText.includes("Ask for a reminder to make one")`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("the closed panel", `!document.querySelector(".panel") && document.activeElement.matches('`+opener+`')`)
	b.clean()
}

// TestTheViewsOfOwnersOnThePage: the state of the gateway, a question that is answered there with
// its whole call in sight, the tools and the audit log.
func TestTheViewsOfOwnersOnThePage(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, assistant)
	b := w.browser()
	b.login()
	b.write("Now write the list.")
	b.until("the question", `document.querySelector(".question.open button")`)
	b.click("a.for-owner")
	b.until("the status", `document.querySelector(".owner .rows")`)
	b.says("Runs since")
	b.everySize("owner-status")
	b.click(`.views a[href="#owner/approvals"]`)
	b.says("+ buy milk")
	b.everySize("owner-approvals")
	if got := eval[string](b, `[...document.querySelectorAll(".owner .choices button")].map((e) => e.innerText).join(", ")`); got !=
		"Allow once, Allow here, Deny" {
		t.Errorf("the buttons are %s", got)
	}
	b.click(".owner .question button.allow_here")
	b.until("the answer", `document.querySelector(".owner .rows") && !document.querySelector(".owner .question")`)
	b.click(`.views a[href="#owner/tools"]`)
	b.says("write_file")
	b.everySize("owner-tools")
	b.click(`.views a[href="#owner/audit"]`)
	b.says("on the page by web:operator")
	b.everySize("owner-audit")
	b.do(chromedp.Navigate(w.base + "/#/main"))
	b.until("what came of it", `[...document.querySelectorAll(".answer")].some((a) => a.innerText.includes("The result was"))`)
	b.write("Now write the list again.") // allowed here: it does not ask
	b.until("the second result", `[...document.querySelectorAll(".answer")].filter((a) => a.innerText.includes("The result was")).length === 2`)
	b.clean()
}
