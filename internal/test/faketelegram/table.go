package faketelegram

import "strings"

// Param is one parameter of a method.
type Param struct {
	Name string
	// Types are the Bot API's words for its type, one of them.
	Types    []string
	Required bool
}

// Method is one method of the Bot API that the server knows.
type Method struct {
	Name   string
	Params []Param
}

// Types that many methods share.
const (
	chatID   = "Integer|String"
	fileID   = "InputFile|String"
	markup   = "InlineKeyboardMarkup|ReplyKeyboardMarkup|ReplyKeyboardRemove|ForceReply"
	entities = "Array of MessageEntity"
	album    = "Array of InputMediaAudio|Array of InputMediaDocument|Array of InputMediaLivePhoto|Array of " +
		"InputMediaPhoto|Array of InputMediaVideo"
)

// Methods is the table of the methods that the server knows, with all of their
// parameters, as of Bot API 10.1.
func Methods() []Method {
	return []Method{
		method("getMe"),
		method("getUpdates",
			"offset Integer", "limit Integer", "timeout Integer", "allowed_updates Array of String"),
		method("setWebhook",
			"url! String", "certificate InputFile", "ip_address String", "max_connections Integer",
			"allowed_updates Array of String", "drop_pending_updates Boolean", "secret_token String"),
		method("deleteWebhook", "drop_pending_updates Boolean"),
		method("getWebhookInfo"),
		method("getChat", "chat_id! "+chatID),
		method("getFile", "file_id! String"),
		method("sendMessage", sending("text! String", "parse_mode String", "entities "+entities,
			"link_preview_options LinkPreviewOptions")...),
		method("sendPhoto", sending("photo! "+fileID, "caption String", "parse_mode String",
			"caption_entities "+entities, "show_caption_above_media Boolean", "has_spoiler Boolean")...),
		method("sendDocument", sending("document! "+fileID, "thumbnail "+fileID, "caption String",
			"parse_mode String", "caption_entities "+entities, "disable_content_type_detection Boolean")...),
		method("sendMediaGroup",
			"business_connection_id String", "chat_id! "+chatID, "message_thread_id Integer",
			"direct_messages_topic_id Integer", "media! "+album, "disable_notification Boolean",
			"protect_content Boolean", "allow_paid_broadcast Boolean", "message_effect_id String",
			"reply_parameters ReplyParameters"),
		method("sendMessageDraft",
			"chat_id! Integer", "message_thread_id Integer", "draft_id! Integer", "text String",
			"parse_mode String", "entities "+entities),
		method("sendChatAction",
			"business_connection_id String", "chat_id! "+chatID, "message_thread_id Integer", "action! String"),
		method("editMessageText", "business_connection_id String", "chat_id "+chatID, "message_id Integer",
			"inline_message_id String", "text String", "parse_mode String", "entities "+entities,
			"link_preview_options LinkPreviewOptions", "rich_message InputRichMessage",
			"reply_markup InlineKeyboardMarkup"),
		method("editMessageReplyMarkup",
			"business_connection_id String", "chat_id "+chatID, "message_id Integer",
			"inline_message_id String", "reply_markup InlineKeyboardMarkup"),
		method("deleteMessage", "chat_id! "+chatID, "message_id! Integer"),
		method("answerCallbackQuery",
			"callback_query_id! String", "text String", "show_alert Boolean", "url String", "cache_time Integer"),
		method("setMyCommands", "commands! Array of BotCommand", "scope BotCommandScope", "language_code String"),
		method("getMyCommands", "scope BotCommandScope", "language_code String"),
		method("deleteMyCommands", "scope BotCommandScope", "language_code String"),
	}
}

// sending adds the parameters of every method that sends one message.
func sending(own ...string) []string {
	return append(own,
		"business_connection_id String", "chat_id! "+chatID, "message_thread_id Integer",
		"direct_messages_topic_id Integer", "disable_notification Boolean", "protect_content Boolean",
		"allow_paid_broadcast Boolean", "message_effect_id String",
		"suggested_post_parameters SuggestedPostParameters", "reply_parameters ReplyParameters",
		"reply_markup "+markup)
}

// Each of params is a name and its types, such as "chat_id! Integer|String"; the
// exclamation mark means that it is required.
func method(name string, params ...string) Method {
	m := Method{Name: name}
	for _, p := range params {
		word, types, _ := strings.Cut(p, " ")
		word, required := strings.CutSuffix(word, "!")
		m.Params = append(m.Params, Param{Name: word, Types: strings.Split(types, "|"), Required: required})
	}
	return m
}
