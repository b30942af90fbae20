package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// readStream reads the frames that next gives until the stream ends. Any chunk with a
// finish reason finishes the answer.
func readStream(x *exchange.Exchange, next func() ([]byte, error), a *assembly) (*providers.LLMResponse, error) {
	err := x.Stream(next, func(frame []byte) (bool, error) {
		var c chunk
		if err := json.Unmarshal(frame, &c); err != nil {
			return false, exchange.Cut("a piece of the answer is not JSON", err)
		}
		err := a.add(&c)
		return a.finish != "", err
	})
	if err != nil {
		return nil, err
	}
	return a.response()
}

// lines are frames in the only form that go-openai understands: one "data: " line each.
type lines struct {
	frames *exchange.Frames
	out    []byte // for the next Read
}

// Read gives the next piece of the stream.
func (l *lines) Read(p []byte) (int, error) {
	if len(l.out) == 0 {
		payload, err := l.frames.Next()
		switch {
		case errors.Is(err, io.EOF):
			payload = []byte("[DONE]")
		case err != nil:
			return 0, err
		}
		l.out = append(l.out[:0], "data: "...)
		// go-openai takes whatever begins with {"error": for an error, null too.
		if bytes.HasPrefix(payload, []byte(`{"error":`)) {
			l.out = append(l.out, "{ "...)
			payload = payload[1:]
		}
		l.out = append(append(l.out, payload...), '\n')
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

// Close implements [io.Closer]; the exchange closes the stream.
func (*lines) Close() error { return nil }
