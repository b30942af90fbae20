package exchange

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"parley/pkg/pictures"
	"parley/pkg/providers"
)

// The limits of a request's pictures. The newest have precedence.
const (
	maxPictures     = 50
	maxPictureBytes = 20 << 20
)

// The texts in place of a picture that is not sent.
const (
	noPicture   = "[a picture that this model cannot see]"
	lostPicture = "[a picture that is not there any more]"
	pastPicture = "[a picture that is no longer shown]"
)

// Pictures say which pictures of a conversation a request carries.
type Pictures struct {
	blind bool
	// Carried ones have their size, those without room a size below 0. A picture that
	// is absent has no readable file.
	sizes map[*providers.Image]int64
}

// Choose reads the sizes of all pictures' files, the newest first. With sees false the
// model takes no pictures, and no file is opened.
func Choose(messages []providers.Message, sees bool) Pictures {
	p := Pictures{blind: !sees}
	if p.blind {
		return p
	}
	var total int64
	count := 0
	for i := range slices.Backward(messages) {
		images := messages[i].Images
		if messages[i].Role != providers.RoleUser {
			continue
		}
		for j := range slices.Backward(images) {
			size, ok := fileSize(&images[j])
			if !ok {
				continue
			}
			if p.sizes == nil {
				p.sizes = map[*providers.Image]int64{}
			}
			if count++; count > maxPictures || total+size > maxPictureBytes {
				size = -1
			} else {
				total += size
			}
			p.sizes[&images[j]] = size
		}
	}
	return p
}

// Text is a message's text with a note for each of its pictures that is not carried.
func (p Pictures) Text(m *providers.Message) string {
	text := m.Content
	for i := range m.Images {
		if note := p.note(&m.Images[i]); note != "" {
			text += "\n" + note
		}
	}
	if text != "" && m.Content == "" {
		text = text[1:]
	}
	return text
}

// Carried says whether a picture goes along. Its size is above 0 for a file, and 0 for
// one that the server fetches from its URL.
func (p Pictures) Carried(img *providers.Image) (size int64, ok bool) {
	return p.sizes[img], p.note(img) == ""
}

// Any says whether at least one picture of a message is carried.
func (p Pictures) Any(m *providers.Message) bool {
	for i := range m.Images {
		if p.note(&m.Images[i]) == "" {
			return true
		}
	}
	return false
}

// note is the text in place of a picture that is not carried, "" for one that is.
func (p Pictures) note(img *providers.Image) string {
	size, file := p.sizes[img]
	switch {
	case p.blind:
		return noPicture
	case file && size < 0:
		return pastPicture
	case !file && img.URL == "":
		return lostPicture
	default:
		return ""
	}
}

// fileSize is the size of a picture's file; false for an unreadable one, and for one that no model is shown: since its message
// came, another file may have taken its place.
func fileSize(img *providers.Image) (int64, bool) {
	if img.Open == nil {
		return 0, false
	}
	f, size, err := img.Open()
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }()
	return size, size > 0 && !tooLarge(f, size)
}

// tooLarge says that a picture has more pixels than a model is shown.
func tooLarge(f io.Reader, size int64) bool {
	at, ok := f.(io.ReaderAt)
	if !ok {
		b, _ := io.ReadAll(io.LimitReader(f, pictures.MaxSize)) // sending it finds the fault
		at = bytes.NewReader(b)
	}
	_, err := pictures.Look(at, size)
	refused, ok := errors.AsType[*pictures.Error](err)
	return ok && refused.Large
}
