package outbound

import (
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/markup"
)

// Rates are messages a second in a chat, a minute in a group, a second for the
// bot. Zero means no limit.
type Rates struct{ PerChat, GroupPerMinute, PerBot float64 }

// chatBurst is how many messages may go to a chat at once.
const chatBurst = 3

// limits is r as [channels.Egress] reads it. A group has its limit by the minute, and
// each minute keeps it: the burst and the tokens of a minute are the limit together.
// Where the limit of every chat is lower, that one holds.
func (r Rates) limits() channels.Limits {
	l := channels.Limits{
		MaxLen: maxText, Len: markup.Units, MaxFile: maxUpload, MaxPhoto: maxPhoto,
		PerChat: r.PerChat, PerAccount: r.PerBot, Burst: chatBurst,
	}
	if r.GroupPerMinute <= 0 {
		return l
	}
	burst, perSecond := chatBurst, (r.GroupPerMinute-chatBurst)/60
	if r.GroupPerMinute <= chatBurst {
		burst, perSecond = 1, r.GroupPerMinute/60
	}
	l.ChatRate = func(chat string) (float64, int) {
		if isPrivate(channels.Address{Chat: chat}) || r.PerChat > 0 && r.PerChat < perSecond {
			return r.PerChat, chatBurst
		}
		return perSecond, burst
	}
	return l
}
