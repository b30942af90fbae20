package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
)

const directOnly = "You have access in direct messages only. I can answer here once the operator allows you or this chat " +
	"in the configuration."

// TestPairedInAGroup: a paired person in a group is told once in each group that
// pairing covers direct chats only, over a restart, and the log says once how to let
// them in. Strangers and bots are not told.
func TestPairedInAGroup(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	zoe, tom := c.srv.Private(c.srv.User("Zoe")), c.srv.User("Tom")
	one, two := c.srv.Supergroup("One", zoe.Who(), tom), c.srv.Group("Two", zoe.Who())
	mention := "hello @" + c.srv.Bot().User().Username
	zoe.Say("hello")
	c.does(0, "pair", "approve", c.code(zoe, 1))
	c.messages(zoe, 2)

	one.As(tom).Say(mention)
	robot := tom
	robot.IsBot = true
	one.As(robot).Say(mention)
	one.Say("hello, all of you") // not to the bot
	one.Say(mention)
	if got := c.messages(one, 1); got != directOnly {
		t.Errorf("told %q", got)
	}
	one.Say(mention)
	two.Say(mention)
	c.messages(two, 1)
	c.taken()
	log := c.close()
	c.open()
	one.Say(mention)
	c.taken()
	log += c.close()
	if n, m := len(one.Texts()), len(two.Texts()); n != 1 || m != 1 {
		t.Errorf("told %d and %d times: %q", n, m, one.Texts())
	}
	if n := strings.Count(log, "add the sender to allow or the chat to the allowed groups"); n != 2 {
		t.Errorf("the log says it %d times for two groups:\n%s", n, log)
	}
	c.mustSay(log, "the sender is paired, for direct chats only")
	c.mustSay(c.does(0, "store", "check"), "0 waiting, 0 sending, 0 set aside")
}

// TestPairedOwner: --owner gives a paired person the rights and the files of the
// console in direct chats, over a restart and until revoked; the list and the audit log
// say so.
func TestPairedOwner(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	text, err := os.ReadFile(c.config)
	if err != nil {
		t.Fatal(err)
	}
	c.close()
	lines := strings.SplitAfter(string(text), "\n")
	lines[1] = "models: {main: {provider: offline}}\n"
	if err := os.WriteFile(c.config, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	c.open()
	const write = `/tool write_file {"path": "kept.txt", "content": "tea"}`
	zoe, tom := c.srv.Private(c.srv.User("Zoe")), c.srv.Private(c.srv.User("Tom"))
	zoe.Say("hello")
	tom.Say("hello")
	who := fmt.Sprintf("telegram:%d/%d", c.srv.Bot().ID(), zoe.Who().ID)
	c.mustSay(c.does(0, "pair", "approve", "--owner", c.code(zoe, 1)), `^paired as owner +`+who+` +Zoe +since `)
	c.does(0, "pair", "approve", c.code(tom, 1))
	if got, want := c.messages(zoe, 2),
		"You now have access, with the rights of an owner. Please write again: earlier messages were not read."; got != want {
		t.Errorf("told %q", got)
	}
	c.messages(tom, 2)
	zoe.Say(write)
	c.messages(zoe, 3)
	kept, err := os.ReadFile(filepath.Join(c.dir, "state", "workspace", "home", "kept.txt"))
	if err != nil || string(kept) != "tea" {
		t.Errorf("the owner's file: %q, %v; told %q", kept, err, zoe.Texts())
	}
	tom.Say(write)
	c.mustSay(c.messages(tom, 3), "write_file is not available in this chat")
	c.close()
	c.open()
	zoe.Say("/tool read_file {\"path\": \"kept.txt\"}")
	c.mustSay(c.messages(zoe, 4), "tea")
	list := c.does(0, "pair", "list", "--json")
	if strings.Count(list, `"owner":true`) != 1 || !strings.Contains(list, `"name":"Zoe","owner":true`) {
		t.Errorf("pairs: %s", list)
	}
	c.mustSay(c.does(0, "pair", "revoke", who), `^revoked as owner +`+who)
	zoe.Say(write)
	c.code(zoe, 5)
	c.close()
	rows := c.does(0, "audit", "show", "--kind", "operator")
	for _, want := range []string{"pair approve --owner " + who, "pair revoke " + who} {
		if strings.Count(rows, want) != 1 {
			t.Errorf("the audit log has no %q:\n%s", want, rows)
		}
	}
}

// TestSlackPairNames: pair list shows a stranger's name, though Slack's messages do not
// say it, and keeps it for a time without a gateway. In a channel a paired person is
// told once, below the message.
func TestSlackPairNames(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	zoe := srv.User("Zoe Quick")
	w, g := onSlack(t, srv, "", "")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	chat, all := srv.DM(zoe), srv.Channel("all", zoe)
	chat.Say("hello")
	if _, err := chat.Await(ctx, 1); err != nil {
		t.Fatal(err)
	}
	list, errs, code := w.run("pair", "list", "--json")
	if code != 0 || !strings.Contains(list, `"name":"Zoe Quick"`) {
		t.Errorf("waiting: %d, %s%s", code, list, errs)
	}
	_, asked, _ := strings.Cut(list, `"code":"`)
	approved, errs, code := w.run("pair", "approve", "--owner", asked[:8])
	if code != 0 || !strings.Contains(approved, "Zoe Quick") {
		t.Errorf("approved: %d, %s%s", code, approved, errs)
	}
	if _, err := chat.Await(ctx, 2); err != nil {
		t.Fatal(err)
	}
	first := all.Say(srv.Mention() + " hello")
	if err := all.In(first.TS).AwaitText(ctx, directOnly); err != nil {
		t.Fatalf("%v: %q", err, all.In(first.TS).Texts())
	}
	again := all.Say(srv.Mention() + " hello again")
	chat.Say("what is 2+2?")
	if _, err := chat.Await(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if got := all.In(again.TS).Texts(); len(got) != 0 {
		t.Errorf("told again: %q", got)
	}
	g.terminate()
	if list, errs, code := w.run("pair", "list"); code != 0 ||
		!strings.Contains(list, "paired as owner") || !strings.Contains(list, "Zoe Quick") {
		t.Errorf("without a gateway: %d, %s%s", code, list, errs)
	}
}
