package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"parley/pkg/events"
	"parley/pkg/httpd"
)

// usage is the use of a turn on the wire.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func usageOf(d *events.Done) usage {
	return usage{d.Usage.Input, d.Usage.Output, d.Usage.Input + d.Usage.Output}
}

// toolCall is a call that the client runs. The index is in streams alone.
type toolCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function calledByName `json:"function"`
}

type calledByName struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// chatWhole answers with the whole completion.
type chatWhole struct {
	assembly

	api       *API
	w         http.ResponseWriter
	chat      string
	id, model string
}

func (c *chatWhole) tell(d events.Data) error {
	c.take(d)
	return nil
}

func (*chatWhole) flush() error { return nil }

func (*chatWhole) beat() error { return nil }

func (c *chatWhole) refuse(f *httpd.Refusal) *httpd.Refusal { return f }

func (c *chatWhole) end() *httpd.Refusal {
	if f := c.problem(); f != nil {
		return f
	}
	c.ask(c.chat)
	type message struct {
		Role    string     `json:"role"`
		Content *string    `json:"content"`
		Refusal *string    `json:"refusal"`
		Calls   []toolCall `json:"tool_calls,omitempty"`
	}
	type choice struct {
		Index    int     `json:"index"`
		Message  message `json:"message"`
		Logprobs *string `json:"logprobs"`
		Finish   string  `json:"finish_reason"`
	}
	m := message{Role: roleAssistant}
	if text := c.text(); text != "" || len(c.calls) == 0 {
		m.Content = &text
	}
	for i := range c.calls {
		call := &c.calls[i]
		m.Calls = append(m.Calls, toolCall{
			ID: call.ID, Type: "function", Function: calledByName{call.Called, string(call.Arguments)},
		})
	}
	return c.api.answer(c.w, struct {
		ID      string   `json:"id"`
		Object  string   `json:"object"`
		Created int64    `json:"created"`
		Model   string   `json:"model"`
		Choices []choice `json:"choices"`
		Usage   usage    `json:"usage"`
	}{
		c.id, "chat.completion", time.Now().Unix(), c.model, []choice{{Message: m, Finish: c.finish()}}, usageOf(c.done),
	})
}

// chatStream answers with the completion as it grows. The stream opens with the first text,
// so that a turn that fails before is an answer with a status.
type chatStream struct {
	assembly

	ctx    context.Context //nolint:containedctx // the stream ends with its request
	w      http.ResponseWriter
	stream *httpd.Stream // nil before it is open
	chat   string
	chunk  chunk
	usage  bool
}

// chunk is one object of the stream.
type chunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []chunkChoice   `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index    int     `json:"index"`
	Delta    delta   `json:"delta"`
	Logprobs *string `json:"logprobs"`
	Finish   *string `json:"finish_reason"`
}

type delta struct {
	Role    string     `json:"role,omitempty"`
	Content *string    `json:"content,omitempty"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
}

func newChatStream(ctx context.Context, w http.ResponseWriter, chat, id string, q *chatRequest) *chatStream {
	c := &chatStream{ctx: ctx, w: w, chat: chat, usage: q.StreamOptions != nil && q.StreamOptions.IncludeUsage}
	c.chunk = chunk{ID: id, Object: "chat.completion.chunk", Created: time.Now().Unix(), Model: q.Model}
	if c.usage {
		c.chunk.Usage = json.RawMessage("null")
	}
	return c
}

// open begins the stream with the role of its author.
func (c *chatStream) open() error {
	if c.stream != nil {
		return nil
	}
	var err error
	if c.stream, err = httpd.BeginStream(c.ctx, c.w); err != nil {
		return err
	}
	empty := ""
	return c.send(delta{Role: roleAssistant, Content: &empty}, "")
}

// send writes a chunk with one choice.
func (c *chatStream) send(d delta, finish string) error {
	if err := c.open(); err != nil {
		return err
	}
	choice := chunkChoice{Delta: d}
	if finish != "" {
		choice.Finish = &finish
	}
	c.chunk.Choices = []chunkChoice{choice}
	return c.data(c.chunk)
}

// data writes a record of the stream.
func (c *chatStream) data(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.stream.Put(append(append([]byte("data: "), body...), "\n\n"...))
}

func (c *chatStream) flush() error {
	if c.stream == nil {
		return nil
	}
	return c.stream.Flush()
}

func (c *chatStream) tell(d events.Data) error {
	c.take(d)
	if c.done != nil {
		return nil // see end
	}
	return c.grow()
}

// grow writes the text that the client lacks.
func (c *chatStream) grow() error {
	piece := c.next()
	if piece == "" {
		return nil
	}
	return c.send(delta{Content: &piece}, "")
}

func (c *chatStream) beat() error {
	if c.stream == nil {
		return errors.Join(c.open(), c.flush())
	}
	return c.stream.Write([]byte(":\n\n"))
}

func (c *chatStream) end() *httpd.Refusal {
	if f := c.problem(); f != nil {
		return c.refuse(f)
	}
	c.ask(c.chat)
	_ = c.close() // a client that is gone needs no end
	return nil
}

// close writes the end of a stream.
func (c *chatStream) close() error {
	if err := c.grow(); err != nil {
		return err
	}
	for i := range c.calls {
		call := &c.calls[i]
		named := toolCall{Index: &i, ID: call.ID, Type: "function", Function: calledByName{Name: call.Called}}
		if err := c.send(delta{Calls: []toolCall{named}}, ""); err != nil {
			return err
		}
		arguments := toolCall{Index: &i, Function: calledByName{Arguments: string(call.Arguments)}}
		if err := c.send(delta{Calls: []toolCall{arguments}}, ""); err != nil {
			return err
		}
	}
	if err := c.send(delta{}, c.finish()); err != nil {
		return err
	}
	if c.usage {
		used, err := json.Marshal(usageOf(c.done))
		if err != nil {
			return err
		}
		c.chunk.Choices, c.chunk.Usage = []chunkChoice{}, used
		if err := c.data(c.chunk); err != nil {
			return err
		}
	}
	return c.stream.Put([]byte("data: [DONE]\n\n")) // it leaves with the end of the request
}

func (c *chatStream) refuse(f *httpd.Refusal) *httpd.Refusal {
	if c.stream == nil {
		return f
	}
	_ = c.data(f.Body()) // a client that is gone needs no end
	return nil
}
