package slack

import (
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
)

const (
	// The longest text of a section in code points.
	maxSection = 3000
	// So many refusals of blocks in a row, none of which says why, mean that the
	// server takes none.
	refusedBlocks = 3
)

// layout are the blocks of a message: its text as one of standard Markdown, which
// Slack lays out, and its buttons in one row below. Where the server has no such
// block the text field alone is the message; above buttons the text stands in
// sections then, because with blocks Slack shows no text field.
func (p *post) layout() []slack.Block {
	if p.plain && len(p.buttons) == 0 {
		return nil
	}
	var blocks []slack.Block
	if p.plain {
		for _, text := range sections(p.native) {
			blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, text, false, true), nil, nil))
		}
	} else {
		blocks = append(blocks, slack.NewMarkdownBlock("", p.block))
	}
	if row := actions(p.buttons); row != nil {
		blocks = append(blocks, row)
	}
	return blocks
}

// actions is the row of buttons, nil for none. Each has an action_id of its own and
// the button's Data for a value.
func actions(buttons []channels.Button) slack.Block {
	if len(buttons) == 0 {
		return nil
	}
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
			piece := runes[:min(len(runes), room)]
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

// withoutBlocks lets p go on without the markdown block, and those behind it too
// where the server has no such thing.
func (c *Channel) withoutBlocks(p *post, refusal *apiError) {
	p.plain = true
	if refusal.says("unsupported type", "unknown type", "invalid block type") || c.out.doubtful.Add(1) >= refusedBlocks {
		if c.out.blocks.off() {
			c.log.Info().Msg("this server takes no markdown blocks: messages go in slack's own markup")
		}
		return
	}
	c.log.Warn().Str("chat", p.to.Chat).Str("error", refusal.Name).Msg("slack could not read the blocks; the text is sent in its own markup")
}
