package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"parley/pkg/channels/wire"
)

// listener is an address at which the gateway listens, with its key in the configuration.
type listener struct{ key, address string }

func (s *setup) listeners() []listener {
	var all []listener
	add := func(key, address string) {
		if address != "" && (len(all) == 0 || !s.cfg.HTTP.Shares(address)) {
			all = append(all, listener{key, address})
		}
	}
	add("http.listen", s.cfg.HTTP.Listen)
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
		return []Finding{answering(ctx, at)}
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", at.address)
	if err == nil {
		wire.Drop(l)
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
