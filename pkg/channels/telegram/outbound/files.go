package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/markup"
	"parley/pkg/channels/wire"
)

// The limits of an upload, and the longest caption in UTF-16 units after its entities
// are parsed.
const (
	maxUpload  = 50 << 20
	maxPhoto   = 10 << 20
	maxCaption = 1024
)

// SendFile implements [channels.FileSender]: an upload without an answer is ambiguous.
// A picture that Telegram does not take as one goes as a document. Of a caption that is
// too long the beginning comes with the file and the rest behind it, as messages; an error
// of the rest is ambiguous, because the file is there.
func (s *Sender) SendFile(ctx context.Context, part channels.FilePart) (channels.Receipt, error) {
	if part.Edits != "" {
		if err := s.giveWay(ctx, part.Address, part.Edits); err != nil {
			return channels.Receipt{}, err
		}
	}
	receipt, err := s.sendFile(wire.Watched(ctx), &part)
	if err != nil {
		return channels.Receipt{}, s.poster.sendError(part.Address.Chat, err)
	}
	return receipt, nil
}

func (s *Sender) sendFile(ctx context.Context, part *channels.FilePart) (channels.Receipt, error) {
	caption := markup.Render(part.Text, maxCaption)
	u := upload{post: post{to: part.Address, replyTo: part.ReplyTo}, part: part, photo: part.File.Photo}
	if len(caption) > 0 {
		u.html, caption = caption[0], caption[1:]
	}
	for {
		receipt, err := s.uploadOnce(ctx, &u)
		refusal, ok := errors.AsType[*api.Error](err)
		switch {
		case err == nil:
			return receipt, s.poster.behind(ctx, u.to, caption)
		case ok && u.photo && refusal.NoPhoto():
			u.photo, err = false, nil
		case ok:
			err = s.poster.remedy(ctx, &u.post, refusal)
		}
		if err != nil {
			return channels.Receipt{}, err
		}
	}
}

// giveWay deletes the message that showed the answer so far: a text cannot become a
// file, and later text belongs below the file. A second deletion has no effect, so
// after any failure the file surely was not sent.
func (s *Sender) giveWay(ctx context.Context, at channels.Address, messageID string) error {
	err := s.opt.API.Call(ctx, "deleteMessage", tgbotapi.Params{"chat_id": at.Chat, "message_id": messageID}, nil)
	if e, refused := errors.AsType[*api.Error](err); err == nil || refused && e.Code == http.StatusBadRequest {
		return nil // gone already, or not to be deleted: the file leaves all the same
	}
	se := s.poster.sendError(at.Chat, err)
	if se.Class == channels.SendAmbiguous {
		se.Class = channels.SendTransient
	}
	return se
}

// behindPatience is how long a text waits for its turn behind its file.
const behindPatience = 10 * time.Second

// behind sends texts that belong below a message that is there already. Whatever goes
// wrong, a part of the whole is there: it is ambiguous.
func (o *poster) behind(ctx context.Context, to channels.Address, texts []string) error {
	for len(texts) > 0 {
		_, err := o.deliver(ctx, &post{to: to, body: body{html: texts[0]}})
		if err == nil {
			texts = texts[1:]
			continue
		}
		se := *o.sendError(to.Chat, err)
		if se.Class == channels.SendRateLimited && se.RetryAfter > 0 && se.RetryAfter <= behindPatience && backoff.Sleep(ctx, se.RetryAfter) {
			continue
		}
		se.Class, se.RetryAfter, se.Account = channels.SendAmbiguous, 0, false
		return &se
	}
	return nil
}

// upload is one file and how it is sent at present; the post's text is its caption.
type upload struct {
	post

	part  *channels.FilePart
	photo bool
}

// uploadOnce is one request.
func (s *Sender) uploadOnce(ctx context.Context, u *upload) (channels.Receipt, error) {
	content, size, err := wire.OpenFile(u.part.Open, maxUpload, "a bot may send")
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendRefused, Err: err}
	}
	defer func() { _ = content.Close() }()
	method, field := "sendDocument", "document"
	if u.photo && size <= maxPhoto {
		method, field = "sendPhoto", "photo"
	}
	params := tgbotapi.Params{"chat_id": u.to.Chat}
	params.AddNonEmpty("message_thread_id", u.to.Thread)
	params.AddNonEmpty("reply_parameters", replyParameters(u.to, u.replyTo))
	if u.html != "" {
		u.put(params, "caption")
	}
	// The library closes the reader on some paths only; here it is ours.
	data := tgbotapi.FileReader{Name: u.part.File.Name, Reader: struct{ io.Reader }{content}}
	var sent sentMessage
	if err := s.opt.API.Upload(ctx, method, params, []tgbotapi.RequestFile{{Name: field, Data: data}}, &sent); err != nil {
		return channels.Receipt{}, err
	}
	return sent.receipt(), nil
}
