package prompt

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/openat"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// Files that come with messages are fetched by the turn that reads them, in its own
// chat's lane: receiving does not wait for files, and files of unread messages are not
// fetched. A turn that goes on in another process fetches again.

const (
	// How long a turn waits for the files of its messages, and how many it fetches
	// at once.
	fetchTime  = 20 * time.Second
	maxFetches = 4
)

// Fetched is the fate of a file that came with a message.
type Fetched struct {
	// Outcome says it in a few words, for the model: "saved as inbox/report.pdf".
	Outcome string
	// Path is its file in the space, "" where it was not saved, and Open opens that.
	Path string
	Open func() (f io.ReadCloser, size int64, err error)
	// Words are what the file says or shows, as another model has written it down, or "".
	Words string
	// Picture is set where a model may be shown the file: Path, Size and MIME, and Open where
	// the file lies outside of the space.
	Picture *providers.Image
}

// Spoken are the words of those files that have some.
func Spoken(files []Fetched) []string {
	var all []string
	for i := range files {
		if files[i].Words != "" {
			all = append(all, files[i].Words)
		}
	}
	return all
}

// Fetch fetches the files of a chat's items into its space: one list for each item, in
// the order of its attachments. A file that cannot be had has an outcome that says so.
func (r *Reader) Fetch(ctx context.Context, at channels.Address, space string, items []session.Item) [][]Fetched {
	all := make([][]Fetched, len(items))
	withFiles := func(it session.Item) bool { return it.Inbound != nil && len(it.Inbound.Attachments) > 0 }
	if r.o.Fetch == nil || !slices.ContainsFunc(items, withFiles) {
		return all
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	slots := make(chan struct{}, maxFetches)
	var wg sync.WaitGroup
	for i := range items {
		if !withFiles(items[i]) {
			continue
		}
		attachments := items[i].Inbound.Attachments
		all[i] = make([]Fetched, len(attachments))
		for j, a := range attachments {
			wg.Go(func() {
				select {
				case slots <- struct{}{}:
					all[i][j] = r.fetchOne(ctx, at, space, a)
					<-slots
				case <-ctx.Done():
					all[i][j].Outcome = "not fetched: no time was left"
				}
			})
		}
	}
	wg.Wait()
	return all
}

func (r *Reader) fetchOne(ctx context.Context, at channels.Address, space string, a channels.Attachment) Fetched {
	f := r.o.Fetch(ctx, at, space, a)
	if f.Path != "" {
		f.Open = opener(space, f.Path)
	}
	if f.Picture != nil && f.Picture.Open == nil {
		f.Picture.Open = opener(space, f.Picture.Path)
	}
	return f
}

// opener opens a file of a space.
func opener(space, path string) func() (io.ReadCloser, int64, error) {
	return func() (io.ReadCloser, int64, error) {
		root, err := os.OpenRoot(space)
		if err != nil {
			return nil, 0, err
		}
		defer func() { _ = root.Close() }() // a file that was opened below it stays open
		f, info, err := openat.File(root, path)
		if err != nil {
			return nil, 0, err
		}
		return f, info.Size(), nil
	}
}
