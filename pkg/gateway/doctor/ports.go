package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"parley/pkg/channels/wire"
)

// keyHTTPListen is the key of the address of the page.
const keyHTTPListen = "http.listen"

// listener is an address at which the gateway listens, with its key in the configuration.
type listener struct{ key, address string }

func (s *setup) listeners() []listener {
	var all []listener
	add := func(key, address string) {
		if address != "" && (len(all) == 0 || !s.cfg.HTTP.Shares(address)) {
			all = append(all, listener{key, address})
		}
	}
	add(keyHTTPListen, s.cfg.HTTP.Listen)
	if t := &s.cfg.Channels.Telegram; t.Enabled {
		for _, bot := range t.Bots() {
			add(botName(bot)+" webhook.listen", bot.Webhook.Listen)
		}
	}
	if k := &s.cfg.Channels.Slack; k.Enabled {
		add("slack events.listen", k.Events.Listen)
	}
	return all
}

// port says whether the gateway listens at an address, or could.
func (s *setup) port(ctx context.Context, at listener) []Finding {
	if s.runs(ctx) {
		found := []Finding{answering(ctx, at)}
		if f, is := s.exposed(at); is {
			found = append(found, f)
		}
		return found
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", at.address)
	if err == nil {
		wire.Drop(l)
		if f, is := s.exposed(at); is {
			return []Finding{f}
		}
		return []Finding{{namePort, OK, fmt.Sprintf(textPortFree, at.address, at.key), ""}}
	}
	_, number, _ := net.SplitHostPort(at.address)
	said, cure := fmt.Sprintf(textPortFails, at.address, at.key, err), fmt.Sprintf(textPortCure, at.key)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		said, cure = fmt.Sprintf(textPortTaken, at.address, at.key), fmt.Sprintf(textTakenCure, number, at.key)
	case errors.Is(err, syscall.EACCES):
		cure = fmt.Sprintf(textPortRightCure, at.key)
	}
	return []Finding{{namePort, Fail, said, cure}}
}

// exposed is the finding that other machines reach the page, and no https address is promised to them.
func (s *setup) exposed(at listener) (Finding, bool) {
	host, port, err := net.SplitHostPort(at.address)
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	if err != nil || local || at.key != keyHTTPListen || strings.HasPrefix(s.cfg.HTTP.PublicURL, "https://") {
		return Finding{}, false
	}
	return Finding{namePort, Warn, fmt.Sprintf(textExposed, at.address, at.key), fmt.Sprintf(textExposedCure, port, at.key)}, true
}

// answering says whether the gateway that runs listens at an address.
func answering(ctx context.Context, at listener) Finding {
	host, port, err := net.SplitHostPort(at.address)
	if err != nil {
		return Finding{namePort, Fail, err.Error(), fmt.Sprintf(textPortCure, at.key)}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return Finding{namePort, Fail, fmt.Sprintf(textPortSilent, at.address, at.key, err), textRestartCure}
	}
	wire.Drop(conn)
	return Finding{namePort, OK, fmt.Sprintf(textPortServed, at.address, at.key), ""}
}
