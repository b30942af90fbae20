package main

import (
	"context"
	"strconv"
	"time"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/channels"
)

// onTelegram is a Telegram server as the platform.
type onTelegram struct {
	*wire
	tg     *faketelegram.Server
	polled func()
	crowd  crowd[*faketelegram.Chat]
}

func connectTelegram(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	p := &onTelegram{wire: newWire(), polled: s.polled}
	p.crowd = crowd[*faketelegram.Chat]{all: map[int]*faketelegram.Chat{}, make: p.person}
	if p.tg, err = faketelegram.Start(ctx, faketelegram.Options{Handed: p.handed}); err != nil {
		return c, nil, err
	}
	p.tg.Harm(faketelegram.Rule{If: p.watch})
	s.platform = p
	s.bot = channels.Address{Channel: "telegram", Account: strconv.FormatInt(p.tg.Bot().ID(), 10)}
	c.Telegram = &rig.Telegram{APIURL: p.tg.URL(), Token: p.tg.Token()}
	return c, nil, nil
}

func (p *onTelegram) close() {
	_ = p.tg.Close() // it is no longer needed
}

func (p *onTelegram) until(ctx context.Context, cond func() bool) error { return p.tg.Until(ctx, cond) }

// watch sees every request as it comes and lets it pass.
func (p *onTelegram) watch(req faketelegram.Request) bool {
	now := time.Now()
	switch req.Method {
	case "getUpdates":
		p.polled()
	case "sendMessage":
		p.sent(strconv.FormatInt(req.Chat, 10), req.Params["text"], now)
	}
	return false
}

func (p *onTelegram) settled() error { return p.clean(p.tg.Violations()) }

func (p *onTelegram) ask(text string, chats ...int) []*ask {
	asks := make([]*ask, len(chats))
	for i, c := range chats {
		chat := p.crowd.chat(c)
		a, says := p.question(strconv.FormatInt(chat.ID(), 10), text)
		asks[i] = a
		chat.Say(says)
	}
	return asks
}

func (p *onTelegram) person(name string) *faketelegram.Chat { return p.tg.Private(p.tg.User(name)) }

// disturb harms everything that is done in the two chats, not only messages.
func (p *onTelegram) disturb() (over func() error) {
	hanging, limited := p.person("Hanging"), p.person("Limited")
	p.tg.Harm(faketelegram.Rule{Chat: hanging.ID(), Fault: faketelegram.Fault{HalfOpen: true}})
	p.tg.Harm(faketelegram.Rule{Chat: limited.ID(), Fault: faketelegram.TooManyRequests(1)})
	for range fairEach {
		hanging.Say(unheard)
		limited.Say(unheard)
	}
	return func() error {
		var all []attempt
		requests := p.tg.Requests("sendMessage")
		for i := range requests {
			all = append(all, attempt{strconv.FormatInt(requests[i].Chat, 10), requests[i].Status})
		}
		return disturbed(all, strconv.FormatInt(hanging.ID(), 10),
			strconv.FormatInt(limited.ID(), 10), len(hanging.Messages())+len(limited.Messages()))
	}
}
