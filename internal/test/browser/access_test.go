package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/internal/test/fakemodel"
)

// checker runs axe on a tab.
type checker struct {
	*tab

	axe string
}

func newChecker(b *tab) *checker {
	b.w.t.Helper()
	axe, err := os.ReadFile("testdata/axe.min.js")
	b.w.must(err)
	b.do(page.SetBypassCSP(true))
	return &checker{b, string(axe) + "; 1"}
}

// found are the violations in what the page shows now.
func (c *checker) found() (all []string) {
	c.w.t.Helper()
	c.do(chromedp.Evaluate(c.axe, nil), chromedp.Evaluate(`axe.run().then((r) => r.violations.map((v) =>
		v.id + ": " + v.nodes.map((n) => n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200)).slice(0, 3).join(" | ")))`, &all,
		chromedp.EvalAsValue, awaited))
	return all
}

// check finds what axe and the widths find, in either scheme and width.
func (c *checker) check(state string) {
	t := c.w.t
	t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			c.size(width, 800, scheme)
			c.picture(fmt.Sprintf("axe-%s-%d-%s", strings.ReplaceAll(state, " ", "-"), width, scheme))
			for _, f := range c.found() {
				t.Errorf("%s, %s, %d: %s", state, scheme, width, f)
			}
			if cut := eval[[]string](c.tab, cut); len(cut) > 0 {
				t.Errorf("%s, %s, %d: beyond the edge or broken in a word: %q", state, scheme, width, cut)
			}
		}
	}
	c.size(1280, 800, "light")
}

// cut are the elements that reach beyond the window or that a box cuts off, where nothing scrolls and no dots say so.
const cut = `[...document.querySelectorAll("body *")].filter((e) => {
	const box = e.getBoundingClientRect(), style = getComputedStyle(e);
	if (!box.width || !box.height || e.closest(".offscreen, svg, .side, .skip, .rows thead, progress") || style.visibility === "hidden") return false;
	for (let up = e; up; up = up.parentElement) {
		const s = getComputedStyle(up);
		if (s.overflowX === "auto" && up !== document.documentElement && !up.matches(".log, .sheet, .panel") || s.textOverflow === "ellipsis") return false;
	}
	return box.right > innerWidth + 1 || box.left < -1;
}).map((e) => e.localName + "." + e.className + " " + (e.innerText || "").slice(0, 40)).concat(
	document.documentElement.scrollWidth > innerWidth ? ["the page scrolls to the side"] : [],
	[...document.querySelectorAll(".sheet, .panel, .log")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className + " scrolls to the side"))`

// TestAccessibility: axe finds no violation in any state of the page, in either scheme and width.
func TestAccessibility(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, busy)
	b := newChecker(w.browser())
	b.do(chromedp.Navigate(w.base))
	b.until("the login", `document.querySelector("#name")`)
	b.check("login")
	b.do(chromedp.SendKeys("#name", "ada\r", chromedp.ByQuery))
	b.until("the code", `document.querySelector(".code-shown")`)
	b.check("code")
	b.login()
	b.check("empty")
	b.write("Please look.")
	b.settled()
	b.click("details.tool-execution summary")
	b.click(".menu-place > button")
	b.check("answer")
	b.click(".menu-place > button") // the open menu lies over the chat
	b.allowed("Remind me tomorrow.")
	b.allowed("Begin the work.")
	b.write("Now write the list.")
	b.until("the question", `document.querySelector(".question.open button")`)
	b.check("question")
	b.click(`.bar button[aria-label="Work of this chat"]`)
	b.until("the panel", `document.querySelector(".panel .uses") && document.querySelector('[aria-label="Stop stars"]')`)
	b.check("panel")
	for _, view := range []string{"status", "approvals", "tools", "telemetry", "audit"} {
		b.do(chromedp.Navigate(w.base + "/#owner/" + view))
		b.until(view, fmt.Sprintf(
			`document.querySelector('.views a[aria-current][href="#owner/%s"]') && document.querySelector(".sheet .rows, .sheet .question")`, view))
		b.check("owner " + view)
	}
	b.do(chromedp.Navigate(w.base + "/#/main"))
	b.until("the chat", `document.querySelector("#message")`)
	b.size(320, 800, "light")
	b.click(`.bar button[aria-label="Chats"]`)
	b.until("the drawer", `document.querySelector(".frame.drawn") && document.querySelector(".side").getBoundingClientRect().left === 0`)
	b.picture("drawer")
	for _, f := range b.found() {
		t.Errorf("the drawer: %s", f)
	}
}

