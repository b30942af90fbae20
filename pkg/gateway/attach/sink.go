package attach

import (
	"context"
	"slices"
	"strings"

	"parley/pkg/channels"
)

// sink sends what the console reads to the gateway.
type sink struct{ session *Session }

var _ channels.Sink = sink{}

// Accept implements [channels.Sink].
func (k sink) Accept(ctx context.Context, in []channels.Inbound, _ *channels.Cursor) error {
	for i := range in {
		if err := k.send(ctx, &in[i]); err != nil {
			return &UnsentError{err}
		}
	}
	return nil
}

// UnsentError says why the gateway did not take what a person typed.
type UnsentError struct{ Reason error }

// Error implements error.
func (e *UnsentError) Error() string { return e.Reason.Error() }

// Unwrap returns the reason.
func (e *UnsentError) Unwrap() error { return e.Reason }

// Position implements [channels.Sink]: a console has no cursor.
func (sink) Position(context.Context, string) (string, error) { return "", nil }

func (k sink) send(ctx context.Context, m *channels.Inbound) error {
	s := k.session
	if m.Kind == channels.KindButton {
		id, choice, _ := strings.Cut(m.Text, " ")
		return s.client.decide(ctx, id, choice)
	}
	files, err := s.upload(ctx, m)
	if err != nil {
		return err
	}
	s.waits.posts()
	sent, err := s.client.say(ctx, m.ID, newMessage{Message: m.Text, Alone: s.alone, Files: files})
	s.waits.posted(sent.Message)
	if err == nil {
		s.files = nil
	}
	return err
}

// upload stores the files that go with a message: those that it names, and those that wait for the
// next one.
func (s *Session) upload(ctx context.Context, m *channels.Inbound) (ids []string, err error) {
	paths := slices.Clone(s.files)
	for i := range m.Attachments {
		paths = append(paths, m.Attachments[i].Ref)
	}
	for _, path := range paths {
		id, err := s.client.upload(ctx, path)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// everybody lets all lines in: the gateway looks at each message itself.
type everybody struct{}

// Authorize implements [channels.Authorizer].
func (everybody) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}
