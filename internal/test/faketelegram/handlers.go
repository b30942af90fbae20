package faketelegram

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call is one request on its way to its effect.
type call struct {
	srv *Server
	bot *Bot
	req *Request
}

// handler has the effect of a method. The error is a *refusal, or why there is no
// answer.
type handler func(ctx context.Context, c *call) (any, error)

// locked makes a handler of f, which runs with the lock held.
func locked(f func(c *call) (any, error)) handler {
	return func(_ context.Context, c *call) (any, error) {
		c.srv.mu.Lock()
		defer c.srv.mu.Unlock()
		defer c.srv.changed.Wake()
		return f(c)
	}
}

// handlers has one for each method of the table, by name in lower case.
func handlers() map[string]handler {
	return map[string]handler{
		"getme":                  locked((*call).getMe),
		"getupdates":             func(ctx context.Context, c *call) (any, error) { return c.getUpdates(ctx) },
		"setwebhook":             locked((*call).setWebhook),
		"deletewebhook":          locked((*call).deleteWebhook),
		"getwebhookinfo":         locked((*call).getWebhookInfo),
		"getchat":                locked((*call).getChat),
		"getfile":                locked((*call).getFile),
		"sendmessage":            locked((*call).sendMessage),
		"sendphoto":              locked((*call).sendPhoto),
		"senddocument":           locked((*call).sendDocument),
		"sendmediagroup":         locked((*call).sendMediaGroup),
		"sendmessagedraft":       locked((*call).sendMessageDraft),
		"sendchataction":         locked((*call).sendChatAction),
		"editmessagetext":        locked((*call).editMessageText),
		"editmessagereplymarkup": locked((*call).editMessageReplyMarkup),
		"deletemessage":          locked((*call).deleteMessage),
		"answercallbackquery":    locked((*call).answerCallbackQuery),
		"setmycommands":          locked((*call).setMyCommands),
		"getmycommands":          locked((*call).getMyCommands),
		"deletemycommands":       locked((*call).deleteMyCommands),
	}
}

func (c *call) param(name string) string { return c.req.Params[name] }

// decode reads the JSON of a parameter into v; the refusal has the words notJSON for a
// text of another form, and wrong for JSON that does not fit v.
func (c *call) decode(name string, v any, notJSON, wrong string) error {
	value := []byte(c.param(name))
	if !json.Valid(value) {
		return bad(notJSON)
	}
	if err := json.Unmarshal(value, v); err != nil {
		return bad(wrong)
	}
	return nil
}

func (c *call) getMe() (any, error) {
	return struct {
		User
		CanJoin     bool `json:"can_join_groups"`
		CanReadAll  bool `json:"can_read_all_group_messages"`
		Inline      bool `json:"supports_inline_queries"`
		Business    bool `json:"can_connect_to_business"`
		MainWebApp  bool `json:"has_main_web_app"`
		HasTopics   bool `json:"has_topics_enabled"`
		UsersTopics bool `json:"allows_users_to_create_topics"`
	}{User: c.bot.user, CanJoin: true, CanReadAll: true}, nil
}

func (c *call) getChat() (any, error) {
	r, err := c.chat()
	if err != nil {
		return nil, err
	}
	return struct {
		chatInfo
		Accent    int `json:"accent_color_id"`
		Reactions int `json:"max_reaction_count"`
	}{chatInfo: r.info, Reactions: 11}, nil
}

// chat is the room of chat_id, if the bot may know it.
func (c *call) chat() (*room, error) {
	value := c.param("chat_id")
	if value == "" {
		return nil, bad(wordChatEmpty)
	}
	id, err := strconv.ParseInt(value, 10, 64)
	r := c.bot.rooms[id]
	if err != nil || r == nil {
		return nil, bad(wordChatNotFound)
	}
	return r, nil
}

// target is the room of chat_id, if the bot may write there.
func (c *call) target() (*room, error) {
	r, err := c.chat()
	if err != nil {
		return nil, err
	}
	switch {
	case r.moved != nil:
		return nil, migrated(r.moved.info.ID)
	case r.status == statusKicked && r.info.Type == typePrivate:
		return nil, forbidden(wordBlocked)
	case r.status == statusGone:
		return nil, forbidden(wordDeactivated)
	case r.status == statusKicked:
		return nil, expelled(wordKicked, r.info.Type)
	case r.status == statusLeft:
		return nil, expelled(wordNotMember, r.info.Type)
	}
	return r, nil
}

// thread is message_thread_id, which must be a topic of the chat.
func (c *call) thread(r *room) (int64, error) {
	if c.param("message_thread_id") == "" {
		return 0, nil
	}
	id := c.req.Int("message_thread_id")
	if r.topics[id] == nil {
		return 0, bad(wordNoThread)
	}
	return id, nil
}

func (c *call) sendChatAction() (any, error) {
	r, err := c.target()
	if err != nil {
		return nil, err
	}
	thread, err := c.thread(r)
	if err != nil {
		return nil, err
	}
	known := []string{
		"typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice",
		"upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note",
	}
	if !slices.Contains(known, c.param("action")) {
		return nil, bad(wordBadAction)
	}
	if err := c.limitPassing(r); err != nil {
		return nil, err
	}
	r.actions = append(r.actions, Action{Name: c.param("action"), Thread: thread, Time: time.Now()})
	return true, nil
}

// maxAnswer is the longest text of an answer to a button press.
const maxAnswer = 200

func (c *call) answerCallbackQuery() (any, error) {
	id, text := c.param("callback_query_id"), c.param("text")
	if units(text) > maxAnswer {
		return nil, bad(wordAnswerLong)
	}
	if !c.bot.callbacks[id] {
		return nil, bad(wordQueryOld)
	}
	c.bot.callbacks[id] = false
	c.srv.callbacks = append(c.srv.callbacks, Callback{
		ID: id, Text: text, Alert: c.param("show_alert") == "true", Time: time.Now(),
	})
	return true, nil
}

// Bounds of a bot's menu.
const (
	maxCommands    = 100
	maxCommand     = 32
	maxCommandText = 256
)

func (c *call) setMyCommands() (any, error) {
	var list []Command
	if err := c.decode("commands", &list, wordCommandsJSON, wordCommandsArray); err != nil {
		return nil, err
	}
	if len(list) > maxCommands {
		return nil, bad(wordCommandsMuch)
	}
	for _, cmd := range list {
		if n := len(cmd.Command); n < 1 || n > maxCommand || strings.Trim(cmd.Command, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return nil, bad(wordCommand)
		}
		if n := units(cmd.Description); n < 1 || n > maxCommandText {
			return nil, bad(wordCommandText)
		}
	}
	c.bot.commands[c.scope()] = list
	return true, nil
}

func (c *call) getMyCommands() (any, error) {
	if list := c.bot.commands[c.scope()]; list != nil {
		return list, nil
	}
	return []Command{}, nil
}

func (c *call) deleteMyCommands() (any, error) {
	delete(c.bot.commands, c.scope())
	return true, nil
}

func (c *call) scope() string {
	return commandScope(c.param("scope"), c.param("language_code"))
}

// commandScope is the key of one menu; {"type":"default"} and "" are the same scope.
func commandScope(scope, language string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(scope), &fields) == nil && fields["type"] == "default" {
		scope = ""
	} else if fields != nil {
		scope = fmt.Sprint(fields) // maps print in the order of their keys
	}
	return scope + "/" + language
}
