package update

import "encoding/json"

// The parts of the Bot API's objects that are read. A field that is left out here
// cannot make an update unreadable.

type update struct {
	ID           *int64        `json:"update_id"`
	Message      *message      `json:"message"`
	Edited       *message      `json:"edited_message"`
	Callback     *callback     `json:"callback_query"`
	MyChatMember *memberChange `json:"my_chat_member"`
}

type user struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
}

type chat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	FirstName string `json:"first_name"`
}

type message struct {
	ID         int64     `json:"message_id"`
	Thread     int64     `json:"message_thread_id"`
	InTopic    bool      `json:"is_topic_message"`
	From       *user     `json:"from"`
	SenderChat *chat     `json:"sender_chat"`
	Chat       chat      `json:"chat"`
	Date       int64     `json:"date"`
	EditDate   int64     `json:"edit_date"`
	Auto       bool      `json:"is_automatic_forward"`
	ViaBot     *user     `json:"via_bot"`
	Forward    *origin   `json:"forward_origin"`
	Reply      *message  `json:"reply_to_message"`
	External   *external `json:"external_reply"`
	Quote      *struct {
		Text string `json:"text"`
	} `json:"quote"`
	Group        string `json:"media_group_id"`
	MigrateTo    int64  `json:"migrate_to_chat_id"`
	MigrateFrom  int64  `json:"migrate_from_chat_id"`
	TopicCreated *struct {
		Name string `json:"name"`
	} `json:"forum_topic_created"`
	writing
	content
}

// writing is the text of a message, or the text below its file.
type writing struct {
	Text            string   `json:"text"`
	Entities        []entity `json:"entities"`
	Caption         string   `json:"caption"`
	CaptionEntities []entity `json:"caption_entities"`
}

// content is the content of a message beside its text.
type content struct {
	Photo     []file          `json:"photo"`
	Document  *file           `json:"document"`
	Animation *file           `json:"animation"`
	Audio     *file           `json:"audio"`
	Video     *file           `json:"video"`
	VideoNote *file           `json:"video_note"`
	Voice     *file           `json:"voice"`
	Sticker   *sticker        `json:"sticker"`
	Contact   *contact        `json:"contact"`
	Location  *location       `json:"location"`
	Venue     *venue          `json:"venue"`
	Poll      *poll           `json:"poll"`
	Dice      *dice           `json:"dice"`
	Checklist *checklist      `json:"checklist"`
	Story     json.RawMessage `json:"story"`
	PaidMedia json.RawMessage `json:"paid_media"`
	Game      *struct {
		Title string `json:"title"`
	} `json:"game"`
}

type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	URL    string `json:"url"`
	User   *user  `json:"user"`
}

type origin struct {
	SenderUser *user  `json:"sender_user"`
	SenderName string `json:"sender_user_name"`
	SenderChat *chat  `json:"sender_chat"`
	Chat       *chat  `json:"chat"`
}

// external is the part that is known of a message in another chat that somebody answers
// or quotes: not its text.
type external struct {
	Origin *origin `json:"origin"`
	content
}

type file struct {
	ID        string `json:"file_id"`
	Size      int64  `json:"file_size"`
	Name      string `json:"file_name"`
	MIME      string `json:"mime_type"`
	Duration  int64  `json:"duration"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Title     string `json:"title"`
	Performer string `json:"performer"`
}

type sticker struct {
	Emoji string `json:"emoji"`
	Set   string `json:"set_name"`
}

type contact struct {
	Phone     string `json:"phone_number"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
}

type location struct {
	Latitude   float64 `json:"latitude"`
	Longitude  float64 `json:"longitude"`
	LivePeriod int64   `json:"live_period"`
}

type venue struct {
	Title   string `json:"title"`
	Address string `json:"address"`
}

type poll struct {
	Question string `json:"question"`
	Options  []struct {
		Text string `json:"text"`
	} `json:"options"`
}

type dice struct {
	Emoji string `json:"emoji"`
	Value int    `json:"value"`
}

type checklist struct {
	Title string `json:"title"`
	Tasks []struct {
		Text string `json:"text"`
	} `json:"tasks"`
}

type callback struct {
	ID      string   `json:"id"`
	From    *user    `json:"from"`
	Message *message `json:"message"`
	Data    string   `json:"data"`
}

type memberChange struct {
	Chat chat `json:"chat"`
	Old  struct {
		Status string `json:"status"`
	} `json:"old_chat_member"`
	New struct {
		Status string `json:"status"`
	} `json:"new_chat_member"`
}
