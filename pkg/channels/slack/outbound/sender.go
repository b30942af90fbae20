package outbound

import (
	"context"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/channels/wire"
)

// The words of Options.Stream.
const (
	StreamAuto   = "auto"
	StreamEdit   = "edit"
	StreamNative = "native"
	StreamOff    = "off"
)

// Options say how messages leave. API is required.
type Options struct {
	API *api.Client
	// Team is the workspace of the app.
	Team string
	// Stream says how an answer shows while it grows: one of the Stream words.
	Stream string
	// PerChannel is messages a second in one channel; 0 is no limit.
	PerChannel float64
	Log        zerolog.Logger
}

// Sender is the way out of one app in one workspace. It keeps its memory in the process
// alone: a restart begins without.
type Sender struct {
	opt      Options
	poster   *poster
	streams  *streams
	live     *live
	activity *activity
	uploader *uploader
	commands *commands
}

// New makes the way out of an app.
func New(o Options) *Sender {
	paces := &wire.Paces[spot]{}
	a := &activity{client: o.API, log: o.Log, marks: &marks{client: o.API, log: o.Log}}
	s := &streams{client: o.API, log: o.Log, mode: o.Stream, team: o.Team, author: a.author, paces: paces}
	p := &poster{client: o.API, log: o.Log, streams: s}
	return &Sender{
		opt: o, poster: p, streams: s, activity: a,
		live:     &live{poster: p, streams: s, paces: paces},
		uploader: &uploader{client: o.API, poster: p, answered: a.answered},
		commands: &commands{client: o.API, log: o.Log},
	}
}

// Close waits for the calls that are made beside the sends, and takes away the
// reactions that are left: after a restart they are unknown.
func (s *Sender) Close(ctx context.Context) { s.activity.marks.closeAll(ctx) }

// Heard remembers a message that was let in, once it is stored: it shows that the bot
// is at work, and a stream is for its sender.
func (s *Sender) Heard(at channels.Address, ts, user string) { s.activity.heard(at, ts, user) }

// Commanded remembers the response_url of a slash command, until forget is called or half
// an hour has passed: where the answer is refused because the bot is no member, the person
// is told so there.
func (s *Sender) Commanded(at channels.Address, reply string) (forget func()) {
	return s.commands.remember(at, reply)
}

// Split implements [channels.Splitter]: the parts are Markdown, cut between blocks
// where possible, each complete by itself.
func (*Sender) Split(text string) []string { return markup.Split(text) }

// Buttons implements [channels.Buttoner]: each reader of a message may press, also in
// a direct message and in a thread. The text of a question is one markdown block, or
// sections, above one row of buttons. A text of one part always fits: it has at
// most 3,900 code points, and Slack takes 12,000 in markdown blocks and 50 sections of
// 3,000; a row takes 25 buttons, with labels of 75 and values of 2,000 characters.
func (*Sender) Buttons(channels.Address) bool { return true }

// Limits implements [channels.Channel]. There is no rate for the whole workspace:
// Slack has one and does not tell it, so the adapter obeys each refusal instead.
func (s *Sender) Limits() channels.Limits {
	return channels.Limits{MaxLen: maxText, Len: escapedLen, MaxFile: maxUpload, PerChat: s.opt.PerChannel, Burst: chatBurst}
}

// Send implements [channels.Channel]. The text of a part is one of those that Split
// returned: Markdown that fits into a message in both of Slack's forms.
//
// A message that Slack refuses for a curable reason is sent again within the same
// call, differently: as text in Slack's own markup where Slack does not take blocks,
// into the channel where the thread cannot be written in.
//
// Where Slack posts a reply into the channel because the first message of the thread
// was deleted, the reply stays there: the asker reads it, and it is not posted twice.
// Where Slack keeps less of a text than it was given, the rest is sent behind it in
// the same call. The receipt is then that of the first message, and an error of the
// rest is ambiguous, because the first message is there.
func (s *Sender) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	receipt, err := s.send(wire.Watched(ctx), &part)
	if err == nil && !part.Preview {
		s.activity.answered(ctx, part.Address)
	}
	if err != nil {
		s.commands.refused(ctx, part.Address, err)
	}
	return receipt, err
}

func (s *Sender) send(ctx context.Context, part *channels.Part) (channels.Receipt, error) {
	p := newPost(part)
	switch {
	case part.Edits != "":
		p.edits = part.Edits
		return s.live.finish(ctx, p)
	case part.Preview:
		return s.live.open(ctx, p)
	}
	receipt, err := s.poster.deliver(ctx, p)
	if err != nil {
		return channels.Receipt{}, s.poster.sendError(part.Address.Chat, err)
	}
	return receipt, nil
}

// SendFile implements [channels.FileSender]. A file is announced, uploaded and then
// shared: only sharing it can be ambiguous, because before that it is invisible. The
// first part of the caption comes with the file and the rest behind it, as messages.
// Slack shares a file in its own time and mostly tells no message yet, so the receipt
// names the message where it does and else the file (F…), which cannot be edited.
func (s *Sender) SendFile(ctx context.Context, part channels.FilePart) (channels.Receipt, error) {
	receipt, err := s.uploader.send(ctx, &part)
	if err != nil {
		s.commands.refused(ctx, part.Address, err)
	}
	return receipt, err
}

// Edits implements [channels.Editor].
func (s *Sender) Edits(to channels.Address) bool {
	switch s.opt.Stream {
	case StreamAuto, StreamEdit:
		return true
	case StreamNative:
		_, ok := s.streams.audience(to)
		return ok
	default:
		return false
	}
}

// Edit implements [channels.Editor]: it appends to a stream the text that came behind
// the shown one, or shows text in place of it. A message is changed at most once a
// second. Of a long text it shows the beginning, because the message will hold that in
// the end.
func (s *Sender) Edit(ctx context.Context, to channels.Address, messageID, text string) error {
	parts := markup.Split(text)
	if len(parts) == 0 {
		return nil
	}
	return s.live.show(ctx, textPost(to, parts[0]), messageID)
}

// Typing implements [channels.Typer]. In a thread the app has a status; elsewhere, and
// where Slack refuses a status, the newest message that was taken in gets a reaction,
// which is taken away when the answer has left, or when the work has ended. Where the
// app may do neither, it costs one call and shows no sign. A limit of these calls does
// not concern messages: it is not a [*channels.SendError].
//
// There is no StatusShower: direct messages outside of threads have no place for a
// note, so notes stand below the growing answer everywhere.
func (s *Sender) Typing(ctx context.Context, to channels.Address) error {
	return s.activity.show(ctx, to)
}
