//go:build !testchannel

package gateway

import (
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// testChannels returns nothing: only a test build has test channels.
func testChannels(func(string) (string, bool), zerolog.Logger) []channels.Channel { return nil }

// testRules returns nothing: only a test build has a test channel.
func testRules() map[string]policy.ChannelRules { return nil }
