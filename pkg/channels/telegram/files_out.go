package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/markup"
)

// What a bot may upload, and the longest caption in UTF-16 units after its
// entities are parsed.
const (
	maxUpload  = 50 << 20
	maxPhoto   = 10 << 20
	maxCaption = 1024
)

// File is a document or a photo for a chat.
type File struct {
	// Name is what the person sees.
	Name string
	// Open gives the content from its beginning; it is called once for each attempt.
	Open func() (fs.File, error)
	// Photo asks for a picture in the chat. What Telegram does not take as one, it
	// gets as a document.
	Photo bool
	// Caption is Markdown; what is longer than a caption may be is left out.
	Caption string
	// ReplyTo is the message that it answers, in groups.
	ReplyTo string
}

// SendFile uploads a file to a chat. Its errors are those of Send: what was
// uploaded and not answered is ambiguous.
func (c *Channel) SendFile(ctx context.Context, to channels.Address, f File) (channels.Receipt, error) {
	u := upload{post: post{to: to, replyTo: f.ReplyTo}, file: f, photo: f.Photo}
	if parts := markup.Render(f.Caption, maxCaption); len(parts) > 0 {
		u.html = parts[0]
	}
	ctx = watched(ctx)
	for {
		receipt, err := c.uploadOnce(ctx, &u)
		refusal, ok := errors.AsType[*apiError](err)
		switch {
		case err == nil:
			return receipt, nil
		case ok && u.photo && refusal.noPhoto():
			u.photo, err = false, nil
		case ok:
			err = c.remedy(ctx, &u.post, refusal)
		}
		if err != nil {
			return channels.Receipt{}, c.sendError(to.Chat, err)
		}
	}
}

// upload is one file and how it is sent at present; the post's text is its caption.
type upload struct {
	post

	file  File
	photo bool
}

// uploadOnce is one request.
func (c *Channel) uploadOnce(ctx context.Context, u *upload) (channels.Receipt, error) {
	content, size, err := u.file.open()
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
	// The library closes what can be closed, but not on every path; here it is ours.
	data := tgbotapi.FileReader{Name: cmp.Or(u.file.Name, "file"), Reader: struct{ io.Reader }{content}}
	var sent sentMessage
	if err := c.client.upload(ctx, method, params, []tgbotapi.RequestFile{{Name: field, Data: data}}, &sent); err != nil {
		return channels.Receipt{}, err
	}
	return sent.receipt(), nil
}

// open gives the content and its size, of what may be uploaded.
func (f File) open() (fs.File, int64, error) {
	content, err := f.Open()
	if err != nil {
		return nil, 0, fmt.Errorf("open the file: %w", err)
	}
	info, err := content.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case info.Size() == 0:
		err = errors.New("it is empty")
	case info.Size() > maxUpload:
		err = fmt.Errorf("it has %d bytes, more than the %d that a bot may send", info.Size(), int64(maxUpload))
	}
	if err != nil {
		_ = content.Close()
		return nil, 0, fmt.Errorf("the file: %w", err)
	}
	return content, info.Size(), nil
}
