package senses

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"parley/pkg/agent/errand"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/pictures"
	"parley/pkg/providers"
	"parley/pkg/tools/senses"
)

// look refuses pictures above the bounds, and has the others described for a model that takes none.
func (m *message) look(ctx context.Context) {
	describes := m.s.o.Describe && !turn.Own(m.t).Images
	var seen []*prompt.Fetched
	for n := range m.files {
		f := &m.files[n]
		switch {
		case f.Picture != nil:
			err := check(f.Picture.Open)
			if r, ok := errors.AsType[*senses.RefusedError](err); ok && (describes || !r.Unreadable) {
				m.blind(ctx, n, textBlind, r.Why)
				continue
			}
			seen = append(seen, f)
		case !m.s.o.Describe, !senses.NamesPicture(m.in.Attachments[n].Name):
		case f.Open != nil: // too large to be shown, or no picture
			m.blind(ctx, n, textBlind, senses.Why(check(f.Open)))
		case describes && m.saw(n):
			seen = append(seen, f)
		default:
			m.blind(ctx, n, textNoPicture, f.Outcome)
		}
	}
	if len(seen) > 0 && describes {
		m.describe(ctx, seen)
	}
}

// saw says that an earlier attempt at the turn had the file of a picture, and has it described.
func (m *message) saw(n int) bool {
	return errand.Recorded(m.t, m.pictures()) && !errand.Recorded(m.t, m.refused(n))
}

// check looks at a picture before a model does.
func check(open func() (io.ReadCloser, int64, error)) error {
	file, size, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	at, ok := file.(io.ReaderAt)
	if !ok { // a channel's own file
		b, err := io.ReadAll(io.LimitReader(file, pictures.MaxSize))
		if err != nil {
			return err
		}
		at = bytes.NewReader(b)
	}
	_, err = senses.Look(at, size)
	return err
}

// blind takes a picture away, and tells the chat why it cannot be looked at.
func (m *message) blind(ctx context.Context, n int, sentence, why string) {
	m.unseen(&m.files[n], errand.Refuse(ctx, m.t, m.refused(n), fmt.Sprintf(sentence, why)))
}

func (*message) unseen(f *prompt.Fetched, err error) {
	f.Picture = nil
	if told := sentence(err); told != "" {
		note(f, fmt.Sprintf(noteUnseen, told))
	}
}

// describe has pictures described, all in one question. Their descriptions stand beside the last.
func (m *message) describe(ctx context.Context, seen []*prompt.Fetched) {
	var images []providers.Image
	for _, f := range seen {
		if f.Picture != nil { // else there is an answer already
			images = append(images, *f.Picture)
		}
	}
	q := senses.Description(images, "")
	resp, err := errand.Run(ctx, m.t, &errand.Errand{
		Role: turn.RoleDescribe, Key: m.pictures(), Messages: q.Messages, Options: q.Options,
		Explain: func(err error) string { return fmt.Sprintf(textBlind, why(err)) },
	})
	if err != nil {
		for _, f := range seen {
			m.unseen(f, err)
		}
		return
	}
	for _, f := range seen {
		f.Picture = nil
		note(f, noteSeen)
	}
	words, _ := senses.Words(resp)
	if words == "" {
		words = textNothingSeen
	}
	seen[len(seen)-1].Words = words
}
