package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/openat"
	"parley/pkg/providers"
	"parley/pkg/session"
)

const (
	// How much of a file of the chat's space goes into the prompt, in bytes.
	maxFile = 8 << 10
	// MaxRules bounds the same of the operator's instructions, in bytes.
	MaxRules = 32 << 10
)

// system is the instructions of a turn: the operator's, what the chat's files
// remember, and the few facts that the model cannot know. It changes once a
// day, so that model servers can cache it.
func (r *run) system(ctx context.Context) (providers.Message, error) {
	r.at(stageFiles)
	read, err := r.readFiles(ctx)
	if err != nil {
		return providers.Message{}, err
	}
	parts := make([]string, 0, 16) // joined at once: hundreds of turns hold one of these
	if s := strings.TrimSpace(read.agent); s != "" {
		parts = append(parts, cut(s, MaxRules), "\n\n")
	}
	if read.user != "" {
		parts = append(parts, "# USER.md\n", read.user, "\n\n")
	}
	if read.memory != "" {
		parts = append(parts, "# MEMORY.md\n", read.memory, "\n\n")
	}
	parts = append(parts, "Today is ", r.today(), ". ")
	if r.task != nil {
		parts = append(parts, agentPrompt)
		return providers.Message{Role: providers.RoleSystem, Content: strings.Join(parts, "")}, nil
	}
	parts = append(parts, "You are talking on the channel ", r.info.Address.Channel, ". ",
		"Answer "+noReply+" alone when there is nothing to say and either nobody asked or you have already sent a message.")
	return providers.Message{Role: providers.RoleSystem, Content: strings.Join(parts, "")}, nil
}

// readHeads reads the first bytes of files of the chat's space. A link, a pipe or a
// folder there reads as empty, and the log says why.
func (r *run) readHeads(names ...string) []string {
	texts := make([]string, len(names))
	root, err := os.OpenRoot(r.space)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.log().Warn().Err(err).Msg("the files of the chat's space are no part of the prompt")
		}
		return texts
	}
	defer func() { _ = root.Close() }()
	for i, name := range names {
		b, err := openat.Head(root, name, maxFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.log().Warn().Err(err).Str("file", name).Msg("a file of the chat's space is no part of the prompt")
		}
		texts[i] = strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
	}
	return texts
}

// userMessages are items as the model reads them, one message each, with what
// became of their files; nil where none was fetched. Late ones say how old they
// are, and the turn's answer will.
func (r *run) userMessages(items []session.Item, files [][]Fetched) []providers.Message {
	out := make([]providers.Message, 0, len(items))
	for i := range items {
		var own []Fetched
		if files != nil {
			own = files[i]
		}
		m := userMessage(items[i], own)
		if late := lateness(items[i], r.began); late > 0 {
			r.noteLate(late)
			m.Content = lateMark(items[i]) + channels.Ago(late) + "]\n" + m.Content
		}
		if late := overdue(items[i], r.wall); late > 0 {
			r.noteLate(late)
			m.Content = "[this was due " + channels.Ago(late) + "]\n" + m.Content
		}
		out = append(out, m)
	}
	return out
}

// lateMark begins what tells the model that an item is late.
func lateMark(it session.Item) string {
	if it.Inbound == nil {
		return "[this is from "
	}
	return "[this message was sent "
}

func userMessage(it session.Item, files []Fetched) providers.Message {
	if it.Inbound == nil {
		return providers.Message{Role: providers.RoleUser, Content: it.Text}
	}
	in := it.Inbound
	m := providers.Message{Role: providers.RoleUser}
	text := in.Text
	for i, a := range in.Attachments {
		about := a.About
		if i < len(files) && files[i].Outcome != "" {
			about += ", " + files[i].Outcome
		}
		text = strings.TrimPrefix(text+"\n["+about+"]", "\n")
		if i < len(files) && files[i].Picture != nil {
			m.Images = append(m.Images, *files[i].Picture)
		}
	}
	if in.Kind == channels.KindEdit && strings.TrimSpace(text) != "" && !isCommand(in.Text) {
		text = "(edited) " + text
	}
	if !in.Direct && in.Sender.Name != "" {
		text = in.Sender.Name + ": " + text
	}
	if in.Quote != "" {
		text = "> " + strings.ReplaceAll(in.Quote, "\n", "\n> ") + "\n\n" + text
	}
	if strings.TrimSpace(text) == "" {
		text = "(a message without text)"
	}
	m.Content = text
	return m
}

func itoa(n int) string { return strconv.Itoa(n) }
