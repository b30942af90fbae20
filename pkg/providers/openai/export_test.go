package openai

import (
	"net/http"
	"time"
)

// NewTransport is the transport of a provider that is given none, for tests.
func NewTransport(connect time.Duration) *http.Transport { return newTransport(connect) }
