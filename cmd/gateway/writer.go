package main

import (
	"context"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/telegram"
	"parley/pkg/policy"
)

// operatorID is the console's one person, and the id of its one chat.
const operatorID = "local"

// writer is a message of the person who writes in a chat, as far as its address
// tells: it decides on the rights of the chat. A group has no such person.
func (a *App) writer(ctx context.Context, at channels.Address) (policy.Event, error) {
	e := policy.Event{Kind: policy.KindMessage, Address: at, Sender: channels.Sender{ID: at.Chat}, Direct: true, Mentioned: true}
	switch at.Channel {
	case telegram.Name:
		e.Direct = !strings.HasPrefix(at.Chat, "-")
	case slack.Name: // a direct chat has an id of its own there: only of a pair is it known whose it is
		e.Direct = strings.HasPrefix(at.Chat, "D")
		e.Sender.ID = ""
		pairs, _, err := a.engine.Pairs().PairList(ctx)
		if err != nil {
			return e, err
		}
		for i := range pairs {
			if p := &pairs[i]; p.Address.Channel == at.Channel && p.Address.Account == at.Account && p.Address.Chat == at.Chat {
				e.Sender = p.Sender
			}
		}
	}
	if !e.Direct {
		e.Sender.ID = ""
	}
	return e, nil
}
