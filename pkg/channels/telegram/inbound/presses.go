package inbound

import (
	"context"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/rs/zerolog"

	"parley/pkg/channels/telegram/api"
)

const (
	// How many answers run at once; a press beyond them spins until Telegram gives up.
	maxAnswers    = 16
	answerTimeout = 10 * time.Second
)

// presses ends the waiting of the buttons that people pressed.
type presses struct {
	client *api.Client
	log    zerolog.Logger
	work   *sync.WaitGroup
	// slots bounds the answers that run at once.
	slots chan struct{}
}

// answer ends the waiting of a button that was pressed. The press is stored; this
// is for the eye, so it is done beside everything else and not done again.
func (p *presses) answer(ctx context.Context, callback string) {
	select {
	case p.slots <- struct{}{}:
	default:
		p.log.Warn().Msg("a button press is not answered: too many at once")
		return
	}
	p.work.Go(func() {
		defer func() { <-p.slots }()
		ctx, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		if err := p.client.Call(ctx, "answerCallbackQuery", tgbotapi.Params{"callback_query_id": callback}, nil); err != nil {
			p.log.Debug().Err(err).Msg("a button press is not answered")
		}
	})
}
