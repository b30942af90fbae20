package faketelegram

import "encoding/json"

// User is a person or a bot.
type User struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name,omitempty"`
	Username     string `json:"username,omitempty"`
	LanguageCode string `json:"language_code,omitempty"`
}

// Entity is a formatted piece of a text. Offset and Length are UTF-16 units.
type Entity struct {
	Type          string `json:"type"`
	Offset        int    `json:"offset"`
	Length        int    `json:"length"`
	URL           string `json:"url,omitempty"`
	User          *User  `json:"user,omitempty"`
	Language      string `json:"language,omitempty"`
	CustomEmojiID string `json:"custom_emoji_id,omitempty"`
	UnixTime      int64  `json:"unix_time,omitempty"`
	DateFormat    string `json:"date_time_format,omitempty"`
}

// Types of chats.
const (
	typePrivate    = "private"
	typeGroup      = "group"
	typeSupergroup = "supergroup"
	typeChannel    = "channel"
)

// chatInfo is a chat as messages name it.
type chatInfo struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	Username  string `json:"username,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	IsForum   bool   `json:"is_forum,omitempty"`
}

// message is a message as the Bot API writes it.
type message struct {
	ID           int64           `json:"message_id"`
	Thread       int64           `json:"message_thread_id,omitempty"`
	From         *User           `json:"from,omitempty"`
	SenderChat   *chatInfo       `json:"sender_chat,omitempty"`
	Chat         chatInfo        `json:"chat"`
	Date         int64           `json:"date"`
	EditDate     int64           `json:"edit_date,omitempty"`
	IsTopic      bool            `json:"is_topic_message,omitempty"`
	ReplyTo      *message        `json:"reply_to_message,omitempty"`
	Quote        *quote          `json:"quote,omitempty"`
	AlbumID      string          `json:"media_group_id,omitempty"`
	Text         string          `json:"text,omitempty"`
	Entities     []Entity        `json:"entities,omitempty"`
	Photo        []fileInfo      `json:"photo,omitempty"`
	Document     *fileInfo       `json:"document,omitempty"`
	Voice        *fileInfo       `json:"voice,omitempty"`
	Caption      string          `json:"caption,omitempty"`
	CaptionEnts  []Entity        `json:"caption_entities,omitempty"`
	Location     *location       `json:"location,omitempty"`
	Contact      *contact        `json:"contact,omitempty"`
	NewMembers   []User          `json:"new_chat_members,omitempty"`
	LeftMember   *User           `json:"left_chat_member,omitempty"`
	Forward      *origin         `json:"forward_origin,omitempty"`
	MigrateTo    int64           `json:"migrate_to_chat_id,omitempty"`
	MigrateFrom  int64           `json:"migrate_from_chat_id,omitempty"`
	TopicCreated *topicCreated   `json:"forum_topic_created,omitempty"`
	Markup       json.RawMessage `json:"reply_markup,omitempty"`
}

// origin is where a message that is passed on comes from: a person who hides the account.
type origin struct {
	Type       string `json:"type"`
	Date       int64  `json:"date"`
	SenderName string `json:"sender_user_name"`
}

type quote struct {
	Text     string `json:"text"`
	Position int    `json:"position"`
	Manual   bool   `json:"is_manual,omitempty"`
}

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type contact struct {
	Phone     string `json:"phone_number"`
	FirstName string `json:"first_name"`
	UserID    int64  `json:"user_id,omitempty"`
}

type topicCreated struct {
	Name      string `json:"name"`
	IconColor int    `json:"icon_color"`
}

// fileInfo is a photo size, a document or a voice note as messages name it.
type fileInfo struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	FileName     string `json:"file_name,omitempty"`
	MIME         string `json:"mime_type,omitempty"`
	Width        int    `json:"width,omitempty"`
	Height       int    `json:"height,omitempty"`
	Duration     int    `json:"duration,omitempty"`
	FileSize     int64  `json:"file_size,omitempty"`
	FilePath     string `json:"file_path,omitempty"`
}

// text is the text that people read of m, be it a text or a caption.
func (m *message) text() (string, []Entity) {
	if m.Text != "" {
		return m.Text, m.Entities
	}
	return m.Caption, m.CaptionEnts
}

// quoted is m as it stands inside of a reply to it.
func (m *message) quoted() *message {
	c := *m
	c.ReplyTo = nil
	return &c
}
