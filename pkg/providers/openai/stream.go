package openai

import (
	"encoding/json"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// readStream reads the frames until the stream ends. Any chunk with a finish reason
// finishes the answer.
func readStream(x *exchange.Exchange, a *assembly) (*providers.LLMResponse, error) {
	err := x.Stream(x.Frames().Next, func(frame []byte) (bool, error) {
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
