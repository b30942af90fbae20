package telegram_test

import (
	"bytes"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/faketelegram"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// document is a file with a content.
func document(name, content string) telegram.File {
	return telegram.File{Name: name, Open: func() (fs.File, error) {
		return fstest.MapFS{"f": {Data: []byte(content)}}.Open("f")
	}}
}

func TestSendFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file    func(*telegram.File)
		fault   faketelegram.Fault
		method  string
		caption string
		bold    bool
	}{
		"document":               {method: "sendDocument"},
		"caption":                {file: func(f *telegram.File) { f.Caption = "the **report**" }, method: "sendDocument", caption: "the report", bold: true},
		"caption, not parseable": {file: func(f *telegram.File) { f.Caption = "the **report**" }, fault: faketelegram.ParseError(), method: "sendDocument", caption: "the report"},
		"photo":                  {file: func(f *telegram.File) { f.Photo = true }, method: "sendPhoto"},
		"photo that is none": {
			file: func(f *telegram.File) { f.Photo = true }, fault: faketelegram.Refusal("PHOTO_INVALID_DIMENSIONS"), method: "sendDocument",
		},
		"photo that is too large": {
			file:   func(f *telegram.File) { *f = document(f.Name, strings.Repeat("x", 10<<20+1)); f.Photo = true },
			method: "sendDocument",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			topic := srv.Forum("Forum", srv.User("Ann")).Topic("One")
			asked := topic.Say("send it").MessageID
			f := document("report.bin", "some bytes")
			if tc.file != nil {
				tc.file(&f)
			}
			f.ReplyTo = strconv.FormatInt(asked, 10)
			if tc.fault != (faketelegram.Fault{}) {
				srv.Harm(faketelegram.Rule{Times: 1, Fault: tc.fault})
			}
			receipt, err := c.SendFile(t.Context(), where(c, topic), f)
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
			if receipt.MessageID != strconv.FormatInt(m.ID, 10) || m.ReplyTo != asked || m.Thread != topic.Thread() {
				t.Errorf("receipt %+v, message %d answers %d in topic %d", receipt, m.ID, m.ReplyTo, m.Thread)
			}
			requests := srv.Requests("")
			if last := requests[len(requests)-1]; last.Method != tc.method {
				t.Errorf("sent with %s, want %s", last.Method, tc.method)
			}
		})
	}
}

func TestSendFileClasses(t *testing.T) {
	t.Parallel()
	text := document("a.txt", "text")
	for name, tc := range map[string]struct {
		file     telegram.File
		fault    faketelegram.Fault
		want     channels.SendClass
		requests int
	}{
		"cut after effect": {file: text, fault: faketelegram.Fault{DropAfter: true}, want: channels.SendAmbiguous, requests: 1},
		"429":              {file: text, fault: faketelegram.TooManyRequests(5), want: channels.SendRateLimited, requests: 1},
		"blocked":          {file: text, fault: faketelegram.Blocked(), want: channels.SendGone, requests: 1},
		"refused":          {file: text, fault: faketelegram.Refusal("wrong something"), want: channels.SendRefused, requests: 1},
		"502":              {file: text, fault: faketelegram.BadGateway(), want: channels.SendTransient, requests: 1},
		"not there":        {file: telegram.File{Open: func() (fs.File, error) { return nil, fs.ErrNotExist }}, want: channels.SendRefused},
		"empty":            {file: document("a.txt", ""), want: channels.SendRefused},
		"a folder":         {file: telegram.File{Open: func() (fs.File, error) { return fstest.MapFS{}.Open(".") }}, want: channels.SendRefused},
		"too large":        {file: document("a.bin", strings.Repeat("x", 50<<20+1)), want: channels.SendRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			at := where(c, srv.Private(srv.User("Ann")))
			srv.Harm(faketelegram.Rule{Method: "sendDocument", Fault: tc.fault})
			_, err := c.SendFile(t.Context(), at, tc.file)
			if class := channels.ClassOf(err).Class; class != tc.want {
				t.Errorf("class %s: %v", class, err)
			}
			if n := srv.Count("sendDocument"); n != tc.requests {
				t.Errorf("%d requests, want %d", n, tc.requests)
			}
		})
	}
}