// files writes one that fits, with a long name, and one that is too large.
func (w *world) files() []string {
	w.t.Helper()
	dir := w.t.TempDir()
	fits, large := filepath.Join(dir, "notes of the last meeting about the garden.txt"), filepath.Join(dir, "huge.bin")
	w.must(os.WriteFile(fits, []byte(strings.Repeat("buy tea\n", 1000)), 0o600))
	w.must(os.WriteFile(large, nil, 0o600))
	w.must(os.Truncate(large, 21*1024*1024))
	return []string{fits, large}
}

// sendsBack is an assistant that sends the file that came.
func sendsBack(r fakemodel.Request) fakemodel.Answer {
	if strings.Contains(r.LastUser(), "back") && len(results(r)) == 0 {
		return fakemodel.Call("send_file", `{"path":"inbox/notes of the last meeting about the garden.txt"}`)
	}
	return busy(r)
}

// TestAccessibilityOfFiles: one that goes up, one that is there, one that is refused, and those of messages.
func TestAccessibilityOfFiles(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, sendsBack)
	b := newChecker(w.browser())
	b.login()
	b.slowly(100)
	b.do(chromedp.SetUploadFiles(`input[type=file]`, w.files(), chromedp.ByQuery))
	b.until("the upload", `document.querySelector(".chip.sending progress") && document.querySelector(".chip.failed .why")`)
	b.check("files uploading")
	b.slowly(-1)
	b.until("the file", `document.querySelector(".chip.ready")`)
	b.check("files chosen")
	b.click(`[aria-label="Remove huge.bin"]`)
	b.write("Please send it back.")
	b.settled()
	b.until("the files", `document.querySelector(".person .files a") && document.querySelector(".answer .files a")`)
	b.check("files shown")
}

// reach presses Tab until an element has the focus, and checks that a person sees that it has.
func (b *tab) reach(selector string) {
	b.w.t.Helper()
	for range 90 {
		if eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			b.until("the sight of "+selector, inSight)
			return
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	b.picture("failed")
	b.w.t.Fatalf("Tab does not reach %s", selector)
}

// inSight says that the focused element is not covered, and has a ring.
const inSight = `(() => {
	const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
	const top = document.elementFromPoint(Math.min(box.left + box.width / 2, innerWidth - 1), Math.min(box.top + Math.min(box.height / 2, 20), innerHeight - 1));
	const ring = style.outlineStyle !== "none" || e.id === "message" && getComputedStyle(e.closest(".composer")).boxShadow.includes("0px 0px 0px 1px");
	return ring && top && (e.contains(top) || top.contains(e));
})()`

// press presses Enter on an element that Tab reaches.
func (b *tab) press(selector string) {
	b.w.t.Helper()
	b.reach(selector)
	b.do(chromedp.KeyEvent(kb.Enter))
}

// TestFilesPanelAndViewsByKeyboardAlone, at both widths and in both schemes: files are chosen, removed, sent and saved,
// the panel ends the work of a chat, and an owner answers a question. The content policy is kept in each.
func TestFilesPanelAndViewsByKeyboardAlone(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, sendsBack)
	b := w.browser()
	b.login()
	chosen := w.files()
	b.do(page.SetInterceptFileChooserDialog(true))
	chromedp.ListenTarget(b.ctx, func(event any) {
		if e, ok := event.(*page.EventFileChooserOpened); ok {
			go func() { _ = chromedp.Run(b.ctx, dom.SetFileInputFiles(chosen).WithBackendNodeID(e.BackendNodeID)) }()
		}
	})
	for i, c := range []struct {
		width  int64
		scheme string
	}{{320, "light"}, {320, "dark"}, {1280, "light"}, {1280, "dark"}} {
		b.do(chromedp.Navigate(fmt.Sprintf("%s/#/chat%d", w.base, i)), chromedp.Reload())
		b.until("the chat", `document.querySelector(".hello")`)
		b.size(c.width, 800, c.scheme)
		b.filesByKeyboard()
		b.panelByKeyboard()
		b.viewsByKeyboard(c.width < 500)
		b.clean()
	}
}

