package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
)

// What is fetched of what people send.
const (
	// The largest file that Telegram gives, and the largest picture that a model is shown.
	maxFile    = 20 << 20
	maxPicture = 5 << 20
	// How many run at once, how long one may take, and how long all of one batch:
	// other chats wait no longer for them.
	maxFetches   = 6
	fetchTimeout = 10 * time.Second
	batchTimeout = 20 * time.Second
)

var (
	errFileTooLarge = errors.New("too large to fetch")
	errNoPath       = errors.New("the server gave no path")
)

// fetchable says that something of ev is to be fetched.
func (c *Channel) fetchable(ctx context.Context, ev *event) bool {
	wanted := func(a attachment) bool { return a.picture || c.opt.Files != nil }
	if ev.item == nil || !slices.ContainsFunc(ev.files, wanted) {
		return false
	}
	return c.opt.Admit != nil && c.opt.Admit(ctx, *ev.item)
}

// fetchAll fetches the files of events. It never fails: what cannot be had is said
// in the text.
func (c *Channel) fetchAll(ctx context.Context, events []*event) {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, ev := range events {
		if !c.fetchable(ctx, ev) {
			continue
		}
		pictures := make([]channels.Image, len(ev.files))
		var own sync.WaitGroup
		for i := range ev.files {
			own.Go(func() { pictures[i] = c.fetch(ctx, ev.address, &ev.files[i]) })
		}
		wg.Go(func() {
			own.Wait()
			for _, p := range pictures {
				if p.Data != nil {
					ev.item.Images = append(ev.item.Images, p)
				}
			}
		})
	}
	wg.Wait()
}

// fetch gets one file and says in its outcome what became of it.
func (c *Channel) fetch(ctx context.Context, at channels.Address, a *attachment) channels.Image {
	if !a.picture && c.opt.Files == nil {
		return channels.Image{}
	}
	select {
	case c.fetches <- struct{}{}:
		defer func() { <-c.fetches }()
	case <-ctx.Done():
		a.outcome = "not fetched: no time was left"
		return channels.Image{}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	picture, where, err := c.download(ctx, at, a)
	switch {
	case errors.Is(err, errFileTooLarge):
		a.outcome = err.Error()
	case err != nil:
		c.log.Warn().Err(err).Str("chat", at.Chat).Str("kind", a.kind).Msg("a file cannot be fetched")
		a.outcome = "could not be fetched"
	case where != "":
		a.outcome = "saved as " + oneLine(where)
	}
	return picture
}

// download stores a file and gives a picture's bytes.
func (c *Channel) download(ctx context.Context, at channels.Address, a *attachment) (channels.Image, string, error) {
	var none channels.Image
	if a.file.Size > maxFile {
		return none, "", errFileTooLarge
	}
	var found struct {
		Path string `json:"file_path"`
		Size int64  `json:"file_size"`
	}
	if err := c.client.call(ctx, "getFile", tgbotapi.Params{"file_id": a.file.ID}, &found); err != nil {
		if ae, ok := errors.AsType[*apiError](err); ok && ae.says("file is too big") {
			return none, "", errFileTooLarge
		}
		return none, "", err
	}
	if !fs.ValidPath(found.Path) || found.Path == "." {
		return none, "", errNoPath
	}
	if found.Size > maxFile {
		return none, "", errFileTooLarge
	}
	body, err := c.client.download(ctx, found.Path)
	if err != nil {
		return none, "", err
	}
	defer drop(body)
	r := &bounded{r: body, left: maxFile, hide: c.client.scrub}
	if !a.picture {
		where, err := c.opt.Files(ctx, at, a.name, r)
		return none, where, err
	}
	r.left = maxPicture
	data, err := io.ReadAll(r)
	if err != nil {
		return none, "", err
	}
	picture := channels.Image{MIME: pictureType(data), Data: data}
	if picture.MIME == "" {
		picture = none
	}
	if c.opt.Files == nil {
		return picture, "", nil
	}
	where, err := c.opt.Files(ctx, at, a.name, bytes.NewReader(data))
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	return picture, where, err
}

// bounded is a reader that fails where a limit is passed.
type bounded struct {
	r    io.Reader
	left int64
	hide func(error) error
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errFileTooLarge
	}
	if err != nil && err != io.EOF { //nolint:errorlint // readers give io.EOF itself
		err = b.hide(err)
	}
	return n, err
}
