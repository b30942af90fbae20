package outbound

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/channels/wire"
)

// uploader sends files.
type uploader struct {
	client *api.Client
	poster *poster
	// answered is told the address of a file that was shared.
	answered func(ctx context.Context, to channels.Address)
}

// send sends a file: [Sender.SendFile].
func (u *uploader) send(ctx context.Context, part *channels.FilePart) (channels.Receipt, error) {
	if part.Edits != "" {
		if err := u.poster.giveWay(ctx, part.Address, part.Edits); err != nil {
			return channels.Receipt{}, u.hidden(part.Address.Chat, err)
		}
	}
	id, err := u.upload(ctx, part)
	if err != nil {
		return channels.Receipt{}, u.hidden(part.Address.Chat, err)
	}
	caption := markup.Split(part.Text)
	receipt, err := u.share(wire.Watched(ctx), part, id, caption)
	if err != nil {
		return channels.Receipt{}, u.fileError(part.Address.Chat, err)
	}
	u.answered(ctx, part.Address)
	for i := 1; i < len(caption); i++ {
		if err := u.poster.behind(ctx, textPost(part.Address, caption[i])); err != nil {
			return channels.Receipt{}, err
		}
	}
	return receipt, nil
}

// hidden is fileError for invisible steps: after any failure the file surely is not
// there. An answer of the host of the files does not concern the account.
func (u *uploader) hidden(chat string, err error) *channels.SendError {
	se := u.fileError(chat, err)
	if se.Class == channels.SendAmbiguous {
		se.Class = channels.SendTransient
	}
	e, ok := errors.AsType[*wire.Error](err)
	if ok && e.Method == "upload" && (se.Class == channels.SendAuth || e.Status == http.StatusForbidden) {
		se.Class = channels.SendRefused
	}
	return se
}

// fileError is sendError for a file: an app that may not upload files may send
// messages all the same, and one tells of it.
func (u *uploader) fileError(chat string, err error) *channels.SendError {
	se := u.poster.sendError(chat, err)
	refusal, ok := errors.AsType[*api.Error](err)
	if ok && refusal.Has("missing_scope", "unknown_method", "method_deprecated", "deprecated_endpoint") {
		se.Class = channels.SendRefused
	}
	return se
}

// upload brings the content to Slack, still invisible, and returns the file's id.
func (u *uploader) upload(ctx context.Context, part *channels.FilePart) (string, error) {
	content, size, err := wire.OpenFile(part.Open, maxUpload, "slack takes")
	if err != nil {
		return "", &channels.SendError{Class: channels.SendRefused, Err: err}
	}
	defer func() { _ = content.Close() }()
	var told *slack.GetUploadURLExternalResponse
	err = u.client.Call(ctx, "files.getUploadURLExternal", func(ctx context.Context, web *slack.Client) (err error) {
		told, err = web.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{FileName: part.File.Name, FileSize: int(size)})
		return err
	})
	if err != nil {
		return "", err
	}
	return told.FileID, u.client.Upload(ctx, told.UploadURL, content, size)
}

// shared is the part of the answer to files.completeUploadExternal that is read.
type shared struct {
	Files []struct {
		Shares map[string]map[string][]struct {
			TS string `json:"ts"`
		} `json:"shares"`
	} `json:"files"`
}

// share shows an uploaded file in its chat.
func (u *uploader) share(ctx context.Context, part *channels.FilePart, id string, caption []string) (channels.Receipt, error) {
	params := slack.CompleteUploadExternalParameters{
		Files:   []slack.FileSummary{{ID: id, Title: part.File.Name}},
		Channel: part.Address.Chat, ThreadTimestamp: part.Address.Thread,
	}
	if len(caption) > 0 {
		params.InitialComment = markup.Mrkdwn(caption[0])
	}
	for {
		var s shared
		err := u.client.Read(ctx, "files.completeUploadExternal", &s, func(ctx context.Context, web *slack.Client) error {
			_, err := web.CompleteUploadExternalContext(ctx, params)
			return err
		})
		refusal, ok := errors.AsType[*api.Error](err)
		if ok && refusal.NoThread() && params.ThreadTimestamp != "" {
			params.ThreadTimestamp = ""
			continue
		}
		return channels.Receipt{MessageID: cmp.Or(s.in(part.Address.Chat), id), Time: time.Now()}, err
	}
}

// in is the message of a file in a chat, "" where Slack does not tell it.
func (s *shared) in(chat string) string {
	for _, f := range s.Files {
		for _, places := range f.Shares { // public and private
			for _, share := range places[chat] {
				return share.TS
			}
		}
	}
	return ""
}
