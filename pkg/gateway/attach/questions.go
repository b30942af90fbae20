package attach

import (
	"context"

	"parley/pkg/channels"
	"parley/pkg/events"
)

// ask shows a question. The data of a button is its answer.
func (s *Session) ask(ctx context.Context, d *events.Question) error {
	if s.closed[d.ID] {
		return nil
	}
	if err := known(ctx, s.marked); err != nil {
		return err
	}
	err := s.put(ctx, d)
	s.shown[d.Message] = true
	s.saw(ctx, d.Message)
	return err
}

// put puts a question on the screen.
func (s *Session) put(ctx context.Context, d *events.Question) error {
	if s.watcher != nil {
		return s.watcher.Watch(ctx, *d, true)
	}
	part := channels.Part{Outbound: channels.Outbound{ID: d.ID, Address: s.at, Text: d.Question}}
	for _, choice := range d.Choices {
		part.Buttons = append(part.Buttons, channels.Button{Label: labelOf(choice), Data: d.ID + " " + choice})
	}
	_, err := s.view.Send(ctx, part)
	return err
}

// labelOf is the label of the button for an answer.
func labelOf(choice string) string {
	switch choice {
	case "allow_once":
		return textAllowOnce
	case "allow_here":
		return textAllowHere
	default:
		return textDeny
	}
}

// answered closes a question; the message behind it says who answered what.
func (s *Session) answered(ctx context.Context, d *events.Resolved) error {
	s.closed[d.ID] = true
	if s.watcher != nil {
		return s.watcher.Watch(ctx, *d, true)
	}
	return s.show(ctx, channels.Outbound{ID: d.ID + "/answer", Finishes: d.ID})
}
