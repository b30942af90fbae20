package event

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels/slack/api"
)

// The parts of Slack's JSON that are read. Parts that may come in unforeseen forms
// (files, attachments, blocks) are decoded by themselves, so that they spoil no
// message.

// enveloped is a frame of Socket Mode.
type enveloped struct {
	ID      string          `json:"envelope_id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
	// Accepts says that the acknowledgement may have a payload.
	Accepts bool `json:"accepts_response_payload"`
	// Reason is that of a disconnect frame.
	Reason string `json:"reason"`
}

// callback is the wrapping of an event.
type callback struct {
	Type           string          `json:"type"`
	Team           string          `json:"team_id"`
	Event          json.RawMessage `json:"event"`
	Authorizations []authorization `json:"authorizations"`
	Shared         bool            `json:"is_ext_shared_channel"`
	Challenge      string          `json:"challenge"`
}

// authorization is an installation of the app that an event is for.
type authorization struct {
	Team       string `json:"team_id"`
	Enterprise bool   `json:"is_enterprise_install"`
}

// message is an event of type message or app_mention, and a message within one.
type message struct {
	Type        string            `json:"type"`
	Subtype     string            `json:"subtype"`
	Channel     string            `json:"channel"`
	ChannelType string            `json:"channel_type"`
	User        string            `json:"user"`
	Text        string            `json:"text"`
	TS          string            `json:"ts"`
	Thread      string            `json:"thread_ts"`
	ThreadOf    string            `json:"parent_user_id"`
	Bot         string            `json:"bot_id"`
	Team        string            `json:"team"`
	UserTeam    string            `json:"user_team"`
	SourceTeam  string            `json:"source_team"`
	Edited      *edited           `json:"edited"`
	Files       []json.RawMessage `json:"files"`
	Attachments []json.RawMessage `json:"attachments"`
	Blocks      []json.RawMessage `json:"blocks"`

	revision
}

// revision is the part of a message event that only message_changed and
// message_deleted have.
type revision struct {
	Message  *message `json:"message"`
	Previous *message `json:"previous_message"`
	Deleted  string   `json:"deleted_ts"`
	EventTS  string   `json:"event_ts"`
}

type edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// file is a file of a message.
type file struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Title      string `json:"title"`
	MIME       string `json:"mimetype"`
	Size       int64  `json:"size"`
	Mode       string `json:"mode"`
	External   bool   `json:"is_external"`
	Private    string `json:"url_private"`
	Download   string `json:"url_private_download"`
	FileAccess string `json:"file_access"`
	// User posted it. Subtype is slack_audio of a clip that was recorded in Slack, Millis the
	// length of its sound.
	User          string        `json:"user"`
	Subtype       string        `json:"subtype"`
	Millis        int64         `json:"duration_ms"`
	Transcription transcription `json:"transcription"`
}

// transcription is what Slack itself has written down of a clip.
type transcription struct {
	Status  string `json:"status"`
	Preview struct {
		Content string `json:"content"`
		More    bool   `json:"has_more"`
	} `json:"preview"`
}

// quoted is an attachment: a message that is passed on, or an app's addition.
type quoted struct {
	Share   bool              `json:"is_share"`
	Message bool              `json:"is_msg_unfurl"`
	Author  string            `json:"author_name"`
	Pretext string            `json:"pretext"`
	Title   string            `json:"title"`
	Text    string            `json:"text"`
	Else    string            `json:"fallback"`
	From    string            `json:"from_url"`
	Files   []json.RawMessage `json:"files"`
}

// block is an element of a message's layout, of any kind.
type block struct {
	Type     string            `json:"type"`
	Text     json.RawMessage   `json:"text"` // a string, or an object with one
	Alt      string            `json:"alt_text"`
	URL      string            `json:"url"`
	User     string            `json:"user_id"`
	Name     string            `json:"name"`
	Elements []json.RawMessage `json:"elements"`
	Fields   []json.RawMessage `json:"fields"`
}

// interaction is a person's action on an element that the app showed.
type interaction struct {
	Type string `json:"type"`
	User struct {
		ID   string `json:"id"`
		Team string `json:"team_id"`
	} `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Container struct {
		Message string `json:"message_ts"`
		Channel string `json:"channel_id"`
		Thread  string `json:"thread_ts"`
	} `json:"container"`
	Message struct {
		TS     string `json:"ts"`
		Thread string `json:"thread_ts"`
	} `json:"message"`
	Actions []action `json:"actions"`
}

// action is one press.
type action struct {
	Type  string `json:"type"`
	ID    string `json:"action_id"`
	Value string `json:"value"`
	TS    string `json:"action_ts"`
}

// command is a slash command.
type command struct {
	Command string `json:"command"`
	Text    string `json:"text"`
	User    string `json:"user_id"`
	Team    string `json:"team_id"`
	Channel string `json:"channel_id"`
	Trigger string `json:"trigger_id"`
	Reply   string `json:"response_url"`
}

// sound says that the ids of a command can be ids.
func (c *command) sound() bool {
	return api.IsID(c.User) && api.IsID(c.Channel) && api.IsID(c.Trigger) && (c.Team == "" || api.IsID(c.Team))
}

// timeOf reads a ts, which is a time in seconds and the name of a message, or gives
// zero.
func timeOf(ts string) time.Time {
	whole, part, _ := strings.Cut(ts, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || seconds <= 0 || seconds > 1<<40 {
		return time.Time{}
	}
	micros, err := strconv.ParseInt((part + "000000")[:6], 10, 64)
	if err != nil || micros < 0 {
		micros = 0
	}
	return time.Unix(seconds, micros*1000)
}

// isTS says that s is the ts of a message.
func isTS(s string) bool {
	whole, part, found := strings.Cut(s, ".")
	digits := func(s string) bool {
		return s != "" && len(s) <= 20 && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
	}
	return found && digits(whole) && digits(part)
}

// oneByOne decodes the values that can be decoded.
func oneByOne[T any](raws []json.RawMessage) []T {
	var all []T
	for _, raw := range raws {
		var v T
		if json.Unmarshal(raw, &v) == nil {
			all = append(all, v)
		}
	}
	return all
}
