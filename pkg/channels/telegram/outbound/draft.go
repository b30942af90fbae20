package outbound

import (
	"context"
	"errors"
	"hash/fnv"
	"net/http"
	"strconv"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/markup"
	"parley/pkg/channels/wire"
)

const (
	// The least times between two showings in a chat.
	draftEvery = 300 * time.Millisecond
	editEvery  = time.Second
	// The bound of one showing. It has no other end: a showing on its way must have
	// arrived before the message that finishes it leaves.
	showTimeout = 3 * time.Second
	// How long after that an edit without an answer may yet take effect.
	lateEdit = 10 * time.Second
	// A chat that must not be shown anything for longer than this is not waited for.
	showPatience = 2 * time.Second
	// A showing that Telegram refused is not tried again sooner than this.
	refusedPause = 10 * time.Second
)

var errNoPreview = errors.New("nothing is shown here before it is finished")

// pace is the key under which a showing waits: a message, or, with "", a chat's draft.
type pace struct {
	to      channels.Address
	message string
}

// Draft implements [channels.Drafter] in private chats, where Telegram has drafts.
// A draft is shown at most about three times a second. Of a long text the end is shown.
func (s *Sender) Draft(ctx context.Context, to channels.Address, id, text string) error {
	if !s.draftable(to) {
		return errNoPreview
	}
	parts := markup.Render(text, maxText)
	if len(parts) == 0 {
		return nil
	}
	at := pace{to: to}
	if err := s.paces.Wait(ctx, at, draftEvery, showPatience); err != nil {
		return err
	}
	defer s.paces.Hold(at, draftEvery) // Telegram counts from when it took the call
	params := tgbotapi.Params{"chat_id": to.Chat, "draft_id": strconv.FormatInt(draftNumber(id), 10)}
	params.AddNonEmpty("message_thread_id", to.Thread)
	return s.show(ctx, at, parts[len(parts)-1], func(ctx context.Context, text body) error {
		text.put(params, "text")
		return s.opt.API.Call(ctx, "sendMessageDraft", params, nil)
	})
}

// Edit implements [channels.Editor]: it shows text in a message of the bot, as the
// preview of an answer where there are no drafts. A message is edited at most once a
// second. Of a long text it shows the beginning, because the message will hold that in
// the end.
func (s *Sender) Edit(ctx context.Context, to channels.Address, messageID, text string) error {
	parts := markup.Render(text, maxText)
	if len(parts) == 0 {
		return nil
	}
	at := pace{to: to, message: messageID}
	if err := s.paces.Wait(ctx, at, editEvery, showPatience); err != nil {
		return err
	}
	defer s.paces.Hold(at, editEvery) // Telegram counts from when it took the call
	return s.show(ctx, at, parts[0], func(ctx context.Context, text body) error {
		_, err := s.poster.attempt(ctx, &post{to: to, body: text, edits: messageID})
		return err
	})
}

// Edits implements [channels.Editor].
func (s *Sender) Edits(to channels.Address) bool {
	switch s.opt.Stream {
	case StreamEdit:
		return true
	case StreamAuto:
		return !s.draftable(to)
	default:
		return false
	}
}

// draftable says whether a growing answer to a chat is shown as a draft.
func (s *Sender) draftable(to channels.Address) bool {
	switch s.opt.Stream {
	case StreamAuto, StreamDraft:
		return isPrivate(to) && !s.undraftable.Load()
	default:
		return false
	}
}

// show puts a text on the screen by once, after the caller has waited for its time. A
// refusal is a [*channels.SendError].
func (s *Sender) show(ctx context.Context, at pace, html string, once func(context.Context, body) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showTimeout)
	defer cancel()
	err := once(ctx, body{html: html})
	refusal, ok := errors.AsType[*api.Error](err)
	if ok && refusal.BadMarkup() {
		err = once(ctx, body{html: html, plain: true})
		refusal, ok = errors.AsType[*api.Error](err)
	}
	if lost, ok := errors.AsType[*wire.Error](err); ok && at.message != "" && lost.Pending() {
		s.doubts.Hold(at, lateEdit)
	}
	switch {
	case !ok:
		return err
	case refusal.NotModified():
		return nil
	case at.message == "" && refusal.Code == http.StatusNotFound:
		s.opt.Log.Info().Msg("this server knows no drafts")
		s.undraftable.Store(true)
	default:
		s.paces.Hold(at, refusedPause)
	}
	return s.poster.sendError(at.to.Chat, refusal)
}

// draftNumber makes Telegram's draft_id of a draft's name: positive, and the same
// for the same name.
func draftNumber(id string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int64(h.Sum32()>>1) + 1
}
