package httpd

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"parley/pkg/fair"
)

// largeBody is the size of a body from which on it waits for one of largePlaces.
const (
	largeBody   = 1 << 20
	largePlaces = 4
)

// Bodies bound the memory that the large bodies of all people take: few are read at a time, and
// people share the places fairly. [NewBodies] makes them.
type Bodies struct{ places *fair.Places }

// NewBodies has all places free.
func NewBodies() *Bodies { return &Bodies{fair.New(largePlaces)} }

// Decode is [Decode] for a route with a caller that takes large bodies. The caller calls free, once
// or more, when it needs what was decoded no longer.
func (b *Bodies) Decode(r *http.Request, v any) (free func(), f *Refusal) {
	free = func() {}
	if c := CallerFrom(r.Context()); c != nil && (r.ContentLength < 0 || r.ContentLength > largeBody) {
		give, err := b.places.Take(r.Context(), c.Person.String(), nil)
		switch {
		case errors.Is(err, fair.ErrFull):
			return free, refused(http.StatusTooManyRequests, "too_many_requests", textRequests)
		case err != nil: // the client is gone, or its credential
			return free, refused(http.StatusServiceUnavailable, "not_ready", context.Cause(r.Context()).Error())
		}
		free = sync.OnceFunc(give)
	}
	return free, Decode(r, v)
}
