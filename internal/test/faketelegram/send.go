package faketelegram

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// The limits of a message, in UTF-16 units after entities are parsed.
const (
	maxText    = 4096
	maxCaption = 1024
)

func (c *call) sendMessage() (any, error) {
	e, err := c.written()
	if err != nil {
		return nil, err
	}
	return c.send(e)
}

// written is a message of text, as the parameters have it.
func (c *call) written() (*entry, error) {
	text, ents, err := c.text("text", "entities", maxText)
	if err != nil {
		return nil, err
	}
	preview, err := c.preview()
	if err != nil {
		return nil, err
	}
	return &entry{message: message{Text: text, Entities: ents}, preview: preview}, nil
}

// send puts a message of the bot in its chat, with everything that all kinds of messages share.
func (c *call) send(e *entry) (any, error) {
	r, err := c.prepare(e)
	if err != nil {
		return nil, err
	}
	if err := c.limit(r); err != nil {
		return nil, err
	}
	c.put(r, e)
	return e.message, nil
}

// prepare checks where e is to go and which message it answers.
func (c *call) prepare(e *entry) (*room, error) {
	buttons, err := c.markup()
	if err != nil {
		return nil, err
	}
	r, err := c.target()
	if err != nil {
		return nil, err
	}
	if e.Thread, err = c.thread(r); err != nil {
		return nil, err
	}
	e.IsTopic = e.Thread != 0
	e.Markup = buttons
	return r, c.reply(r, e)
}

// put enters e as the bot's.
func (c *call) put(r *room, e *entry) {
	now := time.Now()
	e.own, e.sent, e.Date = true, now, now.Unix()
	e.silent = c.param("disable_notification") == "true"
	if r.info.Type == typeChannel {
		info := r.info
		e.SenderChat = &info
	} else {
		bot := c.bot.user
		e.From = &bot
	}
	text, _ := e.text()
	e.versions = []string{text}
	r.add(e)
}

// text is the parameter name, parsed; limit bounds it, and only a caption may be empty.
func (c *call) text(name, entitiesName string, limit int) (string, []Entity, error) {
	raw := c.param(name)
	if raw == "" {
		if limit == maxCaption {
			return "", nil, nil
		}
		return "", nil, bad(wordTextEmpty)
	}
	text, ents, err := c.parse(raw, c.param(entitiesName))
	if err != nil {
		return "", nil, err
	}
	switch {
	case text == "" && limit == maxText:
		return "", nil, bad(wordBlank)
	case units(text) > maxText && limit == maxText:
		return "", nil, bad(wordTooLong)
	case units(text) > maxCaption && limit == maxCaption:
		return "", nil, bad(wordCaptionLong)
	}
	return text, ents, nil
}

// parse applies parse_mode, or entities without one, and cleans the result.
func (c *call) parse(raw, entitiesJSON string) (string, []Entity, error) {
	raw = strings.ToValidUTF8(raw, "\x00")
	if strings.Contains(raw, "\x00") {
		return "", nil, bad(wordUTF8)
	}
	var ents []Entity
	switch mode := c.param("parse_mode"); {
	case strings.EqualFold(mode, "html"):
		parsed, list, err := ParseHTML(raw)
		if err != nil {
			return "", nil, bad(wordEntities + err.Error())
		}
		raw, ents = parsed, c.known(list)
	case mode != "" && !strings.EqualFold(mode, "none"):
		return "", nil, bad(wordParseMode)
	case entitiesJSON != "":
		if err := json.Unmarshal([]byte(entitiesJSON), &ents); err != nil {
			return "", nil, bad(wordEntities + "expected an Array of MessageEntity")
		}
	}
	text, ents := tidy(raw, ents)
	return text, append(ents, AutoLinks(text, ents)...), nil
}

// known drops mentions of people whom the server does not know.
func (c *call) known(list []Entity) []Entity {
	var kept []Entity
	for _, e := range list {
		if e.User != nil {
			u, ok := c.srv.users[e.User.ID]
			if !ok {
				continue
			}
			e.User = &u
		}
		kept = append(kept, e)
	}
	return kept
}

