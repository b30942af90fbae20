package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
)

// relayed makes the call of the person's text ("TOOL ARGUMENTS") and answers with the
// result, cut to the size of a chat message.
func relayed(req fakemodel.Request) fakemodel.Answer {
	if got := results(req); len(got) > 0 {
		return fakemodel.Say(fmt.Sprintf("%d bytes: %.1000s", len(got[0]), got[0]))
	}
	name, args, ok := strings.Cut(lastUser(req), " ")
	if !ok {
		return fakemodel.Say("fine")
	}
	return fakemodel.Call(name, args)
}

func TestToolsThatMisbehave(t *testing.T) {
	t.Parallel()
	eachMode(t, toolsThatMisbehave)
}

func toolsThatMisbehave(t *testing.T, s settings) {
	t.Helper()
	flooded := newWorld(t, relayed, s)
	s.toolTime = "1s"
	w := newWorld(t, relayed, s)
	w.say("panic", `panic {}`)
	w.say("hang", `hang {"n":20000}`)
	flooded.say("flood", fmt.Sprintf(`flood {"n":%d}`, 1<<30))
	w.say("other", "hello")
	w.expect("other", 1, "fine")
	worlds := map[string]*world{"panic": w, "hang": w, "flood": flooded}
	for chat, want := range map[string]string{
		"panic": `"type":"execution_failed"`,
		"hang":  `"type":"timeout"`,
		"flood": "flood flood ",
	} {
		w := worlds[chat]
		got := w.told(chat, 1)[0]
		if !strings.Contains(got, want) || strings.Contains(got, "this tool panics") || strings.Contains(got, ".go:") {
			t.Errorf("%s: told %.300q, want %q in it", chat, got, want)
		}
		var size int
		if _, err := fmt.Sscanf(got, "%d bytes", &size); err != nil || size > 1<<20 {
			t.Errorf("%s: the model was told %d bytes, %v", chat, size, err)
		}
		w.say(chat, "hello")
		w.expect(chat, 2, "fine")
	}
}

func TestBackgroundWorkAndItsChat(t *testing.T) {
	t.Parallel()
	eachMode(t, backgroundWorkAndItsChat)
}

func backgroundWorkAndItsChat(t *testing.T, s settings) {
	t.Helper()
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		text := lastUser(req)
		switch got := results(req); {
		case len(got) > 0:
			return fakemodel.Say("started")
		case strings.HasPrefix(text, "[background task]"):
			return fakemodel.Say("NO_REPLY")
		default:
			return fakemodel.Call("background", `{"text":"`+text+`","n":300}`)
		}
	}, s)
	const chats = 20
	for i := range chats {
		w.say(fmt.Sprint("chat", i), fmt.Sprint("work", i))
	}
	for i := range chats {
		chat := fmt.Sprint("chat", i)
		w.until(chat+" was told both", func() bool { return len(w.texts(chat)) > 1 })
		told := slices.Sorted(slices.Values(w.texts(chat))) // work may end before the turn that started it
		if want := []string{fmt.Sprintf("background result for %s: work%d", chat, i), "started"}; !slices.Equal(told, want) {
			t.Errorf("%s was told %q", chat, told)
		}
	}
	w.until("no task and nothing that waits", func() bool {
		status, err := w.gw.Status(w.ctx)
		return err != nil || status.Waiting == 0 && status.Sending == 0 && status.OpenTasks == 0
	})
	for i := range chats {
		if got := w.texts(fmt.Sprint("chat", i)); len(got) != 2 {
			t.Errorf("chat %d was told %q", i, got)
		}
	}
}

// TestWorkThatEndsDuringItsTurnComesAfterIt holds the model until the work that
// it started has ended.
func TestWorkThatEndsDuringItsTurnComesAfterIt(t *testing.T) {
	t.Parallel()
	eachMode(t, workThatEndsDuringItsTurn)
}

func workThatEndsDuringItsTurn(t *testing.T, s settings) {
	t.Helper()
	var w *world
	ready := make(chan struct{})
	w = newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		<-ready
		text := lastUser(req)
		switch got := results(req); {
		case strings.HasPrefix(text, "[background task]"):
			return fakemodel.Say("and the work has ended: " + text[strings.LastIndex(text, " ")+1:])
		case len(got) > 0:
			// The person sees the result while the turn still runs.
			if err := w.chat.Until(w.ctx, func() bool { return len(w.texts("chat")) == 1 }); err != nil {
				return fakemodel.Say(err.Error())
			}
			return fakemodel.Say("the turn ends")
		default:
			return fakemodel.Call("background", `{"text":"soon","n":0}`)
		}
	}, s)
	close(ready)
	w.say("chat", "work")
	w.expect("chat", 1, "background result for chat: soon")
	w.expect("chat", 2, "the turn ends")
	w.expect("chat", 3, "and the work has ended: soon")
}
