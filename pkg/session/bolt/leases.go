package bolt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/session"
)

// Acquire takes or renews a lease.
func (e *Engine) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (session.Lease, error) {
	var out session.Lease
	err := e.write(ctx, func(t *tx) error {
		rec, err := get[leaseRec](t, bkLeases, idKey(name))
		switch {
		case errors.Is(err, session.ErrNotFound):
			rec = &leaseRec{}
		case err != nil:
			// Who held it is lost; the new token is higher than any that was given out.
			rec = &leaseRec{Token: uint64(max(t.now.UnixMicro(), 0))}
		}
		live := rec.Holder != "" && t.now.Before(rec.Expires)
		if live && rec.Holder != holder {
			return fmt.Errorf("lease %s: %w", name, session.ErrFenced)
		}
		if !live {
			rec.Token++
		}
		rec.Holder, rec.Expires = holder, t.now.Add(ttl)
		out = session.Lease{Name: name, Holder: holder, Token: rec.Token, Expires: rec.Expires}
		return t.put(bkLeases, idKey(name), rec)
	})
	if err != nil {
		return session.Lease{}, err
	}
	return out, nil
}

// Release gives a lease back.
func (e *Engine) Release(ctx context.Context, name, holder string) error {
	return e.write(ctx, func(t *tx) error {
		rec, err := get[leaseRec](t, bkLeases, idKey(name))
		if err != nil || rec.Holder != holder {
			return nil //nolint:nilerr // what is not held needs no giving back
		}
		rec.Holder = ""
		return t.put(bkLeases, idKey(name), rec)
	})
}
