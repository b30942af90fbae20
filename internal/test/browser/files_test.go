package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/test/fakemodel"
)

// TestFilesUpAndDown: a file by the button, one by dropping, one by pasting, one that is removed and one that is too
// large; the assistant sends two back. After a reload all of it is there.
func TestFilesUpAndDown(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, func(r fakemodel.Request) fakemodel.Answer {
		switch got := results(r); {
		case strings.Contains(r.LastUser(), "back") && len(got) == 0:
			return fakemodel.Call("send_file", `{"path":"inbox/dropped.png"}`)
		case strings.Contains(r.LastUser(), "back") && len(got) == 1:
			return fakemodel.Call("send_file", `{"path":"inbox/notes.txt"}`)
		}
		return fakemodel.Say("Here they are.")
	})
	b := w.browser()
	b.login()
	notes := filepath.Join(t.TempDir(), "notes.txt")
	w.must(os.WriteFile(notes, []byte("buy tea"), 0o600))
	b.do(chromedp.SetUploadFiles(`input[type=file]`, []string{notes}, chromedp.ByQuery))
	b.until("the chosen file", `document.querySelectorAll(".composer .chip.ready").length === 1`)
	// a person's hand is an event with a file in it
	const hand = `(kind, make) => {
		const canvas = document.createElement("canvas");
		canvas.width = canvas.height = 40;
		return new Promise((done) => canvas.toBlob((blob) => {
			const data = new DataTransfer();
			for (const f of make(blob)) data.items.add(f);
			const e = kind === "drop" ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
				: new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
			document.querySelector("#message").dispatchEvent(e);
			done(true);
		}));
	}`
	for _, c := range []struct{ kind, files string }{
		{"drop", `(b) => [new File([b], "dropped.png", { type: "image/png" })]`},
		{"paste", `(b) => [new File([b], "pasted.png", { type: "image/png" }), new File(["x"], "wrong.txt")]`},
		{"drop", `() => [new File([new Uint8Array(21 * 1024 * 1024)], "huge.bin")]`},
	} {
		b.do(chromedp.Evaluate(fmt.Sprintf("(%s)(%q, %s)", hand, c.kind, c.files), nil, awaited))
	}
	b.until("the uploads", `document.querySelectorAll(".composer .chip.ready").length === 4`)
	b.says("a file may have 20 MB")
	b.until("the thumbnails", `[...document.querySelectorAll(".composer .thumb")].filter((i) => i.naturalWidth === 40).length === 2`)
	b.everySize("files-composer")
	b.click(`[aria-label="Remove wrong.txt"]`)
	b.click(`[aria-label="Remove huge.bin"]`)
	b.write("Please send them back.")
	b.settled()
	check := func() {
		t.Helper()
		b.until("the person's files", `document.querySelectorAll(".person .files li").length === 3`)
		b.until("the assistant's files", `document.querySelectorAll(".answer .files li").length === 2`)
		b.until("the pictures", `[...document.querySelectorAll(".log .files img")].filter((i) => i.naturalWidth === 40).length === 3`)
	}
	check()
	b.everySize("files")
	b.do(chromedp.Reload())
	b.until("the chat after a reload", `document.querySelector(".person")`)
	b.settled()
	check()
	if wide := eval[bool](b, `document.documentElement.scrollWidth > window.innerWidth`); wide {
		t.Error("the page is wider than its window")
	}
	b.clean()
}
