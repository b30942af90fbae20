package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/pkg/channels"
)

// loop is the test channel's platform.
type loop struct {
	*server.Server

	onSend atomic.Pointer[func(req loopchat.SendRequest) server.Fault]
}

func connectLoop(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	l := &loop{}
	l.Server, err = server.New(ctx, server.Options{OnSend: l.fault, OnPoll: func(int) server.Fault {
		s.polled()
		return server.Fault{}
	}})
	if err != nil {
		return c, nil, err
	}
	s.platform, s.bot = l, channels.Address{Channel: loopchat.Name, Account: "bot"}
	return c, []string{"PARLEY_TEST_CHANNEL=" + l.URL, "PARLEY_TEST_EFFECTS=" + filepath.Join(s.dir, "effects")}, nil
}

func (l *loop) fault(_ int, req loopchat.SendRequest) server.Fault {
	if f := l.onSend.Load(); f != nil {
		return (*f)(req)
	}
	return server.Fault{}
}

func (l *loop) close() {
	_ = l.Close() // it is no longer needed
}

func (l *loop) until(ctx context.Context, cond func() bool) error { return l.Until(ctx, cond) }

func (l *loop) ask(text string, chats ...int) []*ask {
	questions := make([]server.Question, len(chats))
	for i, c := range chats {
		questions[i] = server.Question{Chat: chatName(c), Text: text}
	}
	asks := make([]*ask, len(chats))
	for i, a := range l.AskAll(questions) {
		asks[i] = &ask{nonce: a.Nonce, handed: &a.Handed, answered: &a.Answered, done: a.Done()}
	}
	return asks
}

func (l *loop) settled() error {
	r := l.Report()
	if r.Asked != r.Answered || r.Duplicates+r.Inversions+r.Misrouted+r.Phantoms > 0 {
		return fmt.Errorf("%w: %+v", errLedger, r)
	}
	return nil
}

func (l *loop) disturb() (over func() error) {
	const hanging, limited = "hanging", "limited"
	release := make(chan struct{})
	var mu sync.Mutex
	var all []attempt
	seen := func(chat string, status int) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, attempt{chat, status})
	}
	f := func(req loopchat.SendRequest) server.Fault {
		switch req.Chat {
		case hanging:
			seen(req.Chat, 0)
			<-release
			return server.Fault{Status: 500}
		case limited:
			seen(req.Chat, http.StatusTooManyRequests)
			return server.Fault{Status: 429, RetryAfter: time.Second}
		}
		return server.Fault{}
	}
	l.onSend.Store(&f)
	for range fairEach {
		l.Say(hanging, unheard)
		l.Say(limited, unheard)
	}
	return func() error {
		close(release)
		mu.Lock()
		defer mu.Unlock()
		return disturbed(all, hanging, limited, len(l.Messages(hanging))+len(l.Messages(limited)))
	}
}
