package e2e_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// fakePlatform is a fake of a chat platform as all worlds use it.
type fakePlatform interface {
	Until(ctx context.Context, cond func() bool) error
	Drained(ctx context.Context) error
}

// fakeChat is a chat of such a fake: I is its id, M a message of the bot.
type fakeChat[I, M any] interface {
	comparable
	ID() I
	Texts() []string
	Messages() []M
}

// platformWorld is a gateway with a bot on a platform that people have. The test
// channel runs beside it and is silent.
type platformWorld[I, M any, C fakeChat[I, M]] struct {
	*world
	platform fakePlatform
	secrets  []string // of the platform, which no log may hold
	// chats are those of which the texts were told; they must not change any more
	// before the gateway has ended.
	chats map[C][]string
	// sends are the attempts to send to a chat.
	sends func(chat C) []attempt
}

// onPlatform prepares a gateway of a configuration.
func onPlatform[I, M any, C fakeChat[I, M]](
	t *testing.T, platform fakePlatform, b brain, c rig.Config, secrets ...string,
) *platformWorld[I, M, C] {
	t.Helper()
	return &platformWorld[I, M, C]{
		world: prepare(t, b, c), platform: platform, secrets: secrets, chats: map[C][]string{},
	}
}

// run starts the gateway. When the test has ended it, its chats must be as they were
// told, and no secret may be in its log.
func (w *platformWorld[I, M, C]) run() {
	w.t.Helper()
	w.start()
	w.t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
		w.checkTexts()
		w.checkLog()
	})
}

func (w *platformWorld[I, M, C]) checkTexts() {
	w.t.Helper()
	for chat, want := range w.chats {
		if got := chat.Texts(); !slices.Equal(got, want) {
			w.t.Errorf("chat %v reads %.200q in the end, and was %.200q before", chat.ID(), got, want)
		}
	}
}

func (w *platformWorld[I, M, C]) checkLog() {
	w.t.Helper()
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Fatal(err)
	}
	for i, secret := range w.secrets {
		if bytes.Contains(log, []byte(secret)) {
			w.t.Errorf("secret %d of the platform is in the log", i)
		}
	}
}

// kill ends the gateway as kill -9 does, and waits until the platform has read
// everything that it wrote.
func (w *platformWorld[I, M, C]) kill() {
	w.t.Helper()
	w.world.kill()
	if err := w.platform.Drained(w.ctx); err != nil {
		w.t.Fatal(err)
	}
}

// await waits until cond holds; it may look at the platform.
func (w *platformWorld[I, M, C]) await(what string, cond func() bool) {
	w.t.Helper()
	if err := w.platform.Until(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// reads waits until the bot's messages in a chat are exactly want, and gives them.
func (w *platformWorld[I, M, C]) reads(chat C, want ...string) []M {
	w.t.Helper()
	if w.platform.Until(w.ctx, func() bool { return slices.Equal(chat.Texts(), want) }) != nil {
		w.t.Fatalf("chat %v reads %.300q, want %.300q", chat.ID(), chat.Texts(), want)
	}
	w.chats[chat] = want
	return chat.Messages()
}

// hears waits until the bot has said of every text that it heard it: each once,
// in this order, in however many answers.
func (w *platformWorld[I, M, C]) hears(chat C, want ...string) {
	w.t.Helper()
	heard := func() []string {
		var all []string
		for _, text := range chat.Texts() {
			all = append(all, strings.Split(strings.TrimPrefix(text, heardMark), ", ")...)
		}
		return all
	}
	if w.platform.Until(w.ctx, func() bool { return slices.Equal(heard(), want) }) != nil {
		w.t.Fatalf("chat %v was told that %.300q was heard, want %.300q", chat.ID(), heard(), want)
	}
	w.chats[chat] = chat.Texts()
}

// says waits until some message of the bot in a chat holds every one of words.
func (w *platformWorld[I, M, C]) says(chat C, words ...string) {
	w.t.Helper()
	if w.platform.Until(w.ctx, func() bool {
		return slices.ContainsFunc(chat.Texts(), func(text string) bool { return together(text, words) })
	}) != nil {
		w.t.Fatalf("no message holds %q:\n%s", words, strings.Join(chat.Texts(), "\n---\n"))
	}
}

// rests waits until the store's counts are as cond wants them.
func (w *world) rests(what string, cond func(session.Status) bool) {
	w.t.Helper()
	w.until(what, func() bool {
		s, err := w.gw.Status(w.ctx)
		if err != nil {
			w.t.Error(err)
			return true
		}
		return cond(s)
	})
}

// turns are how often the model was asked.
func (w *world) turns() int { return len(w.model.Requests()) }

const heardMark = "heard: "

// fresh are the last lines of people's words since the model's last answer.
func fresh(req fakemodel.Request) []string {
	var said []string
	for i := range req.Messages {
		switch m := &req.Messages[i]; {
		case m.Role == providers.RoleUser:
			said = append(said, m.Content[strings.LastIndexByte(m.Content, '\n')+1:])
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0:
			said = nil
		}
	}
	return said
}

// echoes repeats the words that it heard since its last answer.
func echoes(req fakemodel.Request) fakemodel.Answer {
	return fakemodel.Say(heardMark + strings.Join(fresh(req), ", "))
}
