package telegram

import "parley/pkg/channels/telegram/markup"

// Split implements [channels.Splitter]: it turns Markdown into Telegram's HTML,
// cut between blocks where it can be, each part complete by itself. A text with
// nothing to see has no parts.
func (c *Channel) Split(text string) []string { return markup.Render(text, maxText) }
