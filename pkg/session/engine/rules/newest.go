package rules

import (
	"cmp"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// Newest are the chats of an account whose names begin with that of an address, those that were
// active last, up to limit of them. Of the others it keeps nothing while it looks.
func Newest(t *table.Tx, of channels.Address, limit int) []session.Info {
	var all []table.Named
	newest := func(most int) {
		slices.SortFunc(all, func(a, b table.Named) int { return cmp.Or(b.Active.Compare(a.Active), cmp.Compare(b.Chat, a.Chat)) })
		all = all[:min(most, len(all))]
	}
	table.EachNamed(t, of.Channel, of.Account, of.Chat, func(c table.Named) {
		if (channels.Address{Chat: c.Name}).Passing() {
			return
		}
		if all = append(all, c); len(all) >= 2*limit {
			newest(limit)
		}
	})
	newest(limit)
	out := make([]session.Info, 0, len(all))
	for i := range all {
		if c, err := table.ReadChat(t, all[i].Chat); err == nil {
			out = append(out, table.InfoOf(t, all[i].Chat, c))
		}
	}
	return out
}
