package telegram_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

func TestSendOneLimitedChatLetsOthersGoOn(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	limited, other := srv.Private(srv.User("Ann")), srv.Private(srv.User("Ben"))
	limited.Flood(37 * time.Second)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			_, err := c.Send(t.Context(), outboxtest.Whole(where(c, limited), "limited"))
			se := channels.ClassOf(err)
			if se.Class != channels.SendRateLimited || se.RetryAfter < 30*time.Second || se.Account {
				t.Errorf("%+v", se)
			}
		})
		wg.Go(func() {
			if _, err := c.Send(t.Context(), outboxtest.Whole(where(c, other), fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(other.Messages()); n != 10 {
		t.Errorf("the other chat has %d messages", n)
	}
	srv.ForgetViolations() // it is Egress that waits
}

// TestSendTellsTheBotsLimitFromAChats: Telegram answers both alike.
func TestSendTellsTheBotsLimitFromAChats(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		limit func(srv *faketelegram.Server, chats []*faketelegram.Chat)
		want  []bool
	}{
		"the bot is limited": {
			limit: func(srv *faketelegram.Server, _ []*faketelegram.Chat) { srv.Bot().Flood(20 * time.Second) },
			want:  []bool{false, false, true, true},
		},
		"each chat is limited for itself": {
			limit: func(_ *faketelegram.Server, chats []*faketelegram.Chat) {
				for i, chat := range chats {
					chat.Flood(time.Duration(10*i+10) * time.Second)
				}
			},
			want: []bool{false, false, false, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			var chats []*faketelegram.Chat
			for i := range tc.want {
				chats = append(chats, srv.Private(srv.User(fmt.Sprintf("User%d", i))))
			}
			tc.limit(srv, chats)
			var got []bool
			for _, chat := range chats {
				_, err := c.Send(t.Context(), outboxtest.Whole(where(c, chat), "text"))
				_, again := c.Send(t.Context(), outboxtest.Whole(where(c, chat), "text"))
				got = append(got, channels.ClassOf(err).Account)
				if channels.ClassOf(again).Account != channels.ClassOf(err).Account {
					t.Error("one chat counts twice")
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("of the account (-want +got):\n%s", diff)
			}
			srv.ForgetViolations()
		})
	}
}

func TestLimitsOfChatsAndGroups(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rates          telegram.Rates
		chat, group    float64
		groupBurst     int
		account        float64
		groupsLikeChat bool
	}{
		"default":       {chat: 1, group: 17.0 / 60, groupBurst: 3, account: 30},
		"none":          {rates: telegram.Rates{PerChat: -1, GroupPerMinute: -1, PerBot: -1}, groupsLikeChat: true},
		"groups alone":  {rates: telegram.Rates{PerChat: -1, GroupPerMinute: 3, PerBot: -1}, group: 0.05, groupBurst: 1},
		"chats slower":  {rates: telegram.Rates{PerChat: 0.1}, chat: 0.1, group: 0.1, groupBurst: 3, account: 30},
		"groups faster": {rates: telegram.Rates{GroupPerMinute: 600}, chat: 1, group: 1, groupBurst: 3, account: 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := faketelegram.New(t)
			l := senderTo(t, srv, func(o *telegram.Options) { o.Rates = tc.rates }).Limits()
			if l.PerChat != tc.chat || l.PerAccount != tc.account || l.Burst != 3 || l.MaxLen != 4096 || l.Len("😀") != 2 {
				t.Errorf("limits %+v", l)
			}
			if tc.groupsLikeChat {
				if l.ChatRate != nil {
					t.Error("groups have a rate of their own")
				}
				return
			}
			if rate, burst := l.ChatRate("-100123"); rate != tc.group || burst != tc.groupBurst {
				t.Errorf("a group has %g, %d", rate, burst)
			}
			if rate, burst := l.ChatRate("123"); rate != tc.chat || burst != 3 {
				t.Errorf("a private chat has %g, %d", rate, burst)
			}
		})
	}
}
