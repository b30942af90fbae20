package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/pkg/channels"
	"parley/pkg/console/line"
	"parley/pkg/text"
)

// enter ends a message, or a line of it where it ends in a backslash.
func (m *model) enter() tea.Cmd {
	e := &m.edit
	said := e.line.Text()
	if e.line.AtEnd() && strings.HasSuffix(said, `\`) && !strings.HasSuffix(said, `\\`) {
		e.line.Erase(line.Left)
		return e.newLine()
	}
	words := strings.TrimSpace(said)
	if words == "" {
		return nil
	}
	if choice, ok := m.asks.takes(strings.ToLower(words)); ok { // it was typed before the keys worked
		e.clear()
		return m.press(choice)
	}
	if cmd, ok := m.own(words); ok {
		return cmd
	}
	if e.unknown(words) {
		return nil
	}
	return m.send(words)
}

// send sends a message.
func (m *model) send(words string) tea.Cmd {
	e := &m.edit
	items := e.line.Items()
	in := m.c.inbound(channels.KindMessage, words)
	for _, path := range e.line.Files() {
		in.Attachments = append(in.Attachments, channels.Attachment{Ref: path, Name: text.FileName(path)})
	}
	e.keep()
	m.said.echo(strings.TrimSpace(e.line.Shown()), promptMark)
	e.clear()
	m.turn.wait()
	m.stopping = false
	return m.post.put(in, func(m *model, err error) {
		if err == nil {
			return
		}
		m.turn.rest()
		if !m.edit.line.Empty() {
			m.said.note(fmt.Sprintf(textNotSentBusy, err))
			return
		}
		m.said.note(fmt.Sprintf(textNotSent, err))
		m.edit.line.Restore(items)
	})
}

// press answers the first question.
func (m *model) press(choice string) tea.Cmd {
	q := m.asks.first()
	q.answered = choice
	in := m.c.inbound(channels.KindButton, q.ID+" "+choice)
	in.MessageID = q.Message
	m.turn.wait()
	id := q.ID
	return m.post.put(in, func(m *model, err error) {
		if err == nil {
			return
		}
		m.turn.rest()
		m.said.note(fmt.Sprintf(textNotAnswered, err))
		m.asks.again(id)
	})
}

// stopCommand is what Ctrl-C sends.
const stopCommand = "/stop"

// interrupt is Ctrl-C: it clears the line, or stops the turn, or leaves.
func (m *model) interrupt() tea.Cmd {
	e := &m.edit
	switch {
	case !e.line.Empty():
		e.line.Clear()
		e.menu.close()
		e.recall.leave()
	case m.busy() && !m.stopping:
		m.stopping = true
		return m.post.put(m.c.inbound(channels.KindMessage, stopCommand), func(m *model, err error) {
			if err != nil {
				m.stopping = false
				m.said.note(fmt.Sprintf(textNotSentBusy, err))
			}
		})
	default:
		return m.leave(ErrInterrupted)
	}
	return nil
}

// busy says whether a turn is under way.
func (m *model) busy() bool { return !m.turn.since.IsZero() || m.c.o.Busy() }
