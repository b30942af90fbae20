package anthropic_test

import (
	"testing"

	"parley/internal/test/cassette"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/providertest"
)

func TestConformanceOverHTTP(t *testing.T) {
	t.Parallel()
	suite := cassette.Suite(cassette.Anthropic)
	suite.Connect = func(t *testing.T, s providertest.Server) providers.LLMProvider {
		t.Helper()
		return provider(t, s.URL, func(o *anthropic.Options) {
			o.Key, o.Images, o.Transport = func() string { return s.Key }, s.Images, s.Transport
		})
	}
	providertest.RunHTTP(t, suite)
}
