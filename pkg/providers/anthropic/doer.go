package anthropic

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"parley/pkg/providers/internal/exchange"
)

// doer is the SDK's HTTP client for one request. It puts the conversation before the
// settings that the SDK has encoded, and keeps the answer from the SDK, which would read
// a refusal without a bound.
type doer struct {
	x    *exchange.Exchange
	body *exchange.Body // nil for a request without one
}

// Do sends the SDK's request. The SDK sees an empty answer; x has the real one.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") { // they describe this machine
			delete(req.Header, name)
		}
	}
	if err := d.join(req); err != nil {
		return nil, err
	}
	if err := d.x.Send(req); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// join puts the SDK's object of settings behind the conversation, which is the beginning
// of an object.
func (d *doer) join(req *http.Request) error {
	if d.body == nil {
		return nil
	}
	settings, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read the settings of a request: %w", err)
	}
	settings = bytes.TrimSpace(settings)
	if len(settings) < len(`{}`) || settings[0] != '{' {
		return fmt.Errorf("the settings of a request are no object: %.80s", settings)
	}
	if len(settings) > len(`{}`) {
		d.body.Text = append(d.body.Text, ',')
	}
	d.body.Text = append(d.body.Text, settings[1:]...)
	d.body.Attach(req)
	return nil
}
