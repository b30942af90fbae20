package browser_test

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/internal/test/fakemodel"
)

// TestThePictureOfTheReadme writes the picture of the page that README.md shows, where PARLEY_PICTURE names its file.
func TestThePictureOfTheReadme(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	name := os.Getenv("PARLEY_PICTURE") //nolint:forbidigo // make docs names it
	if name == "" {
		t.Skip("PARLEY_PICTURE is not set")
	}
	w := newWorld(t, func(r fakemodel.Request) fakemodel.Answer {
		switch len(results(r)) {
		case 0:
			return fakemodel.Call("calculator", `{"expression":"17*23"}`)
		case 1:
			return fakemodel.Call("write_file", `{"path":"summary.md","content":"17*23 = 391\nThe letter waits for an answer."}`)
		}
		return fakemodel.Say("Done.")
	})
	b := w.browser()
	b.login()
	b.size(1100, 700, "light")
	b.do(chromedp.KeyEvent("What is 17*23? Write it into summary.md, please." + kb.Enter))
	b.until("the question", `document.querySelector(".question.open button") && document.querySelector(".chats time")`)
	// a moment is no change of the picture
	b.do(chromedp.Evaluate(`document.querySelector(".chats time").innerText = "09:41 AM"; document.querySelector(".question .fine").innerText =
		document.querySelector(".question .fine").innerText.replace(/Approval .*? UTC/, "Approval K7QM2XAD, until 09:51:00 UTC"); 1`, nil))
	var raw []byte
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		raw, err = page.CaptureScreenshot().Do(ctx)
		return err
	}))
	if _, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || len(raw) > 150_000 {
		t.Fatalf("a picture of %d bytes, %v", len(raw), err)
	}
	w.must(os.WriteFile(name, raw, 0o600))
	b.clean()
}
