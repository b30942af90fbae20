package browser_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

const rich = `Here is what I found.

## The notes

There are **two files**, and ` + "`notes.md`" + ` is the *newer* one:

1. the list of things to do
2. a draft of the [letter](https://example.org/letter), with ~~three~~ two parts
   - the greeting
   - the rest

| file | size | changed |
|:-----|-----:|:-------:|
| notes.md | 1,204 | today |
| letter.txt | 88 | last week |

> A letter without a name stays in the drawer.

` + "```go\nfunc main() {\n\tfmt.Println(\"hello\") // a comment that is wider than a phone, so that this block scrolls\n}\n```" + `

- [x] read the notes
- [ ] answer the letter
`

// long is an answer with numbered words, so that a lost or a repeated one is seen.
func long(n int) string {
	var words strings.Builder
	for i := range n {
		fmt.Fprintf(&words, "word%d ", i)
	}
	return strings.TrimSpace(words.String())
}

// results are the contents of the tool messages behind the last message of the person.
func results(r fakemodel.Request) (all []string) {
	for i := range r.Messages {
		switch m := &r.Messages[i]; m.Role {
		case providers.RoleUser:
			all = nil
		case providers.RoleTool:
			all = append(all, m.Content)
		}
	}
	return all
}

func slowly(a fakemodel.Answer, gap time.Duration) fakemodel.Answer {
	a.Fault.Piece, a.Fault.Gap = 200, gap
	return a
}

// assistant calls two tools where it is asked to look, one that asks where it is asked to write,
// and is long where it is asked for a story.
func assistant(r fakemodel.Request) fakemodel.Answer {
	asked, got := r.LastUser(), results(r)
	switch {
	case strings.Contains(asked, "look") && len(got) == 0:
		return fakemodel.Call("calculator", `{"expression":"17*23"}`)
	case strings.Contains(asked, "look") && len(got) == 1:
		return fakemodel.Call("current_time", `{}`)
	case strings.Contains(asked, "write") && len(got) == 0:
		return fakemodel.Call("write_file", `{"path":"notes.md","content":"buy tea\nbuy milk"}`)
	case strings.Contains(asked, "write"):
		return fakemodel.Say("The result was: " + got[len(got)-1])
	case strings.Contains(asked, "story"):
		return slowly(fakemodel.Say(long(100)), 100*time.Millisecond)
	default:
		return slowly(fakemodel.Say(rich), 5*time.Millisecond)
	}
}

// answers counts the answers on the page with a text.
func (b *tab) answers(text string) int {
	b.w.t.Helper()
	return eval[int](b, fmt.Sprintf(`[...document.querySelectorAll(".answer")].filter((a) => a.innerText.includes(%q)).length`, text))
}

// settled waits until no turn runs and no message waits.
func (b *tab) settled() {
	b.w.t.Helper()
	b.until("the end of the turn", `!document.querySelector(".thinking, .answer.live, .tool-execution.busy")
		&& document.querySelector("[role=log][aria-busy=false]") && document.querySelector(".answer .tools")`)
}

// TestAPersonAndTheirAssistant: a login, an answer with two tool calls, their details, a call that
// is allowed and one that is denied; pictures of it all at both widths in both schemes.
func TestAPersonAndTheirAssistant(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, assistant)
	b := w.browser()
	b.login()
	if address := eval[string](b, "location.href"); strings.Contains(address, "login") {
		t.Errorf("the code stays in the address: %s", address)
	}
	b.everySize("empty")
	b.write("Please look at my notes and the time.")
	b.settled()
	if n := eval[int](b, `document.querySelectorAll("details.tool-execution").length`); n != 2 {
		t.Errorf("%d tool calls are shown", n)
	}
	if order := eval[string](b, `[...document.querySelectorAll(".column > *")].map((e) => e.className.split(" ")[0]).join(" ")`); order !=
		"person tool-execution tool-execution answer" {
		t.Errorf("the order is %s", order)
	}
	b.everySize("answer")
	b.click("details.tool-execution summary")
	for _, want := range []string{`calculator("17*23")`, `"result": 391`, "Arguments"} {
		b.says(want)
	}
	b.everySize("details")
	for _, c := range []struct{ choice, said, model string }{
		{"allow_once", "Allowed once by operator", "The result was"}, {"deny", "Denied by operator", "was not run"},
	} {
		b.write("Now write the list, please: " + c.choice)
		b.until("the question", `document.querySelector(".question.open button")`)
		b.says("+ buy milk")
		if c.choice == "allow_once" {
			b.everySize("question")
		}
		b.click(".question.open button." + c.choice)
		b.says(c.said)
		b.until("what the model made of it", fmt.Sprintf(
			`[...document.querySelectorAll(".answer")].some((a) => a.innerText.includes(%q))`, c.model,
		))
		b.settled()
	}
	b.everySize("decided")
	b.do(chromedp.Reload())
	b.until("the chat after a reload", `document.querySelectorAll(".person").length === 3`)
	b.settled()
	for _, word := range []string{"was not run", "The result was", "letter.txt"} {
		if n := b.answers(word); n != 1 {
			t.Errorf("after a reload %d answers have %q", n, word)
		}
	}
	b.clean()
}

