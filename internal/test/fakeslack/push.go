package fakeslack

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"parley/internal/test/fakehttp"
)

// Reasons of pushes that come again (docs.slack.dev/apis/events-api/#retries).
const (
	reasonHTTPTimeout = "http_timeout"
	reasonHTTPError   = "http_error"
	reasonNoRetry     = "the receiver wants no other copy" // not one of Slack's
)

// maxAnswer bounds the part of an answer to a push that is read.
const maxAnswer = 1 << 20

// pusher takes events to a URL instead of sockets. The server's mutex guards it.
type pusher struct {
	url  string
	last map[string]chan struct{} // by channel: closed when the newest event was tried
}

// newPushClient is the client of all pushes; it follows no redirect.
func newPushClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 16},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// PushTo sends events over HTTP to url instead of through sockets: signed, events of a
// channel in order, again after [Options].PushRetries. An empty url goes back to
// sockets. Waiting events go the new way.
func (s *Server) PushTo(target string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if target == "" {
		s.hub.push = nil
		s.resend()
		return
	}
	s.hub.push = &pusher{url: target, last: map[string]chan struct{}{}}
	for _, env := range s.hub.waiting {
		if env.on == nil && !env.pushing {
			s.push(env)
		}
	}
}

// push begins to deliver env. The lock is held.
func (s *Server) push(env *envelope) {
	last := s.hub.push.last
	before, tried := last[env.event.Chat], make(chan struct{})
	last[env.event.Chat] = tried
	env.pushing = true
	s.spawn(func(ctx context.Context) {
		if before != nil {
			select {
			case <-before:
			case <-ctx.Done():
			}
		}
		s.deliverHTTP(ctx, env, tried)
	})
}

// deliverHTTP delivers env until it is taken or given up; tried is closed after the first attempt.
func (s *Server) deliverHTTP(ctx context.Context, env *envelope, tried chan struct{}) {
	for {
		s.mu.Lock()
		p := s.hub.push
		if p == nil { // back to sockets
			env.pushing = false
			if !s.assign(env) {
				s.lost(env, reasonFailed)
			}
		}
		s.mu.Unlock()
		reason := ""
		if p != nil {
			reason = s.tryPush(ctx, p.url, env)
		}
		if tried != nil {
			close(tried)
			tried = nil
		}
		if p == nil || ctx.Err() != nil {
			return
		}
		pause, done := s.judge(env, reason)
		if done || !fakehttp.Pause(ctx, pause) {
			return
		}
	}
}

// judge books how a push went, and says when the next one is.
func (s *Server) judge(env *envelope, reason string) (pause time.Duration, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason == "" {
		s.settle(env, outcomeAcked)
		return 0, true
	}
	if reason == reasonNoRetry || env.once() || env.attempt >= len(s.opt.PushRetries) {
		s.settle(env, outcomeFailed)
		return 0, true
	}
	pause = s.opt.PushRetries[env.attempt]
	env.attempt++
	env.reason = reason
	s.changed.Wake()
	return pause, false
}

// tryPush posts one copy; an empty reason says that it was taken.
func (s *Server) tryPush(ctx context.Context, target string, env *envelope) (reason string) {
	kind, body := env.body()
	s.mu.Lock()
	handed, attempt, why := env.handed, env.attempt, env.reason
	env.handed = true
	s.mu.Unlock()
	if !handed && s.opt.Handed != nil {
		s.opt.Handed(env.payload)
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.AckWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return reasonNoRetry
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	if attempt > 0 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(attempt))
		req.Header.Set("X-Slack-Retry-Reason", why)
	}
	s.Sign(req.Header, body, time.Now())
	resp, err := s.pushes.Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return reasonHTTPTimeout
	case err != nil:
		return reasonFailed
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // only the status counts
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return ""
	}
	if resp.Header.Get("X-Slack-No-Retry") == "1" {
		return reasonNoRetry
	}
	return reasonHTTPError
}

// body is an envelope's payload as it is pushed: events as JSON, presses and
// commands as forms.
func (e *envelope) body() (kind string, body []byte) {
	const form = "application/x-www-form-urlencoded"
	switch e.kind {
	case typeInteractive:
		return form, []byte(url.Values{"payload": {string(e.payload)}}.Encode())
	case typeCommands:
		values := url.Values{}
		var fields map[string]any
		if json.Unmarshal(e.payload, &fields) == nil {
			for name, value := range fields {
				values.Set(name, fmt.Sprint(value))
			}
		}
		return form, []byte(values.Encode())
	}
	return "application/json", e.payload
}

// Sign puts the v0 signature of body, made at a time, into the headers of a request
// (docs.slack.dev/authentication/verifying-requests-from-slack).
func (s *Server) Sign(header http.Header, body []byte, at time.Time) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(s.SigningSecret()))
	_, _ = mac.Write([]byte("v0:" + stamp + ":")) // a hash takes everything
	_, _ = mac.Write(body)
	header.Set("X-Slack-Request-Timestamp", stamp)
	header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
}

// Verify checks a new URL as Slack does: it posts url_verification, and the answer must
// be the challenge, as text or as JSON.
func (s *Server) Verify(ctx context.Context, target string) error {
	const challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
	body := encode(map[string]string{"token": "verification-token", "type": "url_verification", "challenge": challenge})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	s.Sign(req.Header, body, time.Now())
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	var answer struct {
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(got, &answer) != nil {
		answer.Challenge = string(got)
	}
	if resp.StatusCode != http.StatusOK || answer.Challenge != challenge {
		return fmt.Errorf("your URL didn't respond with the value of the challenge parameter: %s", resp.Status)
	}
	return nil
}
