package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/visible"
)

// object is a JSON object of the protocol.
type object = map[string]any

// response answers with the items of a turn: whole, or as a stream of what happens to them.
type response struct {
	assembly

	api    *API
	ctx    context.Context //nolint:containedctx // the stream ends with its request
	w      http.ResponseWriter
	stream *httpd.Stream // nil before it is open
	q      *responseRequest

	id      string
	created int64
	seq     int
	output  []object
	// text is the index of the message that grows, or -1; said is its text.
	text int
	said strings.Builder
	// told are the calls of the gateway that have not begun, running those that have.
	told    map[string]events.Call
	running map[string]int
}

func newResponse(ctx context.Context, a *API, w http.ResponseWriter, p *place, q *responseRequest) *response {
	return &response{
		api: a, ctx: ctx, w: w, q: q, id: p.responseID(), created: time.Now().Unix(), text: -1,
		told: map[string]events.Call{}, running: map[string]int{}, output: []object{},
	}
}

// serverLabel stands for the gateway among the servers of tools.
const serverLabel = "parley"

// tell implements [writer].
func (r *response) tell(d events.Data) error {
	r.take(d)
	if r.done != nil {
		return nil // see end
	}
	if err := r.grow(); err != nil {
		return err
	}
	switch d := d.(type) {
	case events.Call:
		if d.Run == events.RunServer {
			r.told[d.ID] = d
		}
		return r.closeText()
	case events.Executing:
		return r.begin(d.ID)
	case events.Result:
		return r.result(&d)
	case events.Question:
		return r.question(&d)
	default:
		return nil
	}
}

// beat implements [writer].
func (r *response) beat() error {
	if !r.q.Stream {
		return nil
	}
	if r.stream == nil {
		return errors.Join(r.open(), r.flush())
	}
	return r.stream.Write([]byte(":\n\n"))
}

// open begins the stream.
func (r *response) open() error {
	if r.stream != nil || !r.q.Stream {
		return nil
	}
	var err error
	if r.stream, err = httpd.BeginStream(r.ctx, r.w); err != nil {
		return err
	}
	for _, name := range []string{"response.created", "response.in_progress"} {
		if err := r.send(name, object{"response": r.whole("in_progress")}); err != nil {
			return err
		}
	}
	return nil
}

// send writes an event of the stream.
func (r *response) send(name string, body object) error {
	if err := r.open(); err != nil || r.stream == nil {
		return err
	}
	body["type"], body["sequence_number"] = name, r.seq
	r.seq++
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return r.stream.Put(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data))
}

func (r *response) flush() error {
	if r.stream == nil {
		return nil
	}
	return r.stream.Flush()
}

// add begins an item, and gives its index.
func (r *response) add(item object) (int, error) {
	if err := r.open(); err != nil { // before the item, which the first events lack
		return 0, err
	}
	r.output = append(r.output, item)
	at := len(r.output) - 1
	return at, r.send("response.output_item.added", object{"output_index": at, "item": item})
}

// finished ends an item.
func (r *response) finished(at int) error {
	return r.send("response.output_item.done", object{"output_index": at, "item": r.output[at]})
}

// itemID is the id of the next item.
func itemID(r *response, kind string) string {
	return fmt.Sprintf("%s_%s_%d", kind, strings.TrimPrefix(r.id, responsePrefix), len(r.output))
}

// grow adds the text that the client lacks to the message that grows.
func (r *response) grow() error {
	piece := r.next()
	if r.text < 0 {
		if piece = strings.TrimLeft(piece, "\n"); piece == "" {
			return nil
		}
		item := object{"id": itemID(r, "msg"), "type": "message", "role": roleAssistant, "status": "in_progress", "content": []object{}}
		at, err := r.add(item)
		if err != nil {
			return err
		}
		r.text = at
		if err := r.send("response.content_part.added", part(r, object{"part": textPart("")})); err != nil {
			return err
		}
	}
	if piece == "" {
		return nil
	}
	r.said.WriteString(piece)
	return r.send("response.output_text.delta", part(r, object{"delta": piece, "logprobs": []object{}}))
}

// part is an event of the one part of the message that grows.
func part(r *response, body object) object {
	body["item_id"], body["output_index"], body["content_index"] = r.output[r.text]["id"], r.text, 0
	return body
}

func textPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []object{}, "logprobs": []object{}}
}

// closeText ends the message that grows.
func (r *response) closeText() error {
	if r.text < 0 {
		return nil
	}
	at, text := r.text, r.said.String()
	if err := r.send("response.output_text.done", part(r, object{"text": text, "logprobs": []object{}})); err != nil {
		return err
	}
	if err := r.send("response.content_part.done", part(r, object{"part": textPart(text)})); err != nil {
		return err
	}
	r.output[at]["status"], r.output[at]["content"] = "completed", []object{textPart(text)}
	r.text = -1
	r.said.Reset()
	return r.finished(at)
}

// begin shows a call of the gateway that runs.
func (r *response) begin(id string) error {
	c, ok := r.told[id]
	if !ok {
		return nil
	}
	delete(r.told, id)
	item := object{
		"id": itemID(r, "mcp"), "type": "mcp_call", "server_label": serverLabel, "name": c.Called, "arguments": "",
		"status": "in_progress", "output": nil, "error": nil,
	}
	at, err := r.add(item)
	if err != nil {
		return err
	}
	r.running[id] = at
	if err := r.send("response.mcp_call.in_progress", of(r, at, object{})); err != nil {
		return err
	}
	if err := r.send("response.mcp_call_arguments.delta", of(r, at, object{"delta": string(c.Arguments)})); err != nil {
		return err
	}
	item["arguments"] = string(c.Arguments)
	return r.send("response.mcp_call_arguments.done", of(r, at, object{"arguments": string(c.Arguments)}))
}

