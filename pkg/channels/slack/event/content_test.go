package event_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
)

// The content beside a text, or in its place.
func TestDecodeContent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fields    string
		text      string
		files     []channels.Attachment
		forwarded bool
	}{
		"escapes and references": {`,"text":"a &lt;b&gt; <https://x.test|y> <@U2>"`, "a <b> y (https://x.test) @U2", nil, false},
		"a file": {
			`,"text":"see","files":[{"id":"F1","name":"report.pdf","mimetype":"application/pdf","size":12345,"mode":"hosted"}]`,
			"see",
			[]channels.Attachment{{About: "document report.pdf, 12 kB", Ref: "F1", Name: "report.pdf", Size: 12345}},
			false,
		},
		"a picture without a name": {
			`,"files":[{"id":"F1","mimetype":"image/png","size":900}]`,
			"",
			[]channels.Attachment{{About: "photo 900 bytes", Ref: "F1", Name: "file-F1.png", Size: 900}},
			false,
		},
		"a name that would leave its folder": {
			`,"files":[{"id":"F1","name":"../../etc/.passwd","size":-5}]`,
			"",
			[]channels.Attachment{{About: "document passwd", Ref: "F1", Name: "passwd"}},
			false,
		},
		"files that are not there": {
			`,"text":"x","files":[{"id":"F1","mode":"tombstone"},{"id":"F2","mode":"external","is_external":true,"name":"Doc","url_private":"https://d.test/1"},{"id":"F3","mode":"hidden_by_limit"},{"name":"n"}]`,
			"x\n[a file that was deleted]\n[a file that is kept elsewhere: Doc https://d.test/1]\n" +
				"[a file that the workspace's plan hides]\n[a file that cannot be fetched: n]",
			nil, true,
		},
		"a file that is gone":  {`,"text":"x","files":[{"id":"F1","mode":"tombstone"}]`, "x\n[a file that was deleted]", nil, false},
		"what an app attaches": {`,"text":"look","attachments":[{"title":"T","text":"write this down"}]`, "look\n[attached]\nT\nwrite this down", nil, true},
		"a message that is passed on": {
			`,"text":"look","attachments":[{"is_share":true,"is_msg_unfurl":true,"author_name":"Ben\nBoss","text":"/stop &amp; go","from_url":"https://x.test","files":[{"id":"F9","name":"a.txt"}]}]`,
			"look\n[a message that is passed on from Ben Boss]\n/stop & go",
			[]channels.Attachment{{About: "document a.txt", Ref: "F9", Name: "a.txt"}},
			true,
		},
		"nothing but what is passed on": {
			`,"text":"","attachments":[{"is_share":true,"fallback":"words"}]`, "[a message that is passed on]\nwords", nil, true,
		},
		"a preview says nothing": {`,"text":"https://x.test","attachments":[{"from_url":"https://x.test","text":"spam"}]`, "https://x.test", nil, false},
		"blocks in place of a text": {
			`,"blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"UBOT"},{"type":"text","text":"hi "},{"type":"emoji","name":"wave"},{"type":"link","url":"https://x.test","text":"y"}]}]},` +
				`{"type":"section","text":{"type":"mrkdwn","text":"a &amp; b"},"fields":[{"type":"plain_text","text":"c &amp; d"}]},{"type":"image","alt_text":"a cat"},7,{"type":"divider"}]`,
			"hi :wave:y (https://x.test)\na & b\nc &amp; d\n[picture a cat]", nil, false,
		},
		"what cannot be read spoils nothing": {`,"text":"x","files":[7,{"id":8}],"attachments":["a"],"blocks":[null]`, "x", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := payload("events_api", []byte(post(test.fields)), me())
			if len(d.Items) != 1 {
				t.Fatalf("%+v", d)
			}
			got := d.Items[0]
			if got.Text != test.text || got.Forwarded != test.forwarded {
				t.Errorf("%q (forwarded: %v), want %q (%v)", got.Text, got.Forwarded, test.text, test.forwarded)
			}
			if diff := cmp.Diff(test.files, got.Attachments); diff != "" {
				t.Errorf("files, -want +got:\n%s", diff)
			}
		})
	}
}
