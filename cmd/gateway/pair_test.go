package main_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
)

// club is a gateway with a bot on Telegram that lets in one member, and a model
// that says the same to everything.
type club struct {
	*world

	srv    *faketelegram.Server
	member *faketelegram.Chat
	asked  atomic.Int32
	spoken int
	g      *gateway
}

const modelSays = "The model has read this."

func newClub(t *testing.T) *club {
	t.Helper()
	c := &club{srv: faketelegram.New(t)}
	next := answering(modelSays)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.asked.Add(1)
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(model.Close)
	c.world = newWorld(t, "")
	c.member = c.srv.Private(c.srv.User("Member"))
	token := filepath.Join(c.dir, "token")
	for path, text := range map[string]string{
		token: c.srv.Token(),
		c.config: fmt.Sprintf(`state_dir: state
models: {main: {model: m, base_url: %q}}
channels:
  telegram: {enabled: true, token: %q, api_url: %q, allow: [%d], stream: "off", send_rate: {chat: 0, group_per_minute: 0, bot: 0}}
`, model.URL+"/v1", "file:"+token, c.srv.URL(), c.member.Who().ID),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.open()
	return c
}

func (c *club) open() {
	c.t.Helper()
	c.g = c.start("run", "--log", "info")
	c.g.ready()
}

// close ends the gateway in order.
func (c *club) close() string {
	c.t.Helper()
	if err := c.g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	if code := c.g.end(); code != 0 {
		c.t.Errorf("ended with %d: %s", code, c.g.errs)
	}
	return c.g.errs.String()
}

// taken returns when the gateway has taken in all messages: the member, the last
// sender, is answered.
func (c *club) taken() {
	c.t.Helper()
	c.member.Say("hello")
	c.spoken++
	c.messages(c.member, c.spoken)
}

// messages waits for n messages of the bot and returns the last.
func (c *club) messages(chat *faketelegram.Chat, n int) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	all, err := chat.Await(ctx, n)
	if err != nil {
		c.t.Fatalf("%v, with %q: %s", err, chat.Texts(), c.g.errs)
	}
	return all[n-1].Text
}

// code is the pairing code in the n-th message of a chat.
func (c *club) code(chat *faketelegram.Chat, n int) string {
	c.t.Helper()
	text := c.messages(chat, n)
	m := regexp.MustCompile(`(?m)^[A-Z0-9]{8}$`).FindString(text)
	if m == "" || !strings.Contains(text, "valid for one hour") {
		c.t.Fatalf("no code: %q", text)
	}
	return m
}

// does runs a command that must end with code, and returns its output.
func (c *club) does(code int, args ...string) string {
	c.t.Helper()
	out, errs, got := c.run(args...)
	if got != code {
		c.t.Fatalf("%s: %d, %s%s", args, got, out, errs)
	}
	return out + errs
}

func (c *club) mustSay(text, want string) {
	c.t.Helper()
	if !regexp.MustCompile(want).MatchString(text) {
		c.t.Errorf("%q does not say %q", text, want)
	}
}

