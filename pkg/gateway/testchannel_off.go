//go:build !testchannel

package gateway

import (
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// testChannels returns no channels: only a test build has test channels.
func testChannels(func(string) (string, bool), zerolog.Logger) []channels.Channel { return nil }

// testRules returns no rules: only a test build has a test channel.
func testRules() map[string]policy.ChannelRules { return nil }
