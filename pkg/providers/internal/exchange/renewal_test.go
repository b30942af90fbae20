package exchange_test

import (
	"errors"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// TestRenewal: a question is asked again once where its key is refused and there is a new one.
func TestRenewal(t *testing.T) {
	t.Parallel()
	key := "one"
	c := exchange.New(exchange.Options{BaseURL: "http://127.0.0.1:1", Key: func() string { return key }})
	t.Cleanup(c.Close)
	refused := &providers.Error{Kind: providers.KindAuth, Status: 401}
	r := c.Renewal()
	if r.Again(refused) {
		t.Error("again with the same key")
	}
	key = "two"
	for _, err := range []error{nil, errors.New("other"), &providers.Error{Kind: providers.KindAuth, Status: 403}} {
		if r.Again(err) {
			t.Errorf("again after %v", err)
		}
	}
	if !r.Again(refused) {
		t.Error("the new key is left alone")
	}
	if key = "three"; r.Again(refused) {
		t.Error("asked a third time")
	}
}