// TestPairingOff: strangers get no answer, and paired people stay paired.
func TestPairingOff(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	zoe, tom := c.srv.Private(c.srv.User("Zoe")), c.srv.Private(c.srv.User("Tom"))
	zoe.Say("hello")
	c.does(0, "pair", "approve", c.code(zoe, 1))
	c.messages(zoe, 2)
	c.close()
	text, err := os.ReadFile(c.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.config,
		bytes.Replace(text, []byte("enabled: true"), []byte("enabled: true, pairing: off"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	c.open()
	tom.Say("hello")
	zoe.Say("still here")
	c.messages(zoe, 3)
	c.taken()
	c.mustSay(c.close(), "the sender is not on the allow list")
	if got := tom.Texts(); len(got) != 0 {
		t.Errorf("a stranger was told %q", got)
	}
	if list := c.does(0, "pair", "list"); strings.Contains(list, "waiting") {
		t.Errorf("pairs: %s", list)
	}
}

// TestPairing: strangers get only a code; a person whom the operator lets in is
// answered in direct chats only, over a restart, and no more once revoked.
func TestPairing(t *testing.T) {
	t.Parallel()
	const canary = "nothing-of-this-is-kept"
	c := newClub(t)
	zoe, tom := c.srv.Private(c.srv.User("Zoe")), c.srv.Private(c.srv.User("Tom"))
	group := c.srv.Supergroup("Club", zoe.Who())
	mention := canary + " @" + c.srv.Bot().User().Username

	first := zoe.Say("/start " + canary)
	code := c.code(zoe, 1)
	c.srv.Bot().Repeat(first)
	zoe.SayAll(canary, canary)
	group.Say(mention)
	tom.Say(code) // a code that is typed into a chat is a message like any other
	if toms := c.code(tom, 1); toms == code {
		t.Errorf("both got %s", code)
	}
	c.taken()
	who := fmt.Sprintf("telegram:%d/%d", c.srv.Bot().ID(), zoe.Who().ID)
	c.mustSay(c.does(0, "pair", "list"), `(?m)^waiting +`+code+` +`+who+` +Zoe +until `)
	c.mustSay(c.does(1, "pair", "approve", "ACDEFGHJ"), "no person waits with the code ACDEFGHJ")
	if n := int(c.asked.Load()); n != c.spoken {
		t.Errorf("the model was asked %d times for %d messages", n, c.spoken)
	}

	c.mustSay(c.does(0, "pair", "approve", strings.ToLower(code)), `^paired +`+who+` +Zoe +since `)
	c.messages(zoe, 2)
	c.mustSay(c.does(1, "pair", "approve", code), "no person waits with the code")
	zoe.Say("let in")
	c.messages(zoe, 3)
	group.Say(mention)
	c.taken()
	log := c.close()
	for _, secret := range []string{canary, code} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %s", secret)
		}
	}
	c.mustSay(log, "the sender is not on the allow list: a pairing code is sent")
	c.mustSay(log, "the sender is not on the allow list: a pairing code was sent before")

	// Without a running gateway the commands use its store.
	c.does(0, "pair", "approve", c.code(tom, 1))
	if list := c.does(0, "pair", "list", "--json"); strings.Count(list, `"state":"paired"`) != 2 || strings.Contains(list, "waiting") {
		t.Errorf("pairs: %s", list)
	}
	c.open()
	c.messages(tom, 2)
	zoe.Say("after a restart")
	c.messages(zoe, 4)

	c.mustSay(c.does(0, "pair", "revoke", fmt.Sprintf("telegram:%d", zoe.Who().ID)), `^revoked +`+who)
	c.srv.Bot().Repeat(first) // it was answered before: with a code
	zoe.Say(canary)
	if again := c.code(zoe, 5); again == code {
		t.Errorf("the old code %s came again", code)
	}
	tom.Say("still here")
	c.messages(tom, 3)
	c.does(1, "pair", "revoke", who)
	c.close()

	const welcome = "You now have access. Please write again: earlier messages were not read."
	for chat, want := range map[*faketelegram.Chat][]string{
		zoe: {"CODE", welcome, modelSays, modelSays, "CODE"}, tom: {"CODE", welcome, modelSays}, group: {directOnly},
	} {
		got := chat.Texts()
		for i := range got {
			if strings.HasPrefix(got[i], "You do not have access yet.") {
				got[i] = "CODE"
			}
		}
		if d := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); d != "" {
			t.Errorf("%s was told (-want +got)\n%s", chat.Who().FirstName, d)
		}
	}
	db, err := os.ReadFile(filepath.Join(c.dir, "state", "parley.db"))
	if err != nil || bytes.Contains(db, []byte(canary)) {
		t.Errorf("the store keeps what strangers write: %v", err)
	}
	c.mustSay(c.does(0, "store", "check"), "0 waiting, 0 sending, 0 set aside")
}

// TestRunIgnoresHangUp: SIGHUP, which other servers take as "read the configuration
// again", is named in the log and has no other effect.
func TestRunIgnoresHangUp(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	c.taken()
	if err := c.g.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	c.g.errs.wait(t, "SIGHUP changes nothing")
	c.taken()
	c.close()
}
