package faketelegram

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// refusal is the Bot API's {ok: false}.
type refusal struct {
	Code        int
	Description string
	RetryAfter  int
	MigrateTo   int64
}

func (r *refusal) Error() string { return r.Description }

// Words of the Bot API server itself.
const (
	wordUnauthorized   = "Unauthorized"
	wordNotFound       = "Not Found"
	wordNoMethod       = "Not Found: method not found"
	wordChatEmpty      = "chat_id is empty"
	wordChatNotFound   = "chat not found"
	wordTextEmpty      = "message text is empty"
	wordNoThread       = "message thread not found"
	wordNoMessageID    = "message identifier is not specified"
	wordMigrated       = "group chat was upgraded to a supergroup chat"
	wordCantDelete     = "message can't be deleted"
	wordQueryOld       = "query is too old and response timeout expired or query ID is invalid"
	wordBadAction      = "wrong parameter action in request"
	wordParseMode      = "unsupported parse_mode"
	wordFileID         = "file_id not specified"
	wordFileBig        = "file is too big"
	wordFileWrong      = "wrong file_id or the file is temporarily unavailable"
	wordNoPhoto        = "there is no photo in the request"
	wordNoDocument     = "there is no document in the request"
	wordSecretChars    = "secret token contains unallowed characters"
	wordSecretLong     = "secret token is too long"
	wordMarkupJSON     = "can't parse reply keyboard markup JSON object"
	wordMarkupObject   = "object expected as reply markup"
	wordMarkupRows     = "field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array of Arrays"
	wordMarkupText     = "text buttons are unallowed in the inline keyboard"
	wordMarkupLong     = "reply markup is too long"
	wordReplyJSON      = "can't parse reply parameters JSON object"
	wordReplyObject    = "object expected as reply parameters"
	wordPreviewJSON    = "can't parse link preview options JSON object"
	wordPreviewObject  = "object expected as link preview options"
	wordCommandsJSON   = "can't parse commands JSON object"
	wordCommandsArray  = "expected an Array of BotCommand"
	wordMediaJSON      = "can't parse media JSON object"
	wordMediaArray     = "expected an Array of InputMedia"
	wordMediaTooMany   = "too many items specified"
	wordBlocked        = "Forbidden: bot was blocked by the user"
	wordDeactivated    = "Forbidden: user is deactivated"
	wordKicked         = "Forbidden: bot was kicked from the %s chat"
	wordNotMember      = "Forbidden: bot is not a member of the %s chat"
	wordConflict       = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	wordConflictHook   = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
	wordConflictHooked = "Conflict: terminated by setWebhook request"
)

// Words of the core behind it.
const (
	wordBlank        = "text must be non-empty"
	wordTooLong      = "message is too long"
	wordCaptionLong  = "message caption is too long"
	wordUTF8         = "strings must be encoded in UTF-8"
	wordEntities     = "can't parse entities: "
	wordNoReply      = "message to be replied not found"
	wordNoEdit       = "message to edit not found"
	wordNoDelete     = "message to delete not found"
	wordCantEdit     = "message can't be edited"
	wordNoTextToEdit = "there is no text in the message to edit"
	wordNotModified  = "message is not modified: specified new message content and reply markup are exactly the same as a " +
		"current content and reply markup of the message"
	wordQuote         = "QUOTE_TEXT_INVALID"
	wordButtonData    = "BUTTON_DATA_INVALID"
	wordCommand       = "BOT_COMMAND_INVALID"
	wordCommandText   = "BOT_COMMAND_DESCRIPTION_INVALID"
	wordCommandsMuch  = "BOT_COMMANDS_TOO_MUCH"
	wordDraftPeer     = "TEXTDRAFT_PEER_INVALID"
	wordDraftID       = "RANDOM_ID_INVALID"
	wordAnswerLong    = "MESSAGE_TOO_LONG"
	wordWebhookHTTPS  = "bad webhook: An HTTPS URL must be provided for webhook"
	wordEntityTooLong = "Request Entity Too Large"
)

func bad(words string) *refusal {
	return &refusal{Code: http.StatusBadRequest, Description: "Bad Request: " + words}
}

func forbidden(words string) *refusal {
	return &refusal{Code: http.StatusForbidden, Description: words}
}

func conflict(words string) *refusal {
	return &refusal{Code: http.StatusConflict, Description: words}
}

func tooMany(wait time.Duration) *refusal {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	return &refusal{
		Code: http.StatusTooManyRequests, RetryAfter: seconds,
		Description: fmt.Sprintf("Too Many Requests: retry after %d", seconds),
	}
}

func migrated(to int64) *refusal {
	r := bad(wordMigrated)
	r.MigrateTo = to
	return r
}

// expelled is the answer to a bot that is not in a chat of type kind.
func expelled(format, kind string) *refusal {
	return forbidden(strings.Replace(format, "%s", kind, 1))
}
