package telegram

import (
	"context"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
)

// Typing implements [channels.Typer]. Telegram shows it for five seconds, or until
// the bot's next message.
func (c *Channel) Typing(ctx context.Context, to channels.Address) error {
	params := tgbotapi.Params{"chat_id": to.Chat, "action": tgbotapi.ChatTyping}
	params.AddNonEmpty("message_thread_id", to.Thread)
	if err := c.client.call(ctx, "sendChatAction", params, nil); err != nil {
		return c.sendError(to.Chat, err)
	}
	return nil
}