// TestNothingIsLostAndNothingTwice: a reload in mid-stream, two tabs, and a kill of the process in
// mid-stream.
func TestNothingIsLostAndNothingTwice(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	var killed atomic.Bool
	w := newWorld(t, func(r fakemodel.Request) fakemodel.Answer {
		if strings.Contains(r.LastUser(), "kill") && killed.Load() {
			return fakemodel.Say(long(100) + " after")
		}
		return slowly(fakemodel.Say(long(100)), 150*time.Millisecond)
	})
	b := w.browser()
	b.login()
	b.write("Tell me a story.")
	b.until("the beginning", `document.querySelector(".answer") && document.querySelector(".answer").innerText.includes("word3")`)
	second := b.second()
	second.do(chromedp.Navigate(w.base + "/"))
	b.do(chromedp.Reload())
	for name, tab := range map[string]*tab{"the reloaded tab": b, "the second tab": second} {
		tab.settled()
		if got := eval[[]string](tab, `[...document.querySelectorAll(".bubble, .answer .md")].map((e) => e.innerText)`); len(got) != 2 ||
			got[0] != "Tell me a story." || got[1] != long(100) {
			t.Errorf("%s shows %q", name, got)
		}
	}

	second.write("A story with a kill.")
	b.until("the beginning on the other tab", `document.querySelectorAll(".answer").length === 2`)
	killed.Store(true)
	w.process.Kill()
	for _, tab := range []*tab{b, second} {
		tab.says("The connection is gone")
	}
	b.picture("lost")
	second.write("And one that waits.")
	w.start()
	for name, tab := range map[string]*tab{"the first tab": b, "the second tab": second} {
		tab.until(name+" comes back", `document.querySelectorAll(".answer").length === 3 && !document.querySelector(".strip.lost")`)
		tab.settled()
		got := eval[[]string](tab, `[...document.querySelectorAll(".bubble, .answer .md")].map((e) => e.innerText)`)
		want := []string{"Tell me a story.", long(100), "A story with a kill.", long(100) + " after", "And one that waits.", long(100)}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s shows %q", name, got)
		}
		tab.clean()
	}
}

// TestStop ends a running answer, and what was written of it stays.
func TestStop(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, func(fakemodel.Request) fakemodel.Answer {
		return slowly(fakemodel.Say(long(2000)), 200*time.Millisecond)
	})
	b := w.browser()
	b.login()
	b.write("Tell me a long story.")
	b.until("the beginning", `document.querySelector(".answer.live")`)
	b.click("button.stop")
	b.until("the end", `!document.querySelector(".answer.live") && document.querySelector("[role=log]").getAttribute("aria-busy") === "false"`)
	if b.answers("word1999") != 0 {
		t.Error("the answer went on")
	}
	b.click(`button[aria-label="Edit and send again"]`)
	if draft := eval[string](b, `document.querySelector("#message").value`); draft != "Tell me a long story." {
		t.Errorf("the draft is %q", draft)
	}
	b.clean()
}

// TestLoginByACode: a stranger sees a code, and is in once the operator has approved it; a
// revocation shows the login again.
func TestLoginByACode(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, assistant)
	b := w.browser()
	b.do(chromedp.Navigate(w.base))
	b.until("the login", `document.querySelector("#name")`)
	b.everySize("login")
	b.do(chromedp.SendKeys("#name", "Ada\r", chromedp.ByQuery))
	b.until("the code", `document.querySelector(".code-shown")`)
	b.everySize("code")
	code := strings.TrimSpace(strings.TrimPrefix(b.text(".card pre"), "parley pair approve "))
	w.verb("pair", "approve", code)
	b.until("the page", `document.querySelector("#message")`)
	b.write("hello")
	b.settled()
	w.verb("pair", "revoke", "web:ada")
	b.until("the login again", `document.querySelector("#name")`)
	b.clean()
}

// TestByKeyboardAlone: each thing is reached and done without a pointer.
func TestByKeyboardAlone(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, assistant)
	b := w.browser()
	b.login()
	b.do(chromedp.KeyEvent("Please look." + kb.Enter)) // the field has the focus at the start
	b.settled()
	reach := func(selector string) {
		t.Helper()
		for range 60 {
			if eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
				return
			}
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("Tab does not reach %s", selector)
	}
	reach("details.tool-execution summary")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the details", `document.querySelector("details.tool-execution[open]")`)
	reach("#message")
	b.do(chromedp.KeyEvent("Now write the list." + kb.Enter))
	b.until("the question", `document.querySelector(".question.open button")`)
	if !eval[bool](b, `document.activeElement.id === "message"`) {
		t.Error("the question has taken the focus")
	}
	reach(".question.open button.deny")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.says("Denied")
	reach("a.new")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the new chat", `document.querySelector(".hello")`)
	b.clean()
}
