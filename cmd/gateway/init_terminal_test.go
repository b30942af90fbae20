package main_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
)

// bareWorld is a world without a configuration.
func bareWorld(t *testing.T, env ...string) *world {
	t.Helper()
	w := newWorld(t, "")
	w.env = env
	if err := os.Remove(w.config); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestInitAsks answers every question that init can ask, the longest way: another server, one
// of its models, Telegram, and the code by which the person becomes the owner of the bot.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	chat := srv.Private(srv.User("Ann"))
	heard := 0
	hear := func() string {
		t.Helper()
		heard++
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		messages, err := chat.Await(ctx, heard)
		if err != nil {
			t.Fatal(err)
		}
		return messages[heard-1].Text
	}
	url := localServer(t, fakemodel.Options{Models: []string{"small", "large"}}, nil)
	w := bareWorld(t, "TELEGRAM_TOKEN="+srv.Token())
	s := newScreen(t, w, "init --telegram-url "+srv.URL())
	s.shows("number [2]:")
	s.keys("9", "Enter")
	s.shows("write a number from 1 to 2")
	s.keys("1", "Enter")
	s.shows("address of the server")
	s.keys(url, "Enter")
	s.shows("2  large")
	s.keys("2", "Enter")
	s.shows("large answered and called the tool")
	s.shows("4  on Telegram and Slack too")
	s.keys("Enter")
	s.shows("the code, to become its owner")
	chat.Say("hello")
	code := regexp.MustCompile(`(?m)^[A-Z0-9]{8}$`).FindString(hear())
	s.keys("AAAA2222", "Enter")
	s.shows("AAAA2222")
	s.keys(code, "Enter")
	s.shows("You are the owner")
	if got := hear(); !strings.Contains(got, "the rights of an owner") {
		t.Errorf("the bot writes %q", got)
	}
	chat.Say("and now?")
	if got := hear(); got != "echo: and now?" {
		t.Errorf("the bot answers %q", got)
	}
	shown := s.tmux("capture-pane", "-p", "-S", "-")
	// Five questions, two of them again after a wrong answer.
	if asked := regexp.MustCompile(`(number \[\d\]|such as \S+|later\)):`).FindAllString(shown, -1); len(asked) != 7 {
		t.Errorf("%d prompts:\n%s", len(asked), shown)
	}
	s.keys("C-c")
	s.shows("code=0")
	raw, err := os.ReadFile(w.config)
	if text := string(raw); err != nil || !strings.Contains(text, `model: "large"`) ||
		!strings.Contains(text, "token: env:TELEGRAM_TOKEN") || strings.Contains(text, srv.Token()) {
		t.Errorf("%v: the configuration is\n%s", err, text)
	}
}

// TestInitTalks takes each usual answer, and goes on in the console. What is typed ahead is
// for the console.
func TestInitTalks(t *testing.T) {
	t.Parallel()
	w := bareWorld(t)
	s := newScreen(t, w, "init")
	s.shows("\nexport OPENAI_API_KEY=...")
	s.shows("number [2]:")
	s.keys("Enter")
	s.shows("4  on Telegram and Slack too")
	s.keys("Enter")
	s.shows("Talk to it now? [Y/n]")
	s.keys("Enter", "what is 17*23?", "Enter")
	s.shows("391")
	s.keys("C-d")
	s.shows("code=0")
}

// TestInitAsksNothingThatFlagsAnswer: with all flags no question is asked, in a terminal too.
func TestInitAsksNothingThatFlagsAnswer(t *testing.T) {
	t.Parallel()
	w := bareWorld(t)
	s := newScreen(t, w, "init --use offline --channels none --chat=false")
	s.shows("code=0")
	shown := s.tmux("capture-pane", "-p")
	if strings.Contains(shown, "?") || strings.Contains(shown, "number [") || !strings.Contains(shown, "wrote ") {
		t.Errorf("the screen is\n%s", shown)
	}
}

// TestInitAsksWhichModel: the flag names a server, and a person says which of its models is meant.
func TestInitAsksWhichModel(t *testing.T) {
	t.Parallel()
	url := localServer(t, fakemodel.Options{Models: []string{"small", "large"}}, nil)
	w := bareWorld(t)
	s := newScreen(t, w, "init --channels none --chat=false --url "+url)
	s.shows("2  large")
	s.keys("2", "Enter")
	s.shows("large answered and called the tool")
	s.shows("code=0")
	raw, err := os.ReadFile(w.config)
	if text := string(raw); err != nil || !strings.Contains(text, `model: "large"`) {
		t.Errorf("%v: the configuration is\n%s", err, text)
	}
}
