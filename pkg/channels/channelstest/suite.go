package channelstest

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

// patience is the longest wait of the suite for an expected event; a working channel
// needs far less.
const patience = time.Minute

// Factory starts the other end of a platform, fresh and empty, and registers its
// end with t.
type Factory func(t *testing.T) *Rig

// Rig is the other end of a platform.
type Rig struct {
	// New returns a channel that is not running. A second call is a restarted
	// process on the same platform.
	New func() channels.Channel
	// Chats are conversations that have a person in them: several, or one where
	// the platform has no more.
	Chats []channels.Address
	// Say lets the person in a chat write text. It may be called before and while a channel runs.
	Say func(at channels.Address, text string)
	// Seen are the messages that the person in a chat sees from the bot, oldest first.
	// A file is seen as one or several texts, with its caption in them.
	Seen func(at channels.Address) []string
	// Files are the contents of the files that the person in a chat got, oldest first;
	// nil on a platform without files.
	Files func(at channels.Address) [][]byte
	// Acked is how many of the messages said were acknowledged; nil on a platform that
	// has no acknowledgements and delivers once.
	Acked func() int
	// Stall lets the platform leave all sends unanswered until resume is called; nil
	// where it cannot.
	Stall func() (resume func())
	// Press lets the person in a chat press the button called label of the newest
	// message, and says whether there was one to press as far as the platform knows;
	// nil where messages have no buttons.
	Press func(at channels.Address, label string) bool
	// Shows is the text that a person sees of a part; nil means its text.
	Shows func(text string) string
}

// Run runs the whole suite.
func Run(t *testing.T, f Factory) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, Factory)
	}{
		{"Identity", identity},
		{"InboundIsWholeAndInOrder", inboundIsWhole},
		{"InboundKeysDiffer", inboundKeysDiffer},
		{"AcknowledgedAfterTheStore", acknowledgedAfterTheStore},
		{"RefusedByTheStoreComesAgain", refusedByTheStoreComesAgain},
		{"RestartDeliversWhatWasNotStored", restartDelivers},
		{"HostileInbound", hostileInbound},
		{"RunEndsWithItsContext", runEnds},
		{"SendGivesReceiptsInOrder", sendInOrder},
		{"SendKeepsChatsApart", sendKeepsChatsApart},
		{"SendTakesTheLongestPart", sendTakesTheLongest},
		{"SendEndsWithItsContext", sendEnds},
		{"HostileOutbound", hostileOutbound},
		{"FilesInOrder", filesInOrder},
		{"FilesThatCannotBeOpened", filesThatCannotBeOpened},
		{"FileEndsWithItsContext", fileEnds},
		{"QuestionsArePressedInTheirChats", questionsArePressed},
		{"QuestionsShowWhatIsAsked", questionsShowAll},
		{"FinishedQuestionsAreClosed", finishedQuestions},
	} {
		t.Run(check.name, func(t *testing.T) {
			t.Parallel()
			check.run(t, f)
		})
	}
}

// identity checks the values that stay the same for ever.
func identity(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	a, b := rig.New(), rig.New()
	if a.Name() == "" || a.Name() != b.Name() || a.Account() != b.Account() {
		t.Errorf("two channels of one account are %s/%s and %s/%s", a.Name(), a.Account(), b.Name(), b.Account())
	}
	l, m := a.Limits(), b.Limits()
	if l.MaxLen < 0 || l.PerChat < 0 || l.PerAccount < 0 || l.Burst < 0 {
		t.Errorf("negative limits: %+v", l)
	}
	if l.MaxLen != m.MaxLen || l.PerChat != m.PerChat || l.PerAccount != m.PerAccount || l.Burst != m.Burst {
		t.Error("two channels of one account differ in their limits")
	}
	for _, at := range rig.Chats {
		if at.Channel != a.Name() || at.Account != a.Account() {
			t.Errorf("chat %+v is not one of %s/%s", at, a.Name(), a.Account())
		}
	}
}

// running is a channel at work.
type running struct {
	channels.Channel

	// stop ends Run and waits for it.
	stop func()
}

// start runs a new channel of rig into s until the test, or stop, ends it.
func start(t *testing.T, rig *Rig, s *store) *running {
	t.Helper()
	c := rig.New()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, channels.NewIngress(s, everyone{}, zerolog.Nop())) }()
	var stopped bool
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("Run, ended by its context: %v", err)
			}
		case <-time.After(patience):
			t.Error("Run does not end with its context")
		}
	}
	t.Cleanup(stop)
	return &running{Channel: c, stop: stop}
}

// everyone may do everything.
type everyone struct{}

func (everyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

// eventually waits until ok says yes.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("in vain: waiting for %s", what)
		case <-tick.C:
		}
	}
}

func (r *Rig) shows(text string) string {
	if r.Shows == nil {
		return text
	}
	return r.Shows(text)
}

func (r *Rig) seen(at channels.Address) int { return len(r.Seen(at)) }
