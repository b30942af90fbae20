package telegram

import (
	"context"
	"errors"
	"hash/fnv"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/markup"
)

const (
	// The least times between two showings in a chat.
	draftEvery = 300 * time.Millisecond
	editEvery  = time.Second
	// The bound of one showing. Nothing else cuts it: what is on its way must have
	// arrived before the message that finishes it leaves.
	showTimeout = 3 * time.Second
	// How long after that an edit without an answer may yet take effect.
	lateEdit = 10 * time.Second
	// A chat that must not be shown anything for longer than this is not waited for.
	showPatience = 2 * time.Second
	// How long a preview is remembered whose answer never came.
	previewLife = 10 * time.Minute
	// What Telegram refused is not tried again sooner than this.
	refusedPause = 10 * time.Second
	// What a preview shows of an answer leaves room for a note below it.
	maxPreview, maxNote = 3600, 200
)

var (
	errNoPreview = errors.New("nothing is shown here before it is finished")
	errPaused    = errors.New("telegram asked to wait")
)

// Draft implements [channels.Drafter] in private chats, where Telegram has drafts.
// A draft is shown at most about three times a second. Of a long text the end is shown.
func (c *Channel) Draft(ctx context.Context, to channels.Address, id, text string) error {
	if !c.draftable(to) {
		return errNoPreview
	}
	p := preview{draft: draftNumber(id)}
	if err := c.out.paces.wait(ctx, to, p); err != nil {
		return err
	}
	parts := markup.Render(text, maxPreview)
	if len(parts) == 0 {
		return nil
	}
	p.html = parts[len(parts)-1]
	c.out.previews.set(to, p)
	return c.show(ctx, to, p, "")
}

// opened remembers a message that was sent as a preview: from then on a note
// stands below it.
func (c *Channel) opened(part channels.Part, receipt channels.Receipt) {
	p := preview{message: receipt.MessageID, html: part.Text}
	c.out.previews.set(part.Address, p)
	c.out.paces.hold(paceKey(part.Address, p), editEvery)
}

// Edit implements [channels.Editor]: it shows text in place of what a message of
// the bot shows, the preview of an answer where there are no drafts. A message is
// edited at most once a second. Of a long text the beginning is shown, because
// that is what the message will hold in the end.
func (c *Channel) Edit(ctx context.Context, to channels.Address, messageID, text string) error {
	p := preview{message: messageID}
	if err := c.out.paces.wait(ctx, to, p); err != nil {
		return err
	}
	parts := markup.Render(text, maxPreview)
	if len(parts) == 0 {
		return nil
	}
	p.html = parts[0]
	c.out.previews.set(to, p)
	err := c.show(ctx, to, p, "")
	if refusal, ok := errors.AsType[*apiError](err); ok {
		return c.sendError(to.Chat, refusal)
	}
	return err
}

// Edits implements [channels.Editor].
func (c *Channel) Edits(to channels.Address) bool {
	switch c.opt.Stream {
	case streamEdit:
		return true
	case streamAuto:
		return !c.draftable(to)
	default:
		return false
	}
}

// draftable says whether a growing answer to a chat is shown as a draft.
func (c *Channel) draftable(to channels.Address) bool {
	switch c.opt.Stream {
	case streamAuto, streamDraft:
		return isPrivate(to) && !c.out.undraftable.Load()
	default:
		return false
	}
}

// show brings a preview on the screen; whoever calls it has waited for its time.
func (c *Channel) show(ctx context.Context, to channels.Address, p preview, note string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showTimeout)
	defer cancel()
	text := body{html: withNote(p.html, note)}
	err := c.showOnce(ctx, to, p, text)
	refusal, ok := errors.AsType[*apiError](err)
	if ok && refusal.badMarkup() {
		text.plain = true
		err = c.showOnce(ctx, to, p, text)
		refusal, ok = errors.AsType[*apiError](err)
	}
	if lost, ok := errors.AsType[*wireError](err); ok && p.message != "" && lost.pending() {
		c.out.doubts.hold(paceKey(to, p), lateEdit)
	}
	switch {
	case !ok:
		return err
	case refusal.notModified():
		return nil
	case p.message == "" && refusal.Code == http.StatusNotFound:
		c.log.Info().Msg("this server knows no drafts")
		c.out.undraftable.Store(true)
	default:
		c.out.paces.hold(paceKey(to, p), max(refusal.RetryAfter, refusedPause))
	}
	return err
}

func (c *Channel) showOnce(ctx context.Context, to channels.Address, p preview, text body) error {
	if p.message != "" {
		_, err := c.attempt(ctx, &post{to: to, body: text, edits: p.message})
		return err
	}
	params := tgbotapi.Params{"chat_id": to.Chat, "draft_id": strconv.FormatInt(p.draft, 10)}
	params.AddNonEmpty("message_thread_id", to.Thread)
	text.put(params, "text")
	return c.client.call(ctx, "sendMessageDraft", params, nil)
}

// withNote puts a note below what a preview shows.
func withNote(text, note string) string {
	note = strings.Join(strings.Fields(note), " ")
	if note == "" {
		return text
	}
	if utf8.RuneCountInString(note) > maxNote {
		note = string([]rune(note)[:maxNote-1]) + "…"
	}
	note = "<i>" + html.EscapeString(note) + "</i>"
	if text == "" {
		return note
	}
	return text + "\n\n" + note
}

// draftNumber makes Telegram's draft_id of a draft's name: positive, and the same
// for the same name.
func draftNumber(id string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int64(h.Sum32()>>1) + 1
}
