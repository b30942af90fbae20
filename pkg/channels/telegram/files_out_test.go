package telegram_test

import (
	"bytes"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
)

// document is a file with a content.
func document(name, content string) channels.FilePart {
	return channels.FilePart{
		Part: channels.Part{Outbound: channels.Outbound{ID: "turn/file", File: &channels.File{Name: name, Size: int64(len(content))}}, Count: 1},
		Open: func() (fs.File, error) {
			return fstest.MapFS{"f": {Data: []byte(content)}}.Open("f")
		},
	}
}

// photo is document for a picture.
func photo(name, content string) channels.FilePart {
	p := document(name, content)
	p.File.Photo = true
	return p
}

// captioned is document with a caption.
func captioned(caption string) channels.FilePart {
	p := document("report.bin", "some bytes")
	p.Text = caption
	return p
}

func TestSendFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file    channels.FilePart
		fault   faketelegram.Fault
		method  string
		caption string
		bold    bool
		behind  []string
	}{
		"document": {file: document("report.bin", "some bytes"), method: "sendDocument"},
		"caption":  {file: captioned("the **report**"), method: "sendDocument", caption: "the report", bold: true},
		"caption, not parseable": {
			file:    captioned("the **report**"),
			fault:   faketelegram.ParseError(),
			method:  "sendDocument",
			caption: "the report",
		},
		"caption, too long": {
			file:    captioned(strings.Repeat("word ", 300)),
			method:  "sendDocument",
			caption: strings.TrimSpace(strings.Repeat("word ", 205)[:1024]),
			behind:  []string{strings.TrimSpace(strings.Repeat("word ", 95))},
		},
		"photo": {file: photo("report.bin", "some bytes"), method: "sendPhoto"},
		"photo that is none": {
			file:   photo("report.bin", "some bytes"),
			fault:  faketelegram.Refusal("PHOTO_INVALID_DIMENSIONS"),
			method: "sendDocument",
		},
		"photo that is too large": {file: photo("report.bin", strings.Repeat("x", 10<<20+1)), method: "sendDocument"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			topic := srv.Forum("Forum", srv.User("Ann")).Topic("One")
			asked := topic.Say("send it").MessageID
			f := tc.file
			f.Address = where(c, topic)
			f.ReplyTo = strconv.FormatInt(asked, 10)
			if tc.fault != (faketelegram.Fault{}) {
				srv.Harm(faketelegram.Rule{Times: 1, Fault: tc.fault})
			}
			receipt, err := c.SendFile(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			m := topic.Messages()[0]
			content, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if _, err := want.ReadFrom(content); err != nil {
				t.Fatal(err)
			}
			if m.File == nil || !bytes.Equal(m.File.Data, want.Bytes()) || m.File.Name != "report.bin" && tc.method == "sendDocument" {
				t.Errorf("the person has the file %+v", m.File)
			}
			if m.Text != tc.caption || (len(m.Entities) > 0) != tc.bold {
				t.Errorf("caption %q, %+v", m.Text, m.Entities)
			}
			var rest []string
			for _, b := range topic.Messages()[1:] {
				rest = append(rest, b.Text)
				if b.Thread != topic.Thread() {
					t.Errorf("%q stands in topic %d", b.Text, b.Thread)
				}
			}
			if !slices.Equal(rest, tc.behind) {
				t.Errorf("behind the file stands %q, want %q", rest, tc.behind)
			}
			if receipt.MessageID != strconv.FormatInt(m.ID, 10) || m.ReplyTo != asked || m.Thread != topic.Thread() {
				t.Errorf("receipt %+v, message %d answers %d in topic %d", receipt, m.ID, m.ReplyTo, m.Thread)
			}
			requests := srv.Requests("")
			if last := requests[len(requests)-1-len(tc.behind)]; last.Method != tc.method {
				t.Errorf("sent with %s, want %s", last.Method, tc.method)
			}
		})
	}
}

// opening is a file that is opened by open.
func opening(open func() (fs.File, error)) channels.FilePart {
	p := document("a.txt", "text")
	p.Open = open
	return p
}

