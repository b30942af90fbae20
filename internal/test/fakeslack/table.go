package fakeslack

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// method is one method of the Web API: its arguments, and its effect.
type method struct {
	app    bool // takes the app's token
	params map[string]param
	handle func(c *call) (answer, error)
}

// A param is the shape of an argument: one of the types below, marked with an exclamation mark where it is required.
type param string

const (
	aString param = "string"
	aBool   param = "bool"
	anInt   param = "int"
	aTS     param = "ts"
	aJSON   param = "json"
)

// methods is the table of methods, as docs.slack.dev/reference/methods has them
// in November 2026. Arguments that only apps with a user's token use are left out.
func methods() map[string]*method {
	post := map[string]param{
		"channel": "string!", "text": aString, "blocks": aJSON, "attachments": aJSON, "markdown_text": aString,
		"thread_ts": aTS, "reply_broadcast": aBool, "unfurl_links": aBool, "unfurl_media": aBool, "mrkdwn": aBool,
		"parse": aString, "link_names": aBool, "metadata": aJSON, "username": aString, "icon_emoji": aString, "icon_url": aString,
	}
	ephemeral := maps.Clone(post)
	ephemeral["user"] = "string!"
	for _, name := range []string{"reply_broadcast", "unfurl_links", "unfurl_media", "mrkdwn", "metadata"} {
		delete(ephemeral, name)
	}
	return map[string]*method{
		"auth.test":             {handle: (*call).authTest},
		"apps.connections.open": {app: true, handle: (*call).openSocket},
		"chat.postMessage":      {params: post, handle: (*call).postMessage},
		"chat.postEphemeral":    {params: ephemeral, handle: (*call).postEphemeral},
		"chat.update": {params: map[string]param{
			"channel": "string!", "ts": "ts!", "text": aString, "blocks": aJSON, "attachments": aJSON, "markdown_text": aString,
			"parse": aString, "link_names": aBool, "metadata": aJSON, "reply_broadcast": aBool, "file_ids": aJSON,
		}, handle: (*call).update},
		"chat.delete": {params: map[string]param{"channel": "string!", "ts": "ts!"}, handle: (*call).remove},
		"chat.startStream": {params: map[string]param{
			"channel": "string!", "thread_ts": "ts!", "markdown_text": aString, "chunks": aJSON,
			"recipient_user_id": aString, "recipient_team_id": aString, "task_display_mode": aString,
			"username": aString, "icon_emoji": aString, "icon_url": aString,
		}, handle: (*call).startStream},
		"chat.appendStream": {params: map[string]param{
			"channel": "string!", "ts": "ts!", "markdown_text": aString, "chunks": aJSON,
		}, handle: (*call).appendStream},
		"chat.stopStream": {params: map[string]param{
			"channel": "string!", "ts": "ts!", "markdown_text": aString, "chunks": aJSON, "blocks": aJSON, "metadata": aJSON,
		}, handle: (*call).stopStream},
		"assistant.threads.setStatus": {params: map[string]param{
			"channel_id": "string!", "thread_ts": "ts!", "status": aString + "!", "loading_messages": aString,
			"username": aString, "icon_emoji": aString, "icon_url": aString,
		}, handle: (*call).setStatus},
		"reactions.add": {params: map[string]param{
			"channel": "string!", "timestamp": "ts!", "name": "string!",
		}, handle: (*call).react},
		"reactions.remove": {params: map[string]param{
			"channel": aString, "timestamp": aTS, "name": "string!", "file": aString, "file_comment": aString,
		}, handle: (*call).unreact},
		"users.info": {params: map[string]param{"user": "string!", "include_locale": aBool}, handle: (*call).userInfo},
		"conversations.info": {
			params: map[string]param{"channel": "string!", "include_locale": aBool, "include_num_members": aBool},
			handle: (*call).roomInfo,
		},
		"files.info": {
			params: map[string]param{"file": "string!", "cursor": aString, "limit": anInt, "count": anInt, "page": anInt},
			handle: (*call).fileByID,
		},
		"files.getUploadURLExternal": {params: map[string]param{
			"filename": "string!", "length": "int!", "alt_txt": aString, "snippet_type": aString,
		}, handle: (*call).uploadURL},
		"files.completeUploadExternal": {params: map[string]param{
			"files": "json!", "channel_id": aString, "channels": aString, "initial_comment": aString, "thread_ts": aTS, "blocks": aJSON,
		}, handle: (*call).completeUpload},
	}
}

// check holds arguments against the table; each difference is a violation.
func (m *method) check(params map[string]string) *refusal {
	var wrong *refusal
	say := func(format string, args ...any) {
		if wrong == nil {
			wrong = no("invalid_arguments", "")
		}
		wrong.messages = append(wrong.messages, no("", format, args...).messages...)
	}
	for _, name := range slices.Sorted(maps.Keys(m.params)) {
		kind, required := strings.CutSuffix(string(m.params[name]), "!")
		value, given := params[name]
		switch {
		case !given && required:
			say("missing required field: %s", name)
		case value != "" && !fits(param(kind), value):
			say("%s is not of type %s [json-pointer:/%s]", name, kind, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if _, known := m.params[name]; !known {
			say("unknown argument: %s", name)
		}
	}
	return wrong
}

// stampShape is the form of Slack's timestamps.
var stampShape = regexp.MustCompile(`^\d{1,12}\.\d{6}$`)

func fits(kind param, value string) bool {
	switch kind {
	case aBool:
		return slices.Contains([]string{"true", "false", "1", "0"}, value)
	case anInt:
		_, err := strconv.Atoi(value)
		return err == nil
	case aTS:
		return stampShape.MatchString(value)
	case aJSON:
		return json.Valid([]byte(value))
	default:
		return true
	}
}
