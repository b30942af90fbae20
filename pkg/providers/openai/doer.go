package openai

import (
	"io"
	"net/http"
	"strings"

	"parley/pkg/providers/internal/exchange"
)

// doer is go-openai's HTTP client for one request. It keeps data that the library
// drops: the status and headers of refusals, the body of a whole answer, and the end
// of a stream.
type doer struct {
	x *exchange.Exchange
	// body begins the request, which go-openai writes without messages.
	body   *exchange.Body
	stream bool // a stream was asked for
}

// Do sends go-openai's request and gives it readable data: the frames of a stream that
// it asked for, else an empty object, because the exchange decodes whole answers.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	if err := putMessages(req, d.body); err != nil {
		return nil, err
	}
	if err := d.x.Send(req); err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req}
	if frames := d.x.Frames(); frames != nil && d.stream {
		resp.Body = &lines{frames: frames}
	} else {
		resp.Body = io.NopCloser(strings.NewReader("{}"))
	}
	return resp, nil
}
