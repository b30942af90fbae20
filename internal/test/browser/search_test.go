package browser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"parley/internal/test/fakemodel"
)

// TestSearchReachesOldChats: the list has the newest chats, and the search finds one behind them.
func TestSearchReachesOldChats(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("Noted.") })
	b := w.browser()
	b.login()
	b.write("Water the orchid.")
	b.settled()
	var posted int
	b.do(chromedp.Evaluate(`(async () => {
		for (let i = 0; i < 201; i++) {
			const sent = await fetch("/page/chats/more-" + i + "/messages", {
				method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ message: "note " + i }),
			});
			if (sent.status !== 202) return -sent.status;
		}
		return 201;
	})()`, &posted, awaited))
	if posted != 201 {
		t.Fatalf("posting: %d", posted)
	}
	b.click("a.new")
	b.do(chromedp.Reload())
	b.until("the list", `document.querySelectorAll(".chats li").length > 200`)
	if strings.Contains(b.text(".chats"), "orchid") {
		t.Fatal("the list has all chats")
	}
	b.do(chromedp.SendKeys(".search input", "ORCHID", chromedp.ByQuery))
	b.until("the old chat", `[...document.querySelectorAll(".chats a")].some((a) => a.innerText.includes("Water the orchid"))`)
	b.click(`.chats a[href="#/main"]`)
	b.says("Noted.")
	b.clean()
}

// TestThePageHasNoCredential: no script of the page can read one, and no other site's page sends it.
func TestThePageHasNoCredential(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	w := newWorld(t, assistant)
	b := w.browser()
	b.login()
	b.write("hello")
	b.settled()
	var cookies []*network.Cookie
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		cookies, err = network.GetCookies().Do(ctx)
		return err
	}))
	if len(cookies) != 1 || !cookies[0].HTTPOnly || cookies[0].SameSite != network.CookieSameSiteStrict || len(cookies[0].Value) < 43 {
		t.Fatalf("the cookies are %+v", cookies)
	}
	readable := eval[string](b, `document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + location.href +
		document.documentElement.outerHTML`)
	if strings.Contains(readable, cookies[0].Value) || eval[string](b, `document.cookie`) != "" {
		t.Error("a script can read the credential")
	}
}
