package event_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
)

// TestClips reads clips that were recorded in Slack. One that somebody else recorded is a file, and a
// part of a transcript is none.
func TestClips(t *testing.T) {
	t.Parallel()
	clip := func(user, subtype, transcription string) string {
		return `,"files":[{"id":"F1","name":"audio_message.m4a","mimetype":"audio/mp4","size":900,"user":"` + user + `","subtype":"` + subtype +
			`","duration_ms":62900,"transcription":` + transcription + `}]`
	}
	file := channels.Attachment{About: "audio audio_message.m4a, 900 bytes", Ref: "F1", Name: "audio_message.m4a", Size: 900, Seconds: 62}
	voice := file
	voice.Voice = true
	heard := voice
	heard.Transcript = "hello there"
	for name, c := range map[string]struct {
		fields string
		want   channels.Attachment
	}{
		"written down": {clip("U1", "slack_audio", `{"status":"complete","preview":{"content":" hello there","has_more":false}}`), heard},
		"in part":      {clip("U1", "slack_audio", `{"status":"complete","preview":{"content":"hello","has_more":true}}`), voice},
		"not yet":      {clip("U1", "slack_audio", `{"status":"processing"}`), voice},
		"not told":     {clip("U1", "slack_audio", `null`), voice},
		"of another":   {clip("U2", "slack_audio", `{"status":"processing"}`), file},
		"a sound file": {clip("U1", "", `null`), file},
	} {
		d := payload("events_api", []byte(post(c.fields)), me())
		if len(d.Items) != 1 {
			t.Fatalf("%s: %+v", name, d)
		}
		if diff := cmp.Diff([]channels.Attachment{c.want}, d.Items[0].Attachments); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}
