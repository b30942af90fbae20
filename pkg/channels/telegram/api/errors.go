package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley/pkg/channels"
)

// Error is Telegram's own refusal: {"ok":false,"error_code":…,"description":…}.
type Error struct {
	Method      string
	Code        int
	Description string
	// RetryAfter and MigrateTo are the answer's parameters, or zero.
	RetryAfter time.Duration
	MigrateTo  int64
}

// Error gives one line for logs.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %d %.200s", e.Method, e.Code, e.Description)
}

// Says reports whether the description holds one of the texts, which are lower case.
func (e *Error) Says(texts ...string) bool {
	description := strings.ToLower(e.Description)
	for _, text := range texts {
		if strings.Contains(description, text) {
			return true
		}
	}
	return false
}

// BadMarkup reports that Telegram cannot read the HTML; the text without it still counts as sent.
func (e *Error) BadMarkup() bool {
	return e.Code == http.StatusBadRequest && e.Says("can't parse entities", "entities_too_long")
}

// NotModified reports that the message has the text of the edit already.
func (e *Error) NotModified() bool {
	return e.Code == http.StatusBadRequest && e.Says("message is not modified")
}

// NoReply reports that the message to answer is gone; allow_sending_without_reply covers
// only some of the cases.
func (e *Error) NoReply() bool {
	return e.Code == http.StatusBadRequest &&
		e.Says("message to be replied not found", "message to reply not found", "reply_message_id_invalid")
}

// NoEdit reports that the message to edit is gone or can no longer be edited.
func (e *Error) NoEdit() bool {
	return e.Code == http.StatusBadRequest && e.Says("message to edit not found", "message can't be edited", "message_id_invalid")
}

// NoPhoto reports that Telegram refuses the file as a picture; it may go as a document.
func (e *Error) NoPhoto() bool {
	return e.Code == http.StatusBadRequest && e.Says("photo_", "image_process_failed", "is too big", "wrong type of the web page content")
}

// RefusesToken says that the bot may not make any call: its token was revoked, or the
// server or a proxy has a fault.
func (e *Error) RefusesToken() bool {
	return e.Code == http.StatusUnauthorized || e.Code == http.StatusNotFound
}

// noChat: a 400 that says of the chat, or of its topic, the same as a 403.
func (e *Error) noChat() bool {
	return e.Says("chat not found", "deactivated", "kicked", "blocked", "chat was deleted", "not a member", "peer_id_invalid",
		"have no access", "have no rights to send", "not enough rights to send text", "no write access", "need administrator rights",
		"chat_write_forbidden", "chat_restricted", "message thread not found", "topic_deleted", "topic_closed")
}

// Class is the consequence of a refusal for the refused message.
func (e *Error) Class() channels.SendClass {
	switch {
	case e.Code == http.StatusTooManyRequests:
		return channels.SendRateLimited
	case e.Code == http.StatusForbidden, e.Code == http.StatusBadRequest && e.noChat():
		return channels.SendGone
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusNotFound:
		return channels.SendAuth
	case e.Code >= http.StatusInternalServerError, e.Code == http.StatusConflict:
		return channels.SendTransient // Telegram itself says that it did not do it
	default:
		return channels.SendRefused
	}
}
