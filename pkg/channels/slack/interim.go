package slack

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/slack-go/slack"

	"parley/pkg/channels/wire"
)

type client struct {
	api  *slack.Client
	http *http.Client
	opt  Options
}

func newClient(o Options) (*client, error) {
	if _, err := wire.ParseBase(o.APIURL); err != nil {
		return nil, err
	}
	proxy, err := wire.ParseProxy(o.Proxy)
	if err != nil {
		return nil, err
	}
	c := &client{opt: o}
	c.connect(proxy, wire.NewDial())
	return c, nil
}

func (c *client) connect(proxy wire.Proxy, dial wire.Dial) {
	c.http = wire.NewHTTP(proxy, dial, 8)
	app := ""
	if c.opt.AppToken != nil {
		app = c.opt.AppToken()
	}
	c.api = slack.New(c.opt.BotToken(), slack.OptionAppLevelToken(app), slack.OptionAPIURL(c.opt.APIURL), slack.OptionHTTPClient(c.http))
}

func (c *client) close() { c.http.CloseIdleConnections() }

func (c *client) download(ctx context.Context, url string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.opt.BotToken())
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

var errNotBuilt = errors.New("slack: not built yet")
