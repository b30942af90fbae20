package telegram_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakehttp"
	"parley/internal/test/faketelegram"
	"parley/pkg/channels/telegram"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// talker is a model that takes two seconds for an answer to the last word that
// was said, a quarter of a second for each of its own. When it is asked to look,
// it calls a tool first, and thinks about the result for a while.
type talker struct{}

func (m talker) Chat(
	ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return m.ChatStream(ctx, msgs, nil, "", nil, func(providers.StreamEvent) {})
}

func (talker) ChatStream(
	ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
	_ string, _ map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	last := msgs[len(msgs)-1]
	said := strings.Fields(last.Content)
	word := said[len(said)-1]
	text, finish := answerTo(word), providers.FinishStop
	var calls []providers.ToolCall
	if last.Role == providers.RoleTool {
		<-time.After(8 * time.Second) // a group has an edit every few seconds
	}
	if last.Role == providers.RoleUser && word == "look" {
		text, finish = "I look at it. ", providers.FinishToolCalls
		calls = []providers.ToolCall{{ID: "1", Type: "function", Name: "look_up", RawArguments: "{}", Arguments: map[string]any{}}}
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		emit(providers.TextDelta{Text: word})
	}
	return &providers.LLMResponse{Content: text, FinishReason: finish, ToolCalls: calls}, nil
}

func answerTo(question string) string { return "this is what I have to say to " + question }

// gatewayOnFakeTime runs the whole way of a message with a server of Telegram's
// limits, on fake time. Whatever is called in a chat that must wait fails the test.
func gatewayOnFakeTime(t *testing.T, test func(t *testing.T, srv *faketelegram.Server), offered ...tools.Tool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipes := fakehttp.NewPipes()
		srv := faketelegram.New(t, faketelegram.Options{
			Listener: pipes, Limits: faketelegram.Limits{PerChat: 1, GroupPerMinute: 20, PerBot: 30},
		})
		c := senderTo(t, srv, func(o *telegram.Options) { telegram.DialWith(o, pipes.Dial) })
		serveWith(t, c, talker{}, offered...)
		test(t, srv)
	})
}

// lookUp is a tool that takes two seconds and finds two entries.
type lookUp struct{}

func (lookUp) Name() string               { return "look_up" }
func (lookUp) Description() string        { return "looks something up" }
func (lookUp) Parameters() map[string]any { return map[string]any{"type": "object"} }
func (lookUp) Annotations() tools.Annotations {
	return tools.Annotations{ReadOnly: true, Level: tools.LevelChat}
}

func (lookUp) Execute(context.Context, map[string]any) *tools.ToolResult {
	<-time.After(2 * time.Second)
	return tools.NewToolResult(`{"entries":["done","<b>"]}`)
}

// TestToolActivityIsANoteInTheAnswersOwnPreview: in one draft or one message, with
// a short result, and gone in the end.
func TestToolActivityIsANoteInTheAnswersOwnPreview(t *testing.T) {
	t.Parallel()
	gatewayOnFakeTime(t, func(t *testing.T, srv *faketelegram.Server) {
		t.Helper()
		private, group := srv.Private(srv.User("Ann")), srv.Supergroup("Group", srv.User("Ben"))
		private.Say("look")
		group.Say("@parley_test_bot look")
		after(20 * time.Second)
		want := answerTo(`{"entries":["done","<b>"]}`)
		if diff := cmp.Diff([][]string{{want}, {want}}, [][]string{private.Texts(), group.Texts()}); diff != "" {
			t.Fatalf("in the end (-want +seen):\n%s", diff)
		}
		var drafts []string
		for _, d := range private.Drafts() {
			drafts = append(drafts, d.Text)
			if d.ID != private.Drafts()[0].ID {
				t.Errorf("%q is a draft of its own", d.Text)
			}
		}
		for where, seen := range map[string][]string{"drafts": drafts, "the message": group.Messages()[0].Versions} {
			for _, note := range []string{"using look_up", "look_up: 2 entries"} {
				if !slices.Contains(seen, "I look at it.\n\n"+note) {
					t.Errorf("%s: no %q in %q", where, note, seen)
				}
			}
			if !slices.ContainsFunc(seen, func(text string) bool { return text != want && strings.HasPrefix(want, text) }) {
				t.Errorf("%s: the answer does not grow without the note: %q", where, seen)
			}
		}
	}, lookUp{})
}

