package faketelegram_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"parley/internal/test/faketelegram"
)

// TestFormsOfRequests says that parameters may come in any of the Bot API's forms.
func TestFormsOfRequests(t *testing.T) {
	t.Parallel()
	id := fmt.Sprint(newWorld(t).chat.ID()) // every world has the same
	const form, jsonKind = "application/x-www-form-urlencoded", "application/json"
	tests := map[string]struct {
		query, kind, body string
		status            int
	}{
		"query":             {"?chat_id=" + id + "&text=x", "", "", 200},
		"form":              {"", form, "chat_id=" + id + "&text=x", 200},
		"query and form":    {"?chat_id=" + id, form, "text=x", 200},
		"JSON":              {"", jsonKind, `{"chat_id":` + id + `,"text":"x","reply_markup":null,"link_preview_options":{"is_disabled":true}}`, 200},
		"no JSON":           {"", jsonKind, `{"chat_id"`, 400},
		"no form":           {"", form, "chat_id=%zz", 400},
		"no multipart":      {"", "multipart/form-data; boundary=x", "--x\r\nbroken", 400},
		"larger than 51 MB": {"", form, "chat_id=" + id + "&text=" + strings.Repeat("x", 51<<20), 413},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r, err := w.post(t.Context(), "sendMessage"+tc.query, tc.kind, []byte(tc.body))
			if err != nil || r.Status != tc.status {
				t.Errorf("%+v, %v, want %d", r, err, tc.status)
			}
			if broken := len(w.srv.Violations()) > 0; broken != (tc.status == 400) {
				t.Errorf("violations %q", w.srv.Violations())
			}
			w.srv.ForgetViolations()
		})
	}
}

// TestNewReportsViolations says that a violation fails a test of [faketelegram.New].
func TestNewReportsViolations(t *testing.T) {
	t.Parallel()
	inner := &recorder{TB: t}
	srv := faketelegram.New(inner)
	newClient(t, srv, srv.Token()).call("sendTelegram", nil)
	for _, end := range inner.ends {
		end()
	}
	if len(inner.failed) != 1 || !strings.Contains(inner.failed[0], "unknown method sendTelegram") {
		t.Errorf("reported %q", inner.failed)
	}
}

// recorder is a test that keeps its errors to itself and ends when it is told to.
type recorder struct {
	testing.TB
	failed []string
	ends   []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func (r *recorder) Cleanup(f func()) { r.ends = append(r.ends, f) }

func TestDeletedByPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.say(w.chat, "x")
	w.chat.Delete(w.chat.Messages()[0].ID)
	if r := w.send("editMessageText", w.chat, "message_id", id, "text", "y"); r.Description != "Bad Request: message to edit not found" {
		t.Errorf("%+v", r)
	}
	if u := w.chat.Edit(12345, "x"); u.ID != 0 {
		t.Errorf("an edit of nothing: %+v", u)
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := make(chan error, 1)
	go func() { done <- w.chat.AwaitText(soon(t), "two") }()
	w.say(w.chat, "one")
	w.say(w.chat, "two")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got, err := w.chat.Await(soon(t), 2); err != nil || len(got) != 2 {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

// TestAClientThatLeaves in the middle of its body breaks no rule: its time was over.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.srv.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn,
		"POST /bot%s/sendMessage HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{",
		w.srv.Token())
	if err := errors.Join(err, conn.Close(), w.srv.Drained(t.Context())); err != nil {
		t.Error(err)
	}
}
