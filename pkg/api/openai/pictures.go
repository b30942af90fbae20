package openai

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// maxBody is the most of a request with its pictures.
const maxBody = 8 << 20

// readPicture reads the data: URL of a part, which is a text, or an object with one.
func readPicture(raw json.RawMessage) (p shelf.Picture, ok bool) {
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &in.URL) != nil && json.Unmarshal(raw, &in) != nil {
		return p, false
	}
	return shelf.ReadPictureURL(in.URL)
}

// shows notes the pictures of the words that a wish has kept: those of the last messages.
func (p *place) shows(w *channels.Wish, all []shelf.Picture, param string) *httpd.Refusal {
	n := 0
	for i := range w.Said {
		n += w.Said[i].Pictures
	}
	if p.pictures = all[len(all)-n:]; n > shelf.MostPictures {
		return bad(param, fmt.Sprintf(textPictures, shelf.MostPictures))
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
	return a.o.Bring(ctx, p.at.Chat, p.item(), shelf.Uploads(p.pictures))
}
