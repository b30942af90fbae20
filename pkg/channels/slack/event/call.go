package event

import (
	"encoding/json"
	"mime"
	"net/url"
)

// OpenCall gives the content of a call over HTTP: JSON events, or a form with a press
// or a command.
func OpenCall(contentType string, body []byte) (envelopeType string, payload json.RawMessage) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/x-www-form-urlencoded" {
		return TypeEvents, body
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return TypeEvents, body // it is no event: the decoder keeps it as unreadable
	}
	if payload := values.Get("payload"); payload != "" {
		return TypeInteractive, json.RawMessage(payload)
	}
	return TypeCommands, form(values)
}

// Challenge is the text that Slack wants back when it asks whether a call reaches the
// app.
func Challenge(envelopeType string, payload json.RawMessage) (text string, asked bool) {
	var cb callback
	if envelopeType != TypeEvents || json.Unmarshal(payload, &cb) != nil || cb.Type != "url_verification" {
		return "", false
	}
	return cb.Challenge, true
}

// form makes JSON of a form.
func form(values url.Values) json.RawMessage {
	fields := map[string]string{}
	for name := range values {
		fields[name] = values.Get(name)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return text
}
