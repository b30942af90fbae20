package senses

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"parley/pkg/agent/errand"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools/senses"
)

// maxRecordings is how many recordings of a message are listened to.
const maxRecordings = 4

// Options say what happens before a turn.
type Options struct {
	// Transcribe has recordings written down, Describe pictures described where the model of the
	// turn takes none.
	Transcribe, Describe bool
}

// OptionsOf are those of a configuration.
func OptionsOf(a *config.Agent) Options {
	return Options{Transcribe: a.Voice == config.VoiceTranscribe, Describe: a.Pictures == config.PicturesDescribe}
}

// Senses implements [turn.Senses].
type Senses struct{ o Options }

var _ turn.Senses = Senses{}

// New makes the senses of a gateway.
func New(o Options) Senses { return Senses{o} }

// Perceive implements [turn.Senses].
func (s Senses) Perceive(ctx context.Context, t *turn.Turn, items []session.Item, files [][]prompt.Fetched) {
	for i := range items {
		in := items[i].Inbound
		if in == nil || len(files[i]) == 0 {
			continue
		}
		m := message{s: s, t: t, id: items[i].ID, in: in, files: files[i]}
		m.listen(ctx)
		m.look(ctx)
	}
}

// message is one message of a turn, with its fetched files.
type message struct {
	s     Senses
	t     *turn.Turn
	id    string
	in    *channels.Inbound
	files []prompt.Fetched
}

// key names the work on a file within the turn, refused the sentence that it cannot be used, and
// pictures the work on all pictures.
func (m *message) key(n int) string     { return m.id + "/" + strconv.Itoa(n) }
func (m *message) refused(n int) string { return m.key(n) + "/refused" }
func (m *message) pictures() string     { return m.id + "/pictures" }

// listen has the recordings written down.
func (m *message) listen(ctx context.Context) {
	if !m.s.o.Transcribe {
		return
	}
	heard := 0
	for n := range m.files {
		f, a := &m.files[n], &m.in.Attachments[n]
		switch {
		case a.Transcript != "":
			words, cut := senses.Words(&providers.LLMResponse{Content: a.Transcript})
			m.hears(f, words, cut)
		case errand.Recorded(m.t, m.key(n)): // with the file, or without it
			heard++
			m.transcribe(ctx, n)
		case !a.Voice && (f.Open == nil || !senses.NamesSound(a.Name)):
		case f.Open == nil:
			m.deaf(ctx, n, textNoVoice, f.Outcome)
		case heard == maxRecordings:
			note(f, noteTooMany)
		default:
			heard++
			m.transcribe(ctx, n)
		}
	}
}

// transcribe has one recording written down.
func (m *message) transcribe(ctx context.Context, n int) {
	f, q := &m.files[n], senses.Question{}
	if !errand.Recorded(m.t, m.key(n)) {
		rec, err := recording(f, m.in.Attachments[n].Seconds)
		if err != nil {
			m.deaf(ctx, n, textDeaf, senses.Why(err))
			return
		}
		q = senses.Transcription(rec)
	}
	resp, err := errand.Run(ctx, m.t, &errand.Errand{
		Role: turn.RoleTranscribe, Key: m.key(n), Messages: q.Messages, Options: q.Options,
		Explain: func(err error) string { return fmt.Sprintf(textDeaf, why(err)) },
	})
	if err != nil {
		m.unheard(f, err)
		return
	}
	words, cut := senses.Words(resp)
	if words == "" {
		note(f, fmt.Sprintf(noteUnheard, textNoWords))
		return
	}
	m.hears(f, words, cut)
}

// hears puts the words of a recording beside it.
func (*message) hears(f *prompt.Fetched, words string, cut bool) { //nolint:revive // flag-parameter: it chooses a note
	if f.Words = words; cut {
		note(f, noteCut)
		return
	}
	note(f, noteHeard)
}

// deaf tells the chat why a recording cannot be listened to.
func (m *message) deaf(ctx context.Context, n int, sentence, why string) {
	m.unheard(&m.files[n], errand.Refuse(ctx, m.t, m.refused(n), fmt.Sprintf(sentence, why)))
}

// unheard notes for the model that a recording has no words. A failure without a sentence, as of
// the budget, ends the turn at its next request.
func (*message) unheard(f *prompt.Fetched, err error) {
	if told := sentence(err); told != "" {
		note(f, fmt.Sprintf(noteUnheard, told))
	}
}

// why tells the failure of an errand as the end of a sentence.
func why(err error) string {
	if errors.Is(err, errand.ErrNoModel) {
		err = senses.ErrNoModel
	}
	return senses.Why(err)
}

// sentence is the one for the chat, with a word on whether it was told, or "".
func sentence(err error) string {
	failed, ok := errors.AsType[*errand.FailedError](err)
	switch {
	case !ok:
		return ""
	case failed.Told:
		return fmt.Sprintf(noteTold, failed.Sentence)
	default:
		return failed.Sentence
	}
}

// recording is a fetched file as a recording.
func recording(f *prompt.Fetched, told int) (*providers.Recording, error) {
	file, size, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	sound, err := senses.Listen(at, size, told)
	if err != nil {
		return nil, err
	}
	return &providers.Recording{Name: sound.Name, Size: size, Seconds: sound.Seconds, Open: f.Open}, nil
}

// note adds a note to the outcome of a file.
func note(f *prompt.Fetched, what string) {
	if f.Outcome != "" {
		f.Outcome += "; "
	}
	f.Outcome += what
}
