package openai

import (
	"encoding/json"
	"errors"
	"io"

	"parley/pkg/providers"
)

// readStream reads chunks until the stream ends. It has ended properly when next
// gives [io.EOF], which stands for [DONE], or when any chunk had a finish reason;
// finished is called at that chunk.
func readStream(next func() ([]byte, error), a *assembly, finished func()) (*providers.LLMResponse, error) {
	for {
		frame, err := next()
		switch {
		case errors.Is(err, io.EOF):
			return a.response()
		case err != nil && a.finish != "":
			return a.response()
		case err != nil:
			return nil, err
		}
		var c chunk
		if err := json.Unmarshal(frame, &c); err != nil {
			return nil, cut("a piece of the answer is not JSON", err)
		}
		before := a.finish
		if err := a.add(&c); err != nil {
			return nil, err
		}
		if before == "" && a.finish != "" {
			finished()
		}
	}
}
