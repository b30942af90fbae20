package main

import (
	"fmt"
	golog "log"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/config"
)

// logger makes the log of a command; level "" takes the configuration's.
func (h *host) logger(cfg *config.Config, level string) (zerolog.Logger, error) {
	if h.logLevel != "" {
		level = h.logLevel
	}
	if level == "" {
		level = cfg.Log.Level
	}
	if level == "off" {
		takeGoLines(zerolog.Nop())
		return zerolog.Nop(), nil
	}
	l, err := zerolog.ParseLevel(strings.ToLower(level))
	if err != nil || l == zerolog.NoLevel {
		return zerolog.Nop(), coded(exitUsage, fmt.Errorf("--log %s: write one of trace, debug, info, warn, error, off", level))
	}
	out := h.redactor.Writer(h.err)
	if cfg.Log.Format == "console" {
		out = zerolog.ConsoleWriter{Out: out, NoColor: true, TimeFormat: time.TimeOnly}
	}
	log := zerolog.New(out).Level(l).With().Timestamp().Logger()
	takeGoLines(log)
	return log, nil
}

// takeGoLines has Go's own packages, such as net/http, write into log what they
// otherwise write to standard error in a form of their own.
func takeGoLines(log zerolog.Logger) {
	golog.SetFlags(0)
	golog.SetOutput(goLines{log})
}

type goLines struct{ log zerolog.Logger }

// Write takes one line of the standard library's log.
func (g goLines) Write(line []byte) (int, error) {
	g.log.Warn().Str("line", strings.TrimRight(string(line), "\n")).Msg("Go's own packages report")
	return len(line), nil
}
