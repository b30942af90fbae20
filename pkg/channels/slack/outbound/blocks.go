package outbound

import (
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
)

const (
	// The longest text of a section in code points.
	maxSection = 3000
	// So many refusals of blocks in a row, without a reason, mean that the server takes
	// none.
	refusedBlocks = 3
)

// layout are the blocks of a message: its text as one of standard Markdown, which Slack
// lays out. Where the server has no such block the text field alone is the message.
// Above buttons the text stands in sections, in Slack's own markup: its documentation
// says how each character is shown, in code too, and the person must have seen the
// question. With blocks Slack shows no text field.
func (p *post) layout() []slack.Block {
	switch {
	case len(p.buttons) > 0:
		var blocks []slack.Block
		for _, text := range sections(p.native) {
			blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, text, false, true), nil, nil))
		}
		return append(blocks, actions(p.buttons))
	case p.plain:
		return nil
	default:
		return []slack.Block{slack.NewMarkdownBlock("", p.block)}
	}
}

// actions is the row of buttons. Each has an action_id of its own and the button's
// Data for a value.
func actions(buttons []channels.Button) slack.Block {
	var row []slack.BlockElement
	for i, b := range buttons {
		label := slack.NewTextBlockObject(slack.PlainTextType, b.Label, false, false)
		row = append(row, slack.NewButtonBlockElement("button_"+strconv.Itoa(i), b.Data, label))
	}
	return slack.NewActionBlock("", row...)
}

// fence begins and ends a block of code in Slack's own markup.
const fence = "```"

// sections cuts a text in Slack's own markup between lines, and closes and opens a
// block of code again where it is cut.
func sections(text string) []string {
	const room = maxSection - 2*(len(fence)+1)
	var all []string
	var b strings.Builder
	n, code := 0, false
	flush := func() {
		if n == 0 {
			return
		}
		if code {
			b.WriteString("\n" + fence)
		}
		if s := strings.Trim(b.String(), "\n"); s != "" {
			all = append(all, s)
		}
		b.Reset()
		if n = 0; code {
			b.WriteString(fence + "\n")
		}
	}
	for line := range strings.Lines(text) {
		for runes := []rune(line); len(runes) > 0; {
			if n+len(runes) > room && n > 0 {
				flush()
			}
			piece := runes[:whole(runes, room)]
			runes = runes[len(piece):]
			b.WriteString(string(piece))
			n += len(piece)
		}
		if strings.Count(line, fence)%2 == 1 {
			code = !code
		}
	}
	flush()
	return all
}

// whole is how many of the runes, at most room, are cut off so that no entity is cut.
func whole(runes []rune, room int) int {
	const longest = len("&amp;")
	if len(runes) <= room {
		return len(runes)
	}
	for at := room - 1; at > room-longest; at-- {
		switch runes[at] {
		case ';':
			return room
		case '&':
			return at
		}
	}
	return room
}

// withoutBlocks lets p go on without the markdown block, and those behind it too
// where the server has no such thing.
func (o *poster) withoutBlocks(p *post, refusal *api.Error) {
	p.plain = true
	one := refusal.Has("msg_blocks_too_long") // of this message alone
	if refusal.Says("unsupported type", "unknown type", "invalid block type") || !one && o.doubtful.Add(1) >= refusedBlocks {
		if o.blocks.off() {
			o.log.Info().Msg("this server takes no markdown blocks: messages go in slack's own markup")
		}
		return
	}
	o.log.Warn().Str("chat", p.to.Chat).Str("error", refusal.Name).Msg("slack could not read the blocks; the text is sent in its own markup")
}