// TestSendFileTakesThePlaceOfAPreview has the message that showed an answer so far give
// way to the file, so that later text stands below it.
func TestSendFileTakesThePlaceOfAPreview(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault faketelegram.Fault
		gone  bool
		want  channels.SendClass
	}{
		"there":            {},
		"gone already":     {gone: true},
		"limited":          {fault: faketelegram.TooManyRequests(5), want: channels.SendRateLimited},
		"cut before":       {fault: faketelegram.Fault{DropBefore: true}, want: channels.SendTransient},
		"cut after effect": {fault: faketelegram.Fault{DropAfter: true}, want: channels.SendTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			chat := srv.Group("Group", srv.User("Ann"))
			at := where(c, chat)
			f := captioned("the report")
			f.Address, f.Edits = at, outboxtest.SendAll(t, c, at, "so far")[0].MessageID
			if tc.gone {
				f.Edits = "999999"
			}
			srv.Harm(faketelegram.Rule{Method: "deleteMessage", Times: 1, Fault: tc.fault})
			_, err := c.SendFile(t.Context(), f)
			if tc.want != "" {
				if class := channels.ClassOf(err).Class; class != tc.want {
					t.Errorf("class %s: %v", class, err)
				}
				if n := srv.Count("sendDocument"); n != 0 {
					t.Errorf("%d uploads before the preview was gone", n)
				}
				_, err = c.SendFile(t.Context(), f)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"the report"}
			if tc.gone {
				want = []string{"so far", "the report"}
			}
			if diff := cmp.Diff(want, chat.Texts()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			srv.ForgetViolations()
		})
	}
}

// The rest of a long caption waits for its turn behind the file; where it cannot be sent
// the file is there all the same.
func TestTheRestOfACaptionIsPartOfTheFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault faketelegram.Fault
		want  channels.SendClass
	}{
		"limited":       {fault: faketelegram.TooManyRequests(1)},
		"limited long":  {fault: faketelegram.TooManyRequests(600), want: channels.SendAmbiguous},
		"blocked":       {fault: faketelegram.Blocked(), want: channels.SendAmbiguous},
		"not parseable": {fault: faketelegram.ParseError()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			chat := srv.Private(srv.User("Ann"))
			f := captioned(strings.Repeat("word ", 300))
			f.Address = where(c, chat)
			srv.Harm(faketelegram.Rule{Method: "sendMessage", Times: 1, Fault: tc.fault})
			_, err := c.SendFile(t.Context(), f)
			if err == nil && tc.want != "" || err != nil && channels.ClassOf(err).Class != tc.want {
				t.Errorf("class %q: %v", tc.want, err)
			}
			if n := srv.Count("sendDocument"); n != 1 {
				t.Errorf("%d uploads", n)
			}
			if words := strings.Count(strings.Join(chat.Texts(), " "), "word"); tc.want == "" && words != 300 {
				t.Errorf("%d of 300 words arrived", words)
			}
		})
	}
}

func TestSendFileClasses(t *testing.T) {
	t.Parallel()
	text := document("a.txt", "text")
	for name, tc := range map[string]struct {
		file     channels.FilePart
		fault    faketelegram.Fault
		want     channels.SendClass
		requests int
	}{
		"cut after effect": {file: text, fault: faketelegram.Fault{DropAfter: true}, want: channels.SendAmbiguous, requests: 1},
		"429":              {file: text, fault: faketelegram.TooManyRequests(5), want: channels.SendRateLimited, requests: 1},
		"blocked":          {file: text, fault: faketelegram.Blocked(), want: channels.SendGone, requests: 1},
		"refused":          {file: text, fault: faketelegram.Refusal("wrong something"), want: channels.SendRefused, requests: 1},
		"502":              {file: text, fault: faketelegram.BadGateway(), want: channels.SendTransient, requests: 1},
		"not there":        {file: opening(func() (fs.File, error) { return nil, fs.ErrNotExist }), want: channels.SendRefused},
		"empty":            {file: document("a.txt", ""), want: channels.SendRefused},
		"a folder":         {file: opening(func() (fs.File, error) { return fstest.MapFS{}.Open(".") }), want: channels.SendRefused},
		"too large":        {file: document("a.bin", strings.Repeat("x", 50<<20+1)), want: channels.SendRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			f := tc.file
			f.Address = where(c, srv.Private(srv.User("Ann")))
			srv.Harm(faketelegram.Rule{Method: "sendDocument", Fault: tc.fault})
			_, err := c.SendFile(t.Context(), f)
			if class := channels.ClassOf(err).Class; class != tc.want {
				t.Errorf("class %s: %v", class, err)
			}
			if n := srv.Count("sendDocument"); n != tc.requests {
				t.Errorf("%d requests, want %d", n, tc.requests)
			}
		})
	}
}
