package fakehttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// FreeAddr is a free address of this machine, for a server that a test starts later.
// Its port is outside of the range that the system gives away by itself, so that no
// connection made meanwhile has it.
func FreeAddr(ctx context.Context) (string, error) {
	const lowest, highest, tries = 10_000, 32_000, 100
	var last error
	for range tries {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(highest-lowest))) //nolint:gosec // no secret
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err == nil {
			return addr, l.Close()
		}
		last = err
	}
	return "", errors.Join(errors.New("no port is free"), last)
}
