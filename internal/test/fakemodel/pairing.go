package fakemodel

import (
	"errors"
	"fmt"
	"strings"

	"parley/pkg/providers"
)

// pairing checks the order of a conversation: every tool call is followed by
// exactly one result before anything else comes.
type pairing struct {
	open map[string]string // call id to tool name
	used map[string]bool
}

func (p *pairing) next(m *providers.Message) error {
	if m.Role != providers.RoleTool {
		if err := p.end(); err != nil {
			return err
		}
	}
	if err := misplaced(m); err != nil {
		return err
	}
	empty := blank(m)
	switch m.Role {
	case providers.RoleSystem, "developer", providers.RoleUser:
		if empty && len(m.Images) == 0 {
			return errors.New("the content is empty")
		}
		return nil
	case providers.RoleAssistant:
		if empty && len(m.ToolCalls) == 0 {
			return errors.New("neither content nor tool calls")
		}
		return p.calls(m)
	case providers.RoleTool:
		return p.result(m)
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
}

// misplaced tells of a field that does not belong to the message's role.
func misplaced(m *providers.Message) error {
	switch {
	case strings.ContainsRune(m.Content, 0):
		return errors.New("content holds NUL")
	case m.Role != providers.RoleAssistant && len(m.ToolCalls) > 0:
		return fmt.Errorf("tool_calls in a message of role %q", m.Role)
	case m.Role != providers.RoleTool && m.ToolCallID != "":
		return fmt.Errorf("tool_call_id in a message of role %q", m.Role)
	}
	return nil
}

func blank(m *providers.Message) bool { return strings.TrimSpace(m.Content) == "" }

func (p *pairing) calls(m *providers.Message) error {
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		if p.used[c.ID] {
			return fmt.Errorf("tool call id %q is repeated", c.ID)
		}
		p.used[c.ID] = true
		p.open[c.ID] = c.Name
	}
	return nil
}

func (p *pairing) result(m *providers.Message) error {
	name, there := p.open[m.ToolCallID]
	if !there {
		return fmt.Errorf("the result %q answers no open tool call", m.ToolCallID)
	}
	if blank(m) {
		return errors.New("the result is empty")
	}
	delete(p.open, m.ToolCallID)
	m.Name = name
	return nil
}

func (p *pairing) end() error {
	for id := range p.open {
		return fmt.Errorf("the tool call %q has no result", id)
	}
	return nil
}
