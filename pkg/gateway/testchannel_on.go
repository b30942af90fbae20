//go:build testchannel

package gateway

import (
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/loopchat"
	"parley/pkg/channels"
	"parley/pkg/policy"
)

const (
	envTestChannel = "PARLEY_TEST_CHANNEL"      // the test platform's URL
	envTestPoll    = "PARLEY_TEST_POLL_TIMEOUT" // how long it may hold a poll
	envTestProfile = "PARLEY_TEST_PPROF"        // the address to serve profiles at
)

// testChannels returns the test channel where the environment names its server.
func testChannels(lookup func(string) (string, bool), log zerolog.Logger) []channels.Channel {
	if addr, ok := lookup(envTestProfile); ok {
		go serveProfiles(addr, log)
	}
	url, ok := lookup(envTestChannel)
	if !ok || url == "" {
		return nil
	}
	opt := loopchat.Options{URL: url, Logger: log}
	if s, ok := lookup(envTestPoll); ok {
		if d, err := time.ParseDuration(s); err == nil {
			opt.PollTimeout = d
		}
	}
	return []channels.Channel{loopchat.New(opt)}
}

// serveProfiles serves until the process ends: a benchmark reads the profiles.
func serveProfiles(addr string, log zerolog.Logger) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	srv := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	log.Warn().Err(srv.ListenAndServe()).Msg("profiles are not served")
}

// testRules let everybody on the test channel use tools with side effects.
func testRules() map[string]policy.ChannelRules {
	return map[string]policy.ChannelRules{
		loopchat.Name: {Everyone: true, Direct: policy.LevelWrite, Group: policy.LevelWrite},
	}
}
