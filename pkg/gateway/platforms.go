package gateway

import (
	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/gateway/files"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// platforms makes the channels of the configuration.
type platforms struct {
	cfg         *config.Config
	engine      session.Engine
	spaces      files.Spaces
	deadLetters *files.DeadLetters
	server      *httpd.Server // nil without one
	log         zerolog.Logger
}

// open binds the channels.
func (p *platforms) open(c *Channels) error {
	bots, err := p.telegramBots()
	if err != nil {
		return err
	}
	for _, bot := range bots {
		c.bind(bot)
	}
	app, connector, err := p.slackApp()
	if err != nil {
		return err
	}
	c.pending = connector
	if app != nil {
		c.bind(app)
	}
	return nil
}
