package openai

import (
	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// readStream reads the frames until the stream ends. Any chunk with a finish reason
// finishes the answer.
func readStream(x *exchange.Exchange, a *assembly) (*providers.LLMResponse, error) {
	var r frameReader
	err := x.Stream(x.Frames().Next, func(frame []byte) (bool, error) {
		c, err := r.read(frame)
		if err == nil {
			err = a.add(c)
		}
		return a.finish != "", err
	})
	if err != nil {
		return nil, err
	}
	return a.response()
}