func (b *tab) filesByKeyboard() {
	b.w.t.Helper()
	saved := b.w.t.TempDir()
	b.do(browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(saved))
	b.press(`[aria-label="Attach a file"]`)
	b.until("the files", `document.querySelector(".chip.ready") && document.querySelector(".chip.failed")`)
	b.press(`[aria-label="Remove huge.bin"]`)
	b.until("the focus on the field", `!document.querySelector(".chip.failed") && document.activeElement.id === "message"`)
	b.do(chromedp.KeyEvent("Please send it back." + kb.Enter))
	b.settled()
	b.press(".answer .files a")
	name := filepath.Join(saved, "notes of the last meeting about the garden.txt")
	deadline := time.After(patience)
	for got := []byte(nil); len(got) != 8000; got, _ = os.ReadFile(name) {
		select {
		case <-deadline:
			b.w.t.Fatalf("the file is not saved: %d bytes", len(got))
		case <-time.After(50 * time.Millisecond):
		}
	}
	b.reach("#message")
}

func (b *tab) panelByKeyboard() {
	b.w.t.Helper()
	for _, say := range []string{"Remind me tomorrow.", "Begin the work."} {
		n := eval[int](b, `document.querySelectorAll(".answer .tools").length`)
		b.reach("#message")
		b.do(chromedp.KeyEvent(say + kb.Enter))
		b.until("a question or an answer", fmt.Sprintf(`document.querySelector(".question.open button")
			|| document.querySelector("[role=log][aria-busy=false]") && document.querySelectorAll(".answer .tools").length > %d`, n))
		if eval[bool](b, `Boolean(document.querySelector(".question.open button"))`) {
			b.press(".question.open button.allow_once")
			b.until("the decision", `!document.querySelector(".question.open") && document.activeElement.closest(".question")`)
		}
		b.settled()
	}
	const opener = `.bar button[aria-label="Work of this chat"]`
	b.press(opener)
	b.until("the panel", `document.querySelector('[aria-label="Stop stars"]') && document.activeElement.matches(".panel h2")`)
	b.press(`[aria-label="Stop stars"]`)
	b.until("the end of the task", `!document.querySelector('[aria-label="Stop stars"]') && document.activeElement.matches(".panel h2")`)
	b.press(`[aria-label^="Remove the schedule"]`)
	b.until("the end of the schedule", `document.querySelector(".panel").innerText.includes("Ask for a reminder to make one")`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("the closed panel", `!document.querySelector(".panel") && document.activeElement.matches('`+opener+`')`)
}

func (b *tab) viewsByKeyboard(drawer bool) { //nolint:revive // flag-parameter: the width has a drawer
	b.w.t.Helper()
	b.reach("#message")
	b.do(chromedp.KeyEvent("Now write the list." + kb.Enter))
	b.until("the question", `document.querySelector(".question.open button")`)
	if drawer {
		b.press(`.bar button[aria-label^="Chats"]`)
		b.until("the drawer", `document.querySelector(".frame.drawn")`)
	}
	b.press("a.for-owner")
	b.until("status", `document.querySelector(".owner .rows") && document.activeElement.matches(".owner h1")`)
	for _, view := range []string{"tools", "telemetry", "audit", "approvals"} {
		b.press(fmt.Sprintf(`.views a[href="#owner/%s"]`, view))
		b.until(view, fmt.Sprintf(`document.querySelector('.views a[aria-current][href="#owner/%s"]') && document.querySelector(".sheet .rows, .sheet .question")
			&& document.activeElement.matches(".owner h1")`, view))
	}
	b.press(".owner .question button.deny")
	b.until("the answer", `!document.querySelector(".owner .question") && document.activeElement.matches(".owner h1")`)
}
