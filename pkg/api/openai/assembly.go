package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"parley/pkg/events"
	"parley/pkg/httpd"
)

// assembly makes one text of a turn's rounds and messages. It knows how much of it a client
// has, and never says the same twice: where the model is asked again, it goes on behind the
// words that are the same.
type assembly struct {
	turn string
	all  []byte
	// round is where the present round begins in all; sent is how much of all the client has.
	round, sent int
	// was is what the client has, where all does not begin with it any more.
	was []byte
	// late are messages that calls have sent, which came while a round grew: they stand behind it.
	late []string

	calls   []events.Call // those that the client runs
	asked   []events.Question
	failure *events.Failure
	done    *events.Done
}

// take adds an event of the turn.
func (s *assembly) take(d events.Data) {
	switch d := d.(type) {
	case events.TurnBegun: // anew, where it is not the first
		s.truncate(0)
		s.turn, s.calls, s.asked, s.failure, s.late, s.round = d.Turn, nil, nil, nil, nil, 0
	case events.Token:
		s.add(d.Text)
	case events.Restart:
		s.truncate(s.round)
	case events.Call:
		s.closeRound()
		if d.Run == events.RunClient {
			s.calls = append(s.calls, d)
		}
	case events.Result: // one of the client whose arguments are none: the model was told
		s.calls = slices.DeleteFunc(s.calls, func(c events.Call) bool { return c.ID == d.ID })
	case events.Message:
		s.message(&d)
	case events.Question:
		s.asked = append(s.asked, d)
	case events.Failure:
		s.failure = &d
	case events.Done:
		s.closeRound()
		s.done = &d
		for i := range s.calls {
			s.calls[i].ID = callID(s.turn, i)
		}
	}
}

// callID is the id of a call of the client on the wire, by its place among those that its turn
// ended with: models repeat theirs in other turns.
func callID(turn string, place int) string { return fmt.Sprintf("call_%s_%d", turn, place+1) }

// add appends to the present round; one begins with a letter, behind an empty line.
func (s *assembly) add(piece string) {
	if len(s.all) == s.round {
		if piece = strings.TrimLeftFunc(piece, unicode.IsSpace); piece == "" {
			return
		}
		if s.round > 0 {
			s.all = append(s.all, paragraph...)
		}
	}
	s.all = append(s.all, piece...)
}

const paragraph = "\n\n"

// closeRound ends the present round. Each late message is one of its own behind it.
func (s *assembly) closeRound() {
	for _, text := range append([]string{""}, s.late...) {
		s.add(text)
		s.all = bytes.TrimRightFunc(s.all, unicode.IsSpace)
		s.round = len(s.all)
	}
	s.late = nil
}

// truncate takes back what is behind a place.
func (s *assembly) truncate(at int) {
	if s.was == nil && s.sent > at {
		s.was = bytes.Clone(s.all[:s.sent])
	}
	s.all = s.all[:at]
	s.sent = min(s.sent, at)
}

// message adds a delivered message. The last one of the turn is its answer as it counts: the
// round's text is in it mostly.
func (s *assembly) message(d *events.Message) {
	if s.failure != nil || !strings.HasPrefix(d.ID, s.turn+"/") { // the text of an error is in the refusal
		return
	}
	text := strings.TrimSpace(d.Text)
	if d.File != "" {
		text = strings.TrimSpace(text + "\n" + fmt.Sprintf(textFile, d.File))
	}
	if !strings.HasPrefix(d.ID, s.turn+"/final/") {
		if d.Replaces != "" { // the question that was answered, without its buttons
			return
		}
		s.late = append(s.late, text)
		if len(s.all) == s.round {
			s.closeRound()
		}
		return
	}
	now := string(bytes.TrimSpace(s.all[s.round:]))
	if now != "" && strings.HasSuffix(text, now) {
		return
	}
	s.truncate(s.round)
	s.add(text)
}

// next is the text that the client lacks so far. Blanks at the end of a round wait for what follows.
func (s *assembly) next() string {
	head := bytes.TrimRightFunc(s.all, unicode.IsSpace)
	if s.was != nil {
		switch {
		case bytes.HasPrefix(head, s.was):
			s.sent, s.was = len(s.was), nil
		case bytes.HasPrefix(s.was, head):
			return ""
		default:
			piece := string(head[min(s.sent, len(head)):])
			s.was, s.sent = nil, len(head)
			return paragraph + strings.TrimLeft(piece, "\n")
		}
	}
	if len(head) <= s.sent {
		return ""
	}
	piece := string(head[s.sent:])
	s.sent = len(head)
	return piece
}

// text is the whole text.
func (s *assembly) text() string { return strings.TrimSpace(string(s.all)) }

// ask adds the sentences that tell where the open questions are answered.
func (s *assembly) ask(chat string) {
	for i := range s.asked {
		q := &s.asked[i]
		s.closeRound()
		s.add(fmt.Sprintf(textApproval, q.Called, q.ID, q.ExpiresAt.UTC().Format("15:04:05 MST"), chat, q.ID))
	}
}

// problem is the refusal that the turn ends with, or nil.
func (s *assembly) problem() *httpd.Refusal {
	switch {
	case s.done == nil:
		return nil
	case s.failure != nil && s.failure.Code == events.CodeLimited:
		return &httpd.Refusal{Status: http.StatusTooManyRequests, Code: "insufficient_quota", Message: s.failure.Message}
	case s.failure != nil && s.failure.Code == events.CodeRefused:
		return &httpd.Refusal{Status: http.StatusForbidden, Code: s.failure.Code, Message: s.failure.Message}
	case s.failure != nil:
		return &httpd.Refusal{Status: http.StatusInternalServerError, Code: s.failure.Code, Message: s.failure.Message}
	case s.done.Stop == events.StopEnd && s.done.Rounds == 0 && len(s.all) == 0:
		return &httpd.Refusal{Status: http.StatusForbidden, Code: "not_allowed", Message: textNotAllowed}
	default:
		return nil
	}
}

// finish is the word for the end of the turn.
func (s *assembly) finish() string {
	switch s.done.Stop {
	case events.StopCaller:
		return "tool_calls"
	case events.StopLength:
		return "length"
	case events.StopFiltered:
		return "content_filter"
	default:
		return "stop"
	}
}
