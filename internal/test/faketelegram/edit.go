package faketelegram

import (
	"bytes"
	"reflect"
	"time"
)

// existing is the bot's message of chat_id and message_id.
func (c *call) existing() (*room, *entry, error) {
	r, err := c.target()
	if err != nil {
		return nil, nil, err
	}
	if c.param("message_id") == "" {
		return nil, nil, bad(wordNoMessageID)
	}
	e := r.find(c.req.Int("message_id"))
	switch {
	case e == nil:
		return nil, nil, bad(wordNoEdit)
	case !e.own:
		return nil, nil, bad(wordCantEdit)
	}
	return r, e, nil
}

func (c *call) editMessageText() (any, error) {
	now, err := c.written()
	if err != nil {
		return nil, err
	}
	if now.Markup, err = c.markup(); err != nil {
		return nil, err
	}
	r, e, err := c.existing()
	if err != nil {
		return nil, err
	}
	if e.Text == "" {
		return nil, bad(wordNoTextToEdit)
	}
	if e.Text == now.Text && reflect.DeepEqual(e.Entities, now.Entities) && bytes.Equal(e.Markup, now.Markup) {
		return nil, bad(wordNotModified)
	}
	if err := c.limit(r); err != nil {
		return nil, err
	}
	e.Text, e.Entities, e.Markup, e.preview = now.Text, now.Entities, now.Markup, now.preview
	e.versions = append(e.versions, now.Text)
	e.changed()
	return e.message, nil
}

func (c *call) editMessageReplyMarkup() (any, error) {
	buttons, err := c.markup()
	if err != nil {
		return nil, err
	}
	r, e, err := c.existing()
	if err != nil {
		return nil, err
	}
	if bytes.Equal(e.Markup, buttons) {
		return nil, bad(wordNotModified)
	}
	if err := c.limit(r); err != nil {
		return nil, err
	}
	e.Markup = buttons
	e.changed()
	return e.message, nil
}

func (e *entry) changed() {
	e.edited = time.Now()
	e.EditDate = e.edited.Unix()
}

func (c *call) deleteMessage() (any, error) {
	r, err := c.target()
	if err != nil {
		return nil, err
	}
	e := r.find(c.req.Int("message_id"))
	switch {
	case e == nil:
		return nil, bad(wordNoDelete)
	case !e.own && r.info.Type != typePrivate && r.status != statusAdmin:
		return nil, bad(wordCantDelete)
	}
	e.deleted = true
	return true, nil
}
