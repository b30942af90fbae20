package telegram

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
)

const (
	// As many as can be read on a phone.
	buttonsInARow = 3
	// How many answers run at once; a press beyond them spins until Telegram gives up.
	maxAnswers    = 16
	answerTimeout = 10 * time.Second
)

// Buttons implements [channels.Buttoner]: wherever the bot may write, whoever reads
// it may press.
func (c *Channel) Buttons(channels.Address) bool { return true }

// keyboard is the reply_markup with buttons; "" for none.
func keyboard(buttons []channels.Button) string {
	type key struct {
		Text string `json:"text"`
		Data string `json:"callback_data"`
	}
	var rows [][]key
	for chunk := range slices.Chunk(buttons, buttonsInARow) {
		var row []key
		for _, b := range chunk {
			row = append(row, key{Text: b.Label, Data: b.Data})
		}
		rows = append(rows, row)
	}
	if rows == nil {
		return ""
	}
	text, err := json.Marshal(struct {
		Rows [][]key `json:"inline_keyboard"`
	}{rows})
	if err != nil {
		return ""
	}
	return string(text)
}

// answer ends the waiting of a button that was pressed. The press is stored; this
// is for the eye, so it is done beside everything else and not done again.
func (c *Channel) answer(ctx context.Context, callback string) {
	select {
	case c.answers <- struct{}{}:
	default:
		c.log.Warn().Msg("a button press is not answered: too many at once")
		return
	}
	c.work.Go(func() {
		defer func() { <-c.answers }()
		ctx, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		if err := c.client.call(ctx, "answerCallbackQuery", tgbotapi.Params{"callback_query_id": callback}, nil); err != nil {
			c.log.Debug().Err(err).Msg("a button press is not answered")
		}
	})
}
