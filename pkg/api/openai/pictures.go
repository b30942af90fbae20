package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// The bounds of pictures. A body above largeBody waits for one of the places that all people
// share, so that the pictures of many do not fill the memory.
const (
	maxBody    = 8 << 20
	largeBody  = 1 << 20
	maxLarge   = 4
	mostOfKind = 16 // pictures of a request
)

// picture is one of a message.
type picture struct {
	ending string // of its file's name
	data   []byte
}

// ending is that of the name of a picture's file; "" for a kind that models do not take.
func ending(kind string) string {
	switch kind {
	case "image/png", "image/gif", "image/webp":
		return strings.TrimPrefix(kind, "image/")
	case "image/jpeg":
		return "jpg"
	default:
		return ""
	}
}

// readPicture reads the data: URL of a part, which is a text, or an object with one. The gateway
// fetches no address that a program names.
func readPicture(raw json.RawMessage) (p picture, ok bool) {
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &in.URL) != nil && json.Unmarshal(raw, &in) != nil {
		return p, false
	}
	head, data, ok := strings.Cut(in.URL, ";base64,")
	kind, isData := strings.CutPrefix(head, "data:")
	p.ending = ending(kind)
	if !ok || !isData || p.ending == "" {
		return p, false
	}
	var err error
	p.data, err = base64.StdEncoding.DecodeString(data)
	return p, err == nil && http.DetectContentType(p.data) == kind
}

// decode reads the body of a request. The caller calls free, once or more, when it needs the
// body no longer.
func decode(a *API, r *http.Request, c *httpd.Caller, v any) (free func(), f *httpd.Refusal) {
	free = func() {}
	if r.ContentLength < 0 || r.ContentLength > largeBody {
		give, err := a.large.Take(r.Context(), c.Person.String(), nil)
		if err != nil {
			return free, a.fault(err)
		}
		free = sync.OnceFunc(give)
	}
	return free, httpd.Decode(r, v)
}

// shows notes the pictures of the words that a wish has kept: those of the last messages.
func (p *place) shows(w *channels.Wish, all []picture, param string) *httpd.Refusal {
	n := 0
	for i := range w.Said {
		n += w.Said[i].Pictures
	}
	if p.pictures = all[len(all)-n:]; n > mostOfKind {
		return bad(param, fmt.Sprintf(textPictures, mostOfKind))
	}
	return nil
}

// bring stores the pictures of a message, before the message is stored, and forgets its body: a
// turn takes long, and one that has to wait for its place takes longer.
func bring(ctx context.Context, a *API, p *place) ([]channels.Attachment, error) {
	defer func() {
		p.pictures = nil
		p.read()
	}()
	if len(p.pictures) == 0 {
		return nil, nil
	}
	all := make([]shelf.Upload, len(p.pictures))
	for i, pic := range p.pictures {
		all[i] = shelf.Upload{
			Name: fmt.Sprintf("picture-%d.%s", i+1, pic.ending), Size: int64(len(pic.data)), Content: bytes.NewReader(pic.data),
		}
	}
	return a.o.Bring(ctx, p.at.Chat, p.item(), all)
}