// preview says whether links show a preview.
func (c *call) preview() (bool, error) {
	if c.param("link_preview_options") == "" {
		return true, nil
	}
	var options struct {
		Disabled bool `json:"is_disabled"`
	}
	if err := c.decode("link_preview_options", &options, wordPreviewJSON, wordPreviewObject); err != nil {
		return false, err
	}
	return !options.Disabled, nil
}

// reply applies reply_parameters.
func (c *call) reply(r *room, e *entry) error {
	if c.param("reply_parameters") == "" {
		return nil
	}
	var p struct {
		ID      int64  `json:"message_id"`
		Without bool   `json:"allow_sending_without_reply"`
		Quote   string `json:"quote"`
	}
	if err := c.decode("reply_parameters", &p, wordReplyJSON, wordReplyObject); err != nil {
		return err
	}
	to := r.find(p.ID)
	if to == nil || (e.Thread != 0 && to.Thread != e.Thread) {
		if p.Without {
			return nil
		}
		return bad(wordNoReply)
	}
	if p.Quote != "" {
		text, _ := to.text()
		before, _, ok := strings.Cut(text, p.Quote)
		if !ok {
			return bad(wordQuote)
		}
		e.Quote = &quote{Text: p.Quote, Position: units(before), Manual: true}
	}
	e.ReplyTo = to.quoted()
	if r.counts() && e.Thread == 0 {
		e.Thread, e.IsTopic = to.Thread, to.IsTopic
		if e.Thread == 0 {
			e.Thread = to.ID
		}
	}
	return nil
}

// Bounds of an inline keyboard.
const (
	maxCallbackData = 64
	maxButtons      = 100
)

// markup checks reply_markup.
func (c *call) markup() (json.RawMessage, error) {
	value := c.param("reply_markup")
	if value == "" {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := c.decode("reply_markup", &fields, wordMarkupJSON, wordMarkupObject); err != nil {
		return nil, err
	}
	inline, ok := fields["inline_keyboard"]
	if !ok {
		return nil, nil // keyboards of other kinds do not belong to the message
	}
	var rows [][]map[string]any
	if err := json.Unmarshal(inline, &rows); err != nil {
		return nil, bad(wordMarkupRows)
	}
	count := 0
	for _, row := range rows {
		for _, button := range row {
			if err := checkButton(button); err != nil {
				return nil, err
			}
			count++
		}
	}
	switch {
	case count > maxButtons:
		return nil, bad(wordMarkupLong)
	case count == 0:
		return nil, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(value)); err != nil {
		return nil, bad(wordMarkupJSON)
	}
	return compact.Bytes(), nil
}

func checkButton(button map[string]any) error {
	label, _ := button["text"].(string)
	if label == "" || len(button) < 2 {
		return bad(wordMarkupText)
	}
	data, given := button["callback_data"]
	if !given {
		return nil
	}
	if text, _ := data.(string); text == "" || len(text) > maxCallbackData {
		return bad(wordButtonData)
	}
	return nil
}

func (c *call) sendMessageDraft() (any, error) {
	text, ents := "", []Entity(nil)
	if c.param("text") != "" { // an empty one shows that the bot thinks
		var err error
		if text, ents, err = c.text("text", "entities", maxText); err != nil {
			return nil, err
		}
	}
	r, err := c.target()
	if err != nil {
		return nil, err
	}
	if r.info.Type != typePrivate {
		return nil, bad(wordDraftPeer)
	}
	thread, err := c.thread(r)
	if err != nil {
		return nil, err
	}
	id := c.req.Int("draft_id")
	if id == 0 {
		return nil, bad(wordDraftID)
	}
	if err := c.limitPassing(r); err != nil {
		return nil, err
	}
	r.drafts = append(r.drafts, Draft{ID: id, Thread: thread, Text: text, Entities: ents, Time: time.Now()})
	return true, nil
}
