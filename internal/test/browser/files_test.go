package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/network"
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
		const pen = canvas.getContext("2d");
		pen.fillStyle = "#2f8f6b";
		pen.fillRect(0, 0, 40, 40);
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
	live := eval[string](b, order)
	if !strings.HasSuffix(live, "answer:Here they are.") || !strings.Contains(live, "answer:dropped.png, tool:send_file") {
		t.Errorf("the order is %s", live)
	}
	b.until("the title", `document.querySelector(".chats .title").innerText === "Please send them back."
		&& document.querySelector(".bar h1").innerText === "Please send them back."`)
	b.do(chromedp.Reload())
	b.until("the chat after a reload", `document.querySelector(".person")`)
	b.settled()
	check()
	if again := eval[string](b, order); again != live {
		t.Errorf("after a reload the order is\n%s, before it was\n%s", again, live)
	}
	if wide := eval[bool](b, `document.documentElement.scrollWidth > window.innerWidth`); wide {
		t.Error("the page is wider than its window")
	}
	b.clean()
}

// order is what stands in the chat, one beside the other.
const order = `[...document.querySelectorAll(".column > *")].map((e) => {
	const files = [...e.querySelectorAll(".files li")].map((f) => f.querySelector("img") ? f.querySelector("img").alt : f.querySelector(".what span").innerText);
	const words = e.querySelector(".call b, .bubble, .md:not(:empty)");
	return e.className.split("-")[0].trim() + ":" + [...(words ? [words.innerText] : []), ...files].join(", ");
}).join(", ")`

// TestAKillWhileAFileGoesUp: the page says that a file has not arrived, and keeps it; it is sent again, once, with the
// one that was there before.
func TestAKillWhileAFileGoesUp(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	var asked atomic.Int64
	w := newWorld(t, func(fakemodel.Request) fakemodel.Answer {
		asked.Add(1)
		return fakemodel.Say("I have them.")
	})
	b := w.browser()
	b.login()
	small, large := filepath.Join(t.TempDir(), "small.txt"), filepath.Join(t.TempDir(), "large.bin")
	w.must(os.WriteFile(small, []byte("buy tea"), 0o600))
	w.must(os.WriteFile(large, []byte(strings.Repeat("0123456789abcdef", 200_000)), 0o600))
	b.do(chromedp.SetUploadFiles(`input[type=file]`, []string{small}, chromedp.ByQuery))
	b.until("the small file", `document.querySelector(".composer .chip.ready")`)
	b.slowly(200_000)
	b.do(chromedp.SetUploadFiles(`input[type=file]`, []string{large}, chromedp.ByQuery))
	b.until("a part of the large file", `document.querySelector(".composer progress") && document.querySelector(".composer progress").value > 0.1`)
	b.everySize("upload")
	w.process.Kill()
	b.says("not added: the connection broke off")
	b.says("The connection is gone")
	b.everySize("upload-lost")
	b.slowly(-1)
	b.click(`[aria-label="Send large.bin again"]`)
	b.until("the second failure", `document.querySelector(".composer .chip.failed .why")`)
	w.start()
	b.until("the connection", `!document.querySelector(".strip.lost")`)
	b.click(`[aria-label="Send large.bin again"]`)
	b.until("both files", `document.querySelectorAll(".composer .chip.ready").length === 2`)
	b.write("Keep these.")
	b.settled()
	second := b.second()
	second.do(chromedp.Navigate(w.base + "/"))
	for _, tab := range []*tab{b, second} {
		tab.until("the files", `document.querySelectorAll(".person .files a").length === 2`)
		sizes := eval[string](tab, `[...document.querySelectorAll(".person .files a")].map((a) => a.innerText.replace(/\s+/g, " ").trim()).join(", ")`)
		if sizes != "small.txt 7 bytes, large.bin 3.2 MB" {
			t.Errorf("the message has %s", sizes)
		}
		tab.clean()
	}
	var n int
	b.do(chromedp.Evaluate(`fetch(document.querySelectorAll(".person .files a")[1].href).then((r) => r.arrayBuffer()).then((a) => a.byteLength)`,
		&n, awaited))
	if n != 3_200_000 || asked.Load() != 1 {
		t.Errorf("%d bytes are kept, and the model was asked %d times", n, asked.Load())
	}
}

// slowly lets so many bytes a second go up; -1 is no limit.
func (b *tab) slowly(upload float64) {
	b.w.t.Helper()
	b.do(network.EmulateNetworkConditions(false, 0, -1, upload))
}
