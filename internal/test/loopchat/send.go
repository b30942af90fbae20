package loopchat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
)

// Send implements [channels.Channel]. An error before a connection was had is
// transient; one after that is ambiguous, because bytes may have left.
func (c *Channel) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	request := SendRequest{
		Chat: part.Address.Chat, Thread: part.Address.Thread, Text: part.Text, ReplyTo: part.ReplyTo, Edits: part.Edits,
	}
	for _, b := range part.Buttons {
		request.Buttons = append(request.Buttons, Button(b))
	}
	body, err := json.Marshal(request)
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendRefused, Err: err}
	}
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				failpoint.Hit("P10")
			}
		},
	}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodPost, c.opt.URL+"/send", bytes.NewReader(body))
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendRefused, Err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.send.Do(req)
	if err != nil {
		class := channels.SendTransient
		if connected.Load() {
			class = channels.SendAmbiguous
		}
		return channels.Receipt{}, &channels.SendError{Class: class, Err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	return readSend(resp)
}

func readSend(resp *http.Response) (channels.Receipt, error) {
	body, err := readLimited(resp.Body, maxSendBytes)
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendAmbiguous, Err: err}
	}
	var answer SendResponse
	if err := json.Unmarshal(body, &answer); err != nil && resp.StatusCode == http.StatusOK {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendAmbiguous, Err: err}
	}
	if resp.StatusCode == http.StatusOK {
		return channels.Receipt{MessageID: answer.MessageID, Time: time.Now()}, nil
	}
	return channels.Receipt{}, refusal(resp.StatusCode, answer)
}

// refusal gives the class of a status. The platform promises that a message
// which it answers with anything but 200 is not there.
func refusal(status int, answer SendResponse) *channels.SendError {
	e := &channels.SendError{Err: fmt.Errorf("status %d: %.200s", status, answer.Error)}
	switch {
	case status == http.StatusTooManyRequests:
		e.Class = channels.SendRateLimited
		e.RetryAfter = time.Duration(answer.RetryAfter * float64(time.Second))
		e.Account = answer.Account
	case status == http.StatusUnauthorized:
		e.Class = channels.SendAuth
	case status == http.StatusForbidden:
		e.Class = channels.SendGone
	case status >= http.StatusInternalServerError:
		e.Class = channels.SendTransient
	default:
		e.Class = channels.SendRefused
	}
	return e
}
