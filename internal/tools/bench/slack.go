package main

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/rig"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// onSlack is a Slack workspace as the platform: a question is handed over when its
// envelope is written to a socket, and answered when its chat.postMessage arrives.
type onSlack struct {
	*wire
	srv    *fakeslack.Server
	polled func()
	opened atomic.Int64 // sockets that were told of
	crowd  crowd[*fakeslack.Chat]
}

func connectSlack(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	p := &onSlack{wire: newWire(), polled: s.polled}
	p.crowd = crowd[*fakeslack.Chat]{all: map[int]*fakeslack.Chat{}, make: p.person}
	if p.srv, err = fakeslack.Start(ctx, fakeslack.Options{Handed: p.handed}); err != nil {
		return c, nil, err
	}
	p.srv.Harm(fakeslack.Rule{Method: "chat.postMessage", If: p.watch})
	team, _, _ := p.srv.Identity()
	s.platform = p
	s.bot = channels.Address{Channel: slack.Name, Account: team}
	c.Slack = &rig.Slack{APIURL: p.srv.URL(), BotToken: p.srv.BotToken(), AppToken: p.srv.AppToken(), Team: team}
	return c, nil, nil
}

func (p *onSlack) close() {
	_ = p.srv.Close() // it is no longer needed
}

// until tells of each socket that has its hello: that is a poll here.
func (p *onSlack) until(ctx context.Context, cond func() bool) error {
	return p.srv.Until(ctx, func() bool {
		if n := int64(p.srv.Opened()); p.opened.Swap(n) < n {
			p.polled()
		}
		return cond()
	})
}

// watch sees every message as it comes and lets it pass.
func (p *onSlack) watch(req fakeslack.Request) bool {
	now := time.Now()
	for _, name := range []string{"blocks", "markdown_text", "text"} { // the text that people see first
		if text := req.Params[name]; text != "" {
			p.sent(req.Chat, text, now)
			break
		}
	}
	return false
}

func (p *onSlack) settled() error { return p.clean(p.srv.Violations()) }

func (p *onSlack) ask(text string, chats ...int) []*ask {
	asks := make([]*ask, len(chats))
	for i, c := range chats {
		chat := p.crowd.chat(c)
		a, says := p.question(chat.ID(), text)
		asks[i] = a
		chat.Say(says)
	}
	return asks
}

func (p *onSlack) person(name string) *fakeslack.Chat { return p.srv.DM(p.srv.User(name)) }

// disturb harms everything that is done in the two chats, not only messages.
func (p *onSlack) disturb() (over func() error) {
	hanging, limited := p.person("Hanging"), p.person("Limited")
	p.srv.Harm(fakeslack.Rule{Chat: hanging.ID(), Fault: fakeslack.Fault{HalfOpen: true}})
	p.srv.Harm(fakeslack.Rule{Chat: limited.ID(), Fault: fakeslack.RateLimited(1)})
	for range fairEach {
		hanging.Say(unheard)
		limited.Say(unheard)
	}
	return func() error {
		var all []attempt
		requests := p.srv.Requests("chat.postMessage")
		for i := range requests {
			all = append(all, attempt{requests[i].Chat, requests[i].Status})
		}
		return disturbed(all, hanging.ID(), limited.ID(), len(hanging.Messages())+len(limited.Messages()))
	}
}
