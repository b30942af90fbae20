package gateway

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/rs/zerolog"

	"parley/pkg/api/spec"
	"parley/pkg/channels"
	"parley/pkg/channels/wire"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/footprint"
	"parley/pkg/gateway/screens"
	"parley/pkg/httpd"
	"parley/pkg/httpd/login"
	"parley/pkg/web"
)

// front is the way in over HTTP, with the state of the gateway for probes.
type front struct {
	server    *httpd.Server // nil without one
	door      *login.Door
	unwritten atomic.Bool // the store refused the last write
	takesIn   atomic.Bool
	screens   atomic.Pointer[screens.Screens] // nil until there are some
	// held is why the store is held, and reports tell the state of the channels. Both are
	// cheap: strangers may ask for them.
	held    func() string
	reports func() []admin.ChannelReport
}

// open makes the HTTP server of the configuration. Parts that follow add their routes.
func (f *front) open(a *App) error {
	h := &a.cfg.HTTP
	if h.Listen == "" || a.o.Operate {
		return nil
	}
	public, err := publicURLs(a.cfg)
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	f.held = a.store.Held
	f.reports = func() []admin.ChannelReport { return a.channels.reports() }
	ring := keyring{a.store.Tokens(), a.policy}
	f.server = httpd.New(httpd.Options{
		Listen: h.Listen, Public: public, TrustedProxies: config.Proxies(h.TrustedProxies),
		Keyring: ring, Healthy: f.healthy, Ready: f.ready, Rest: footprint.GiveBack, Log: a.o.Log,
	})
	f.door = login.New(login.Options{Begin: ring.begin, End: ring.end, CookieName: f.server.CookieName, Log: a.o.Log})
	page, err := web.New()
	if err != nil {
		return err
	}
	routes := []httpd.Route{
		{Pattern: "GET /api/me", Access: httpd.AccessProgram, Handler: http.HandlerFunc(me)},
		{Pattern: "GET /page/me", Access: httpd.AccessPage, Handler: http.HandlerFunc(me)},
	}
	for _, route := range slices.Concat(routes, spec.Routes(), f.door.Routes(), page.Routes()) {
		f.server.Handle(route)
	}
	return nil
}

// page is the page of a gateway that serves one, or nil.
func (f *front) page() *admin.Web {
	if f.server == nil {
		return nil
	}
	return &admin.Web{Door: f.door, Address: f.server.Address}
}

// publicURLs are the addresses of the server from outside: its own, and those of the
// webhooks that share it.
func publicURLs(cfg *config.Config) ([]*url.URL, error) {
	var texts []string
	if cfg.HTTP.PublicURL != "" {
		texts = append(texts, cfg.HTTP.PublicURL)
	}
	for _, bot := range cfg.Channels.Telegram.Bots() {
		if cfg.HTTP.Shares(bot.Webhook.Listen) {
			texts = append(texts, bot.Webhook.PublicURL)
		}
	}
	var all []*url.URL
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("a public_url: %w", err)
		}
		all = append(all, u)
	}
	return all, nil
}

// serving is how an adapter answers its platform's calls at an address: nil where it
// listens there by itself.
func (p *platforms) serving(listen, path string) wire.Serving {
	if p.server == nil || !p.cfg.HTTP.Shares(listen) {
		return nil
	}
	return p.server.Platform(path)
}

// serve answers HTTP until ctx ends. An address that cannot be had ends the gateway.
func (f *front) serve(ctx context.Context, log zerolog.Logger) error {
	err := f.server.Serve(ctx, func(at net.Addr) { log.Info().Stringer("address", at).Msg("the HTTP server listens") })
	if ctx.Err() != nil {
		return nil //nolint:nilerr // it was told to stop
	}
	return admin.WithCode(admin.CodeUsage, fmt.Errorf("http.listen: %w", err))
}

// healthy is the state of the whole for a probe: without its store a gateway is down, with
// a channel in trouble it is degraded.
func (f *front) healthy(context.Context) httpd.State {
	if f.unwritten.Load() {
		return httpd.StateDown
	}
	for _, c := range f.reports() {
		if c.Health.State != channels.HealthOK {
			return httpd.StateDegraded
		}
	}
	return httpd.StateOK
}

// ready is the same for messages on their way in: a gateway that starts, stops or is held
// takes none in that it would answer.
func (f *front) ready(ctx context.Context) httpd.State {
	if !f.takesIn.Load() || f.held() != "" {
		return httpd.StateDown
	}
	return f.healthy(ctx)
}

// follow tells to, and the probes, whether the store can be written.
func (f *front) follow(to func(error)) func(error) {
	return func(err error) {
		f.unwritten.Store(err != nil)
		if s := f.screens.Load(); s != nil {
			s.Trouble(err)
		}
		if to != nil {
			to(err)
		}
	}
}