// into are the requests for a chat that came between two moments.
func into(srv *faketelegram.Server, chat *faketelegram.Chat, from, to time.Time) (methods []string) {
	all := srv.Requests("")
	for i := range all {
		if r := &all[i]; r.Chat == chat.ID() && r.Time.After(from) && r.Time.Before(to) {
			methods = append(methods, r.Method)
		}
	}
	return methods
}

// TestAChatThatMustWaitIsSilent: after a 429 for any method, no call at all is made in
// the chat, though its person goes on writing.
func TestAChatThatMustWaitIsSilent(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"sendMessage", "sendMessageDraft", "sendChatAction"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			gatewayOnFakeTime(t, func(t *testing.T, srv *faketelegram.Server) {
				t.Helper()
				chat, other := srv.Private(srv.User("Ann")), srv.Private(srv.User("Ben"))
				srv.Harm(faketelegram.Rule{Method: method, Chat: chat.ID(), Times: 1, Fault: faketelegram.TooManyRequests(37)})
				chat.Say("one")
				refused := func(r faketelegram.Request) bool { return r.Status == 429 }
				if err := srv.Until(t.Context(), func() bool { return slices.ContainsFunc(srv.Requests(method), refused) }); err != nil {
					t.Fatal(err)
				}
				told := time.Now()
				after(3 * time.Second)
				chat.Say("two")
				other.Say("one")
				after(33 * time.Second)
				if got := into(srv, chat, told, told.Add(37*time.Second)); len(got) != 0 {
					t.Errorf("called in the chat while it must wait: %q", got)
				}
				if diff := cmp.Diff([]string{answerTo("one")}, other.Texts()); diff != "" {
					t.Errorf("the other chat (-want +seen):\n%s", diff)
				}
				after(10 * time.Second)
				if diff := cmp.Diff([]string{answerTo("one"), answerTo("two")}, chat.Texts()); diff != "" {
					t.Errorf("after the wait (-want +seen):\n%s", diff)
				}
			})
		})
	}
}

// TestAStormOfRateLimits has five minutes in which everything that is called in a
// chat is refused, while people go on writing: when it is over everything has been
// answered once, in order, and every wait was kept.
func TestAStormOfRateLimits(t *testing.T) {
	t.Parallel()
	const storm, every, questions = 5 * time.Minute, 20 * time.Second, 17
	for name, begin := range map[string]func(srv *faketelegram.Server, chats []*faketelegram.Chat){
		"of each chat by itself": func(srv *faketelegram.Server, chats []*faketelegram.Chat) {
			over := time.Now().Add(storm)
			for i, chat := range chats {
				srv.Harm(faketelegram.Rule{
					Chat: chat.ID(), If: func(faketelegram.Request) bool { return time.Now().Before(over) },
					Fault: faketelegram.TooManyRequests(3 + 7*i),
				})
			}
		},
		"of the bot": func(srv *faketelegram.Server, _ []*faketelegram.Chat) {
			over := time.Now().Add(storm)
			srv.Harm(faketelegram.Rule{
				If:    func(r faketelegram.Request) bool { return r.Chat != 0 && time.Now().Before(over) },
				Fault: faketelegram.TooManyRequests(11),
			})
		},
		"of the bot, in one": func(srv *faketelegram.Server, _ []*faketelegram.Chat) { srv.Bot().Flood(storm) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gatewayOnFakeTime(t, func(t *testing.T, srv *faketelegram.Server) {
				t.Helper()
				var chats []*faketelegram.Chat
				for i := range 4 {
					chats = append(chats, srv.Private(srv.User(fmt.Sprintf("User%d", i))))
				}
				chats = append(chats, srv.Supergroup("Group", srv.User("Ann")), srv.Forum("Forum", srv.User("Ben")).Topic("One"))
				after(time.Second) // the bot's name is known
				var want []string
				for i := range questions {
					if i == 1 {
						begin(srv, chats)
					}
					for _, chat := range chats {
						chat.Say(fmt.Sprintf("@parley_test_bot q%d", i))
					}
					want = append(want, answerTo(fmt.Sprintf("q%d", i)))
					after(every)
				}
				after(2 * time.Minute)
				for i, chat := range chats {
					if diff := cmp.Diff(want, chat.Texts()); diff != "" {
						t.Errorf("chat %d (-want +seen):\n%s", i, diff)
					}
				}
				if n := len(srv.Bot().Unconfirmed()); n != 0 {
					t.Errorf("%d updates are not confirmed", n)
				}
			})
		})
	}
}
