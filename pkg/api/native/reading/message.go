package reading

import (
	"encoding/json"
	"strconv"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// Message is an entry of the history, or a delivered message beside it.
type Message struct {
	// Seq is the place in the history; a message that is none of it has 0.
	Seq uint64 `json:"seq"`
	// ID is that of the event of a delivered message, or "".
	ID        string              `json:"id,omitempty"`
	Turn      string              `json:"turn"`
	Role      string              `json:"role"`
	Text      string              `json:"text"`
	File      string              `json:"file,omitempty"`
	Files     []channels.KeptFile `json:"files,omitempty"`
	Origin    string              `json:"origin,omitempty"`
	ToolCalls []Call              `json:"tool_calls,omitempty"`
	CallID    string              `json:"tool_call_id,omitempty"`
	Name      string              `json:"name,omitempty"`
	// Undone says that a person took it out of the conversation.
	Undone bool      `json:"undone,omitempty"`
	Time   time.Time `json:"time"`
}

// Call is a call of a tool in an answer of the model.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// message is an entry of the history on the wire.
func (r *Reader) message(at channels.Address, e *session.Entry) Message {
	m := Message{
		Seq: e.Seq, Turn: e.Turn, Role: e.Message.Role, Text: r.o.Redact(e.Said()), CallID: e.Message.ToolCallID, Time: e.Time,
		Undone: e.Undone,
	}
	if o := e.Message.Original; o != nil {
		m.Text, m.Files = r.o.Redact(o.Text), r.filesOf(at, o)
	}
	if e.Message.Role == providers.RoleTool {
		m.Name = e.Message.Name
	}
	for i := range e.Message.ToolCalls {
		c := &e.Message.ToolCalls[i]
		arguments, err := c.Spelled()
		arguments = r.o.Redact(arguments)
		if err != nil || !json.Valid([]byte(arguments)) {
			arguments = strconv.Quote(arguments)
		}
		m.ToolCalls = append(m.ToolCalls, Call{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(arguments)})
	}
	return m
}

// filesOf are the files of a message of the history. One that gave way has no id.
func (r *Reader) filesOf(at channels.Address, o *providers.Original) []channels.KeptFile {
	all := make([]channels.KeptFile, len(o.Files))
	for i := range o.Files {
		all[i] = channels.KeptFile(o.Files[i])
	}
	return r.found(at, all)
}

// found are files as the shelf has them now.
func (r *Reader) found(at channels.Address, files []channels.KeptFile) []channels.KeptFile {
	var all []channels.KeptFile
	for _, f := range files {
		if _, kept := r.o.Files.Find(at.Chat, f.ID); !kept {
			f.ID = ""
		}
		f.Name = r.o.Redact(f.Name)
		all = append(all, f)
	}
	return all
}

// fileOf is the file of a delivered message with a name.
func (r *Reader) fileOf(at channels.Address, id, name string) []channels.KeptFile {
	if name == "" {
		return nil
	}
	f, ok := r.o.Files.Find(at.Chat, shelf.SentID(id))
	if !ok {
		f.Name = name
	}
	f.Name = r.o.Redact(f.Name)
	return []channels.KeptFile{f}
}