// of is an event of an item.
func of(r *response, at int, body object) object {
	body["item_id"], body["output_index"] = r.output[at]["id"], at
	return body
}

// result shows the result of a call of the gateway.
func (r *response) result(d *events.Result) error {
	if err := r.begin(d.ID); err != nil { // one that was refused has not begun
		return err
	}
	at, ok := r.running[d.ID]
	if !ok {
		return nil
	}
	delete(r.running, d.ID)
	item, name := r.output[at], "response.mcp_call.completed"
	item["status"], item["output"] = "completed", d.Result
	if d.IsError {
		name = "response.mcp_call.failed"
		item["status"], item["output"], item["error"] = "failed", nil, d.Result
	}
	if err := r.send(name, of(r, at, object{})); err != nil {
		return err
	}
	return r.finished(at)
}

// question shows a call that a person has to allow.
func (r *response) question(d *events.Question) error {
	c := r.told[d.ToolCallID]
	delete(r.told, d.ToolCallID)
	spelled := string(d.Arguments)
	if spelled == "" {
		spelled = string(c.Arguments)
	}
	at, err := r.add(object{
		"id": d.ID, "type": "mcp_approval_request", "server_label": serverLabel, "name": d.Called,
		"arguments": visible.JSON(spelled),
	})
	if err != nil {
		return err
	}
	return r.finished(at)
}

// called shows a call that the client has to run.
func (r *response) called(c *events.Call) error {
	item := object{
		"id": itemID(r, "fc"), "type": "function_call", "call_id": c.ID, "name": c.Called, "arguments": "", "status": "in_progress",
	}
	at, err := r.add(item)
	if err != nil {
		return err
	}
	spelled := string(c.Arguments)
	if err := r.send("response.function_call_arguments.delta", of(r, at, object{"delta": spelled})); err != nil {
		return err
	}
	item["arguments"], item["status"] = spelled, "completed"
	done := of(r, at, object{"arguments": spelled, "name": c.Called})
	if err := r.send("response.function_call_arguments.done", done); err != nil {
		return err
	}
	return r.finished(at)
}

// end implements [writer].
func (r *response) end() *httpd.Refusal {
	if f := r.problem(); f != nil {
		return r.refuse(f)
	}
	if closeAll(r) != nil {
		return nil // a client that is gone needs no end
	}
	status := statusOf(r.done)
	if !r.q.Stream {
		return r.api.answer(r.w, r.whole(status))
	}
	_ = r.send("response."+status, object{"response": r.whole(status)})
	return nil
}

// statusOf is the word for the end of a turn.
func statusOf(d *events.Done) string {
	if s := d.Stop; s == events.StopLength || s == events.StopFiltered {
		return "incomplete"
	}
	return "completed"
}

// show answers with the response as it ended, also where it failed.
func (r *response) show() *httpd.Refusal {
	if err := closeAll(r); err != nil {
		return r.api.fault(err)
	}
	whole := r.whole(statusOf(r.done))
	switch f := r.problem(); {
	case f != nil:
		whole["status"], whole["error"] = "failed", object{"code": "server_error", "message": f.Message}
	case r.done.Stop == events.StopStopped:
		whole["status"] = "cancelled"
	}
	return r.api.answer(r.w, whole)
}

// closeAll ends all items.
func closeAll(r *response) error {
	if err := r.grow(); err != nil {
		return err
	}
	if err := r.closeText(); err != nil {
		return err
	}
	for i := range r.calls {
		if err := r.called(&r.calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// refuse implements [writer].
func (r *response) refuse(f *httpd.Refusal) *httpd.Refusal {
	if r.stream == nil {
		return f
	}
	failed := r.whole("failed")
	failed["error"] = object{"code": "server_error", "message": f.Message}
	_ = r.send("response.failed", object{"response": failed}) // a client that is gone needs no end
	return nil
}

// whole is the response as it is now.
func (r *response) whole(status string) object {
	o := object{
		"id": r.id, "object": "response", "created_at": r.created, "status": status, "error": nil, "incomplete_details": nil,
		"instructions": nil, "metadata": object{}, "model": r.q.Model, "output": slices.Clone(r.output), "parallel_tool_calls": true,
		"previous_response_id": nil, "temperature": nil, "top_p": nil, "tool_choice": "auto", "tools": []object{},
	}
	if r.q.Instructions != "" {
		o["instructions"] = r.q.Instructions
	}
	if r.q.Previous != "" {
		o["previous_response_id"] = r.q.Previous
	}
	var tools []object
	if json.Unmarshal(r.q.Tools, &tools) == nil && len(tools) > 0 {
		for _, t := range tools {
			if _, told := t["strict"]; !told {
				t["strict"] = false
			}
		}
		o["tools"] = tools
	}
	if status == "incomplete" {
		o["incomplete_details"] = object{"reason": map[string]string{
			events.StopLength: "max_output_tokens", events.StopFiltered: "content_filter",
		}[r.done.Stop]}
	}
	if r.done != nil {
		u := usageOf(r.done)
		o["usage"] = object{
			"input_tokens": u.Prompt, "output_tokens": u.Completion, "total_tokens": u.Total,
			"input_tokens_details":  object{"cached_tokens": 0, "cache_write_tokens": 0},
			"output_tokens_details": object{"reasoning_tokens": 0},
		}
	}
	return o
}
