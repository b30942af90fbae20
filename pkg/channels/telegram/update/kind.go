package update

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
)

// Useless updates are kept for the operator: one may be a kind of message that Telegram
// has invented since.

// unreadable is the kind of an update that cannot be decoded.
const unreadable = "unreadable"

// plainFields are those of a message that do not tell its kind.
const plainFields = " message_id message_thread_id is_topic_message from sender_chat sender_boost_count sender_business_bot sender_tag" +
	" business_connection_id direct_messages_topic chat date edit_date forward_origin is_automatic_forward reply_to_message" +
	" external_reply reply_to_story reply_to_checklist_task_id via_bot has_protected_content is_from_offline is_paid_post" +
	" media_group_id author_signature paid_star_count effect_id reply_markup "

// kindOf names the kind of an update: its own, and the fields of its message beside
// those that every message has.
func kindOf(raw json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return unreadable
	}
	delete(fields, "update_id")
	kind := words(fields)
	for _, name := range []string{"message", "edited_message"} {
		var inner map[string]json.RawMessage
		if json.Unmarshal(fields[name], &inner) != nil {
			continue
		}
		maps.DeleteFunc(inner, func(field string, _ json.RawMessage) bool { return strings.Contains(plainFields, " "+field+" ") })
		kind = strings.TrimSpace(kind + " " + words(inner))
	}
	return channels.OneLine(kind)
}

// words are the names of fields, in order.
func words(fields map[string]json.RawMessage) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(name string) bool { return !api.IsWord(name) })
	if len(names) == 0 {
		return "empty"
	}
	return strings.Join(names, ",")
}
