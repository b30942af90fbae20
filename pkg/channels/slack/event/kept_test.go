package event_test

import (
	"strings"
	"testing"
)

// A cut or spoiled payload is kept without its secrets, too.
func TestSpoiledPayloadsKeepNoSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"envelope_id":"e","payload":{"token":"s3cret","response_url":"https:\/\/hooks.test\/s3cret","text":"kept"`,
		`{"payload":{"Token" : "s3cret","text":"kept"}} {}`,
		`{"payload":"{\"trigger_id\":\"1.2.s3cret\",\"text\":\"kept\"}"`,
		`token=s3cret&text=kept&response_url=https%3A%2F%2Fhooks.test%2Fs3cret&x=%zz`,
		`payload=%7B%22token%22%3A%22s3cret%22%2C%22text%22%3A%22kept%22%7D%zz`,
	} {
		d := decode([]byte(text), me())
		if d.Unread == "" || strings.Contains(string(d.Raw), "s3cret") || !strings.Contains(string(d.Raw), "kept") {
			t.Errorf("%s is kept as %s", text, d.Raw)
		}
	}
}

// The payload of a message is kept as it was, if it is not too large.
func TestDecodeKeepsThePayload(t *testing.T) {
	t.Parallel()
	d := payload("events_api", []byte(post(`,"text":"x","unheard_of":{"n":12345678901234567890}`)), me())
	if !strings.Contains(string(d.Items[0].Raw), `"unheard_of":{"n":12345678901234567890}`) {
		t.Errorf("kept: %s", d.Items[0].Raw)
	}
	d = payload("events_api", []byte(post(`,"text":"`+strings.Repeat("x", 70_000)+`"`)), me())
	if len(d.Items) != 1 || d.Items[0].Raw != nil || len(d.Items[0].Text) != 70_000 {
		t.Errorf("a payload of 70 kB: %d items", len(d.Items))
	}
	d = payload("events_api", []byte(post(`,"text":"`+strings.Repeat("<", 60_000)+`"`)), me())
	if len(d.Items) != 1 || len(d.Items[0].Raw) > 64<<10 {
		t.Errorf("a payload that grows when it is escaped: %d items, %d bytes", len(d.Items), len(d.Items[0].Raw))
	}
}
