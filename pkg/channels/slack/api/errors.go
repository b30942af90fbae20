package api

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
)

// Error is Slack's own refusal: {"ok":false,"error":"name"}.
type Error struct {
	Method string
	// Name is Slack's word for it, such as channel_not_found.
	Name string
	// Needed is the scope that is missing, where Slack tells it.
	Needed string
	// RetryAfter is the answer's header, or zero.
	RetryAfter time.Duration
	// Messages are Slack's details, such as the fault of a block. They may quote the
	// message: they are for decisions, and are in no log.
	Messages []string
}

// Error gives one line for logs.
func (e *Error) Error() string {
	if e.Needed != "" {
		return fmt.Sprintf("%s: %.100s (needs %.100s)", e.Method, e.Name, e.Needed)
	}
	return fmt.Sprintf("%s: %.100s", e.Method, e.Name)
}

// Has reports whether the refusal has one of the names.
func (e *Error) Has(names ...string) bool {
	return slices.Contains(names, e.Name)
}

// Says reports whether a detail holds one of the texts, which are lower case.
func (e *Error) Says(texts ...string) bool {
	for _, m := range e.Messages {
		for _, text := range texts {
			if strings.Contains(strings.ToLower(m), text) {
				return true
			}
		}
	}
	return false
}

// BadBlocks reports that Slack refuses the blocks; the text without them still counts as sent.
func (e *Error) BadBlocks() bool {
	return e.Has("invalid_blocks", "invalid_blocks_format", "block_mismatch", "markdown_text_conflict", "msg_blocks_too_long") ||
		e.Has("invalid_arguments") && e.Says("blocks")
}

// NoEdit reports that the message to edit is gone or can no longer be edited.
func (e *Error) NoEdit() bool {
	return e.Has("message_not_found", "cant_update_message", "edit_window_closed")
}

// NoRoom reports that the text is too long for chat.update, which takes 4,000 characters;
// chat.postMessage takes ten times that.
func (e *Error) NoRoom() bool { return e.Has("msg_too_long") }

// NoThread reports that the root of the thread is gone or takes no replies. Below a deleted one Slack mostly posts into
// the channel by itself.
func (e *Error) NoThread() bool {
	return e.Has("thread_not_found", "invalid_thread_ts", "cannot_reply_to_message", "restricted_action_non_threadable_channel")
}

// Streaming reports that the message is still being streamed, and takes no update.
func (e *Error) Streaming() bool { return e.Has("streaming_state_conflict") }

// Unsupported reports that the server, the app or the kind of chat lacks the method; the
// next call would get the same answer.
func (e *Error) Unsupported() bool {
	return e.Has("unknown_method", "channel_type_not_supported", "method_not_supported_for_channel_type", "not_allowed_token_type",
		"missing_scope", "method_deprecated", "deprecated_endpoint", "no_permission", "access_denied", "feature_not_enabled",
		"team_not_found", "missing_recipient_team_id", "missing_recipient_user_id", "invalid_arguments", "invalid_arg_name")
}

// Class is the consequence of a refusal for the message that was refused, by the
// reference pages of chat.postMessage, chat.update and files.completeUploadExternal. A
// name that is not here is about the message: Slack will not take it later either, and
// surely does not have it.
func (e *Error) Class() channels.SendClass {
	switch {
	case e.Has("ratelimited", "rate_limited", "message_limit_exceeded"):
		return channels.SendRateLimited
	case e.noChat():
		return channels.SendGone
	case e.barred():
		return channels.SendAuth
	case e.later():
		return channels.SendTransient
	case e.Doubtful():
		return channels.SendAmbiguous
	default:
		return channels.SendRefused
	}
}

// Passes reports that the same call may succeed later.
func (e *Error) Passes() bool {
	class := e.Class()
	return class == channels.SendRateLimited || class == channels.SendTransient || class == channels.SendAmbiguous
}

// noChat: the chat is not there for the bot, or it may not write in it. Slack
// says of no_permission that the app is not a member of the conversation.
func (e *Error) noChat() bool {
	return e.Has("channel_not_found", "not_in_channel", "is_archived", "is_inactive", "user_not_found", "users_not_found",
		"user_disabled", "user_not_visible", "cannot_dm_bot", "messages_tab_disabled", "restricted_action",
		"restricted_action_read_only_channel", "restricted_action_thread_only_channel", "restricted_action_non_threadable_channel",
		"no_permission", "access_denied", "invalid_channel")
}

// barred: the app may not act at all before somebody sees to it.
func (e *Error) barred() bool {
	return e.Has("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope",
		"not_allowed_token_type", "ekm_access_denied", "accesslimited", "enterprise_is_restricted", "team_access_not_granted",
		"two_factor_setup_required", "unknown_method", "method_deprecated", "deprecated_endpoint")
}

// later: Slack is away for a while and had no effect. request_timeout says that the
// request came in pieces; update_failed is only of edits, which may be made again.
func (e *Error) later() bool {
	return e.Has("service_unavailable", "team_added_to_org", "org_login_required", "external_channel_migrating",
		"request_timeout", "update_failed", "streaming_state_conflict")
}

// Doubtful reports an error that may follow a partial success, by Slack's reference ("some
// aspect of the operation succeeded before the error was raised").
func (e *Error) Doubtful() bool { return e.Has("internal_error", "fatal_error") }
