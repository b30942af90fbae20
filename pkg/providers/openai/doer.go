package openai

import (
	"io"
	"net/http"
	"strings"

	"parley/pkg/providers/internal/exchange"
)

// doer is go-openai's HTTP client for one request. The library writes the request; the
// exchange reads the answer, because the library drops the status and headers of
// refusals, the body of a whole answer, and the end of a stream.
type doer struct {
	x *exchange.Exchange
	// body begins the request, which go-openai writes without messages.
	body *exchange.Body
}

// Do sends go-openai's request and gives it an empty object to read.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	if err := putMessages(req, d.body); err != nil {
		return nil, err
	}
	if err := d.x.Send(req); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: req,
	}, nil
}
