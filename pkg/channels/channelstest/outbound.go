package channelstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
)

// part is a whole message.
func part(at channels.Address, id, text string) channels.Part {
	return channels.Part{Outbound: channels.Outbound{ID: id, Address: at, Text: text, Time: time.Now()}, Count: 1}
}

// cut makes the parts of a text as [channels.Egress] does: Send gets only such parts.
func cut(c *running, text string) []string {
	if s, ok := c.Channel.(channels.Splitter); ok {
		return s.Split(text)
	}
	limits := c.Limits()
	return channels.SplitText(text, limits.MaxLen, limits.Len)
}

// one is the only part of a short text.
func one(t *testing.T, c *running, text string) string {
	t.Helper()
	parts := cut(c, text)
	if len(parts) != 1 {
		t.Errorf("%q was cut into %d parts", text, len(parts))
	}
	return strings.Join(parts, "")
}

// send sends or fails the test.
func send(t *testing.T, c channels.Channel, p channels.Part) channels.Receipt {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := c.Send(ctx, p)
	if err != nil {
		t.Errorf("send %.60q: %v", p.Text, err)
	}
	return r
}

// sendInOrder checks receipts and order.
func sendInOrder(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	at := rig.Chats[0]
	var said []string
	ids := map[string]bool{}
	for i := range 10 {
		text := one(t, c, fmt.Sprintf("answer %d: 你好 👋🏽", i))
		said = append(said, rig.shows(text))
		r := send(t, c, part(at, fmt.Sprintf("order/%d", i), text))
		if r.MessageID == "" || ids[r.MessageID] || r.Time.IsZero() {
			t.Errorf("receipt %+v", r)
		}
		ids[r.MessageID] = true
	}
	if diff := cmp.Diff(said, rig.Seen(at)); diff != "" {
		t.Errorf("(-sent +seen):\n%s", diff)
	}
}

// sendKeepsChatsApart sends to all chats at once.
func sendKeepsChatsApart(t *testing.T, f Factory) {
	t.Helper()
	const each = 20
	rig := f(t)
	c := start(t, rig, newStore())
	var wg sync.WaitGroup
	for _, at := range rig.Chats {
		wg.Go(func() {
			for i := range each {
				send(t, c, part(at, fmt.Sprintf("%s/%d", at.Chat, i), one(t, c, fmt.Sprintf("for %s %d", at.Chat, i))))
			}
		})
	}
	wg.Wait()
	for _, at := range rig.Chats {
		var want []string
		for i := range each {
			want = append(want, rig.shows(one(t, c, fmt.Sprintf("for %s %d", at.Chat, i))))
		}
		if diff := cmp.Diff(want, rig.Seen(at)); diff != "" {
			t.Errorf("chat %s (-sent +seen):\n%s", at.Chat, diff)
		}
	}
}

// sendTakesTheLongest sends texts that fit exactly, in one unit characters and in wide
// ones.
func sendTakesTheLongest(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	limits := c.Limits()
	if limits.MaxLen == 0 {
		limits.MaxLen = 100_000
	}
	at := rig.Chats[0]
	for i, unit := range []string{"x", "é", "😀"} {
		parts := cut(c, strings.Repeat(unit, limits.MaxLen+1))
		send(t, c, part(at, fmt.Sprintf("long/%d", i), parts[0]))
		if all := rig.Seen(at); len(all) != i+1 || all[i] != rig.shows(parts[0]) {
			t.Errorf("of %d times %s something is missing", utf8.RuneCountInString(parts[0]), unit)
		}
	}
}

// sendEnds checks that a Send ends with its context and reports the known outcome.
func sendEnds(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	at := rig.Chats[0]
	if _, err := c.Send(ended, part(at, "ended/0", one(t, c, "never"))); err == nil {
		t.Error("a Send whose context ended before has a receipt")
	} else if class := channels.ClassOf(err).Class; class == channels.SendTransient && rig.seen(at) > 0 {
		t.Error("it says that the platform does not have it, and the person sees it")
	}
	if rig.Stall == nil {
		return
	}
	resume := sync.OnceFunc(rig.Stall())
	defer resume()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := c.Send(ctx, part(at, "stalled/0", one(t, c, "stalled")))
		result <- err
	}()
	var err error
	select {
	case err = <-result:
	case <-time.After(patience):
		t.Fatal("Send does not end with its context")
	}
	class := channels.ClassOf(err).Class
	if err == nil || class != channels.SendAmbiguous && class != channels.SendTransient {
		t.Errorf("a Send without an answer gives %v", err)
	}
	resume()
	send(t, c, part(at, "resumed/0", one(t, c, "resumed")))
	if seen := rig.Seen(at); class == channels.SendTransient && slices.Contains(seen, "stalled") {
		t.Error("it says that the platform does not have it, and the person sees it")
	}
}

// hostileOutbound checks that a bad text is shown safely or refused for good, and
// that the next one is shown.
func hostileOutbound(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	at := rig.Chats[0]
	for i, text := range hostile() {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD") // as Egress does
		for j, piece := range cut(c, text) {
			_, err := c.Send(t.Context(), part(at, fmt.Sprintf("hostile/%d/%d", i, j), piece))
			if se, ok := errors.AsType[*channels.SendError](err); err != nil && (!ok || se.Class != channels.SendRefused) {
				t.Errorf("%.40q: %v", piece, err)
			}
			if j == 3 {
				break // more of the same
			}
		}
		text := one(t, c, fmt.Sprintf("after %d", i))
		send(t, c, part(at, fmt.Sprintf("after/%d", i), text))
		if all := rig.Seen(at); len(all) == 0 || all[len(all)-1] != rig.shows(text) {
			t.Errorf("the message after %.40q is not seen", text)
		}
	}
}

// hostile are texts that break careless adapters.
func hostile() []string {
	return []string{
		"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link",
		"honest\rforged",
		"\u009b31m c1 \u0085 \x7f",
		"\u202egnp.exe\u202c \u2066x\u2069 \u200b\u200d\ufeff",
		"nul \x00 invalid \xff\xfe surrogate \xed\xa0\x80",
		"<b>unbalanced <script>alert(1)</script> </i> &lt; &#x;",
		"*bold _it `code [link](javascript:alert(1)) [x](tg://user?id=1) ||",
		"<!channel> <@U012345> <!subteam^S1> @everyone",
		"```\nnever closed",
		strings.Repeat("😀", 4096),
		strings.Repeat("x", 100_000),
		strings.Repeat("\u0301", 5000),
		"   \n\t  ",
		`{"text":"\ud800"}`,
	}
}
