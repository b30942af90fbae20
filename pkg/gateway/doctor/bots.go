package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
)

// channelTelegram is the channel of the bots in an address.
const channelTelegram = "telegram"

// maxConversations is how many conversations are looked through.
const maxConversations = 20_000

// errEnough ends a look that has seen enough.
var errEnough = errors.New("enough was seen")

// otherBot is the finding that the conversations of a platform are with other bots than those of the
// configuration: each person would begin anew with this one. False where that is not so, or not known.
func (p platforms) otherBot(ctx context.Context, bot *config.TelegramAccount) (Finding, bool) {
	own := map[string]bool{}
	for _, b := range p.setup.cfg.Channels.Telegram.Bots() {
		own[b.BotID()] = true
	}
	others, seen, mine := map[string]bool{}, 0, false
	err := admin.Ask(ctx, p.setup.cfg.StateDir, admin.ListSessions(), admin.Request{}, func(raw json.RawMessage) error {
		var row struct{ Address channels.Address }
		if err := json.Unmarshal(raw, &row); err != nil {
			return err
		}
		if seen++; seen > maxConversations {
			return errEnough
		}
		switch at := row.Address; {
		case at.Channel != channelTelegram:
		case at.Account == bot.BotID():
			mine = true
		case !own[at.Account]:
			others[at.Account] = true
		}
		return nil
	}, func(ctx context.Context, take func(json.RawMessage) error) error {
		o := gateway.Options{LookupEnv: p.setup.o.LookupEnv, Redactor: p.setup.redactor, Log: zerolog.Nop()}
		return gateway.Operate(ctx, p.setup.cfg, o, admin.ListSessions(), &admin.Request{}, take)
	})
	if err != nil || mine || len(others) == 0 { // the store has a check of its own
		return Finding{}, false
	}
	said := fmt.Sprintf(textOtherBot, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	return Finding{botName(bot), Warn, said, fmt.Sprintf(textOtherBotCure, p.botKey(bot))}, true
}
