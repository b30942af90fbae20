package openai

import (
	"net/http"
	"time"
)

// NewTransport is the default transport of a provider, for tests.
func NewTransport(connect time.Duration) *http.Transport { return newTransport(connect) }
