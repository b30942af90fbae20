package slack

import "parley/pkg/channels"

// Buttons implements [channels.Buttoner]: whoever reads a message may press, also in
// a direct message and in a thread. The text of a question is one markdown block, or
// sections, above one row of buttons. A text of one part always fits: it has at
// most 3,900 code points, and Slack takes 12,000 in markdown blocks and 50 sections of
// 3,000; a row takes 25 buttons, with labels of 75 and values of 2,000 characters.
func (*Channel) Buttons(channels.Address) bool { return true }
