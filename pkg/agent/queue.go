package agent

import (
	"context"

	"parley/pkg/channels"
	"parley/pkg/tools"
)

// queued is a message that a call wants sent: a text, or a file with a caption.
type queued struct {
	text string
	file *channels.File
}

// maxMessagesPerCall bounds what one call may send.
const maxMessagesPerCall = 10

// QueueMessage takes a message that a tool sends to its own chat. It leaves
// when the call has ended, in one transaction with the call's result.
func (a *Agent) QueueMessage(ctx context.Context, channel, chatID, text string) error {
	r, key, err := a.callOf(ctx)
	if err != nil {
		return err
	}
	if r.task != nil {
		return errSpeaks()
	}
	if channel != r.info.Address.Channel || chatID != r.info.Address.Chat {
		return tools.Fail(tools.ErrPermissionDenied, "a message can be sent to its own chat only", nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending[key]) >= maxMessagesPerCall {
		return tools.Fail(tools.ErrExecutionFailed, "too many messages from one call", nil)
	}
	r.pending[key] = append(r.pending[key], queued{text: text})
	return nil
}

// QueueFile takes the one file that a call sends to its own chat, with Markdown
// as its caption. It calls keep with the id that the message will have, to put the
// content where it stays until the message has left; what was kept of a file that
// is not taken is nobody's, and found at the next start. The message leaves when
// the call has ended, in one transaction with the call's result.
func (a *Agent) QueueFile(ctx context.Context, caption string, keep func(outboundID string) (channels.File, error)) error {
	r, key, err := a.callOf(ctx)
	if err != nil {
		return err
	}
	if r.task != nil {
		return errSpeaks()
	}
	file, err := keep(r.fileID(key))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // the call has its result already
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[key] = append(r.pending[key], queued{text: caption, file: &file})
	return nil
}

// callOf finds the turn that a call belongs to, and the call's key within it.
func (a *Agent) callOf(ctx context.Context) (*run, string, error) {
	inv := tools.InvocationFrom(ctx)
	a.mu.Lock()
	r := a.runs[inv.Turn]
	a.mu.Unlock()
	if r == nil {
		return nil, "", tools.Fail(tools.ErrExecutionFailed, "this can be done only while a turn of its chat runs", nil)
	}
	return r, inv.Key[len(inv.Turn)+1:], nil
}

// fileID is the id of the message with the file of a call.
func (r *run) fileID(key string) string { return r.info.ID + "/" + key + "/file" }

func (r *run) takePending(key string) []queued {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.pending[key]
	delete(r.pending, key)
	return all
}
