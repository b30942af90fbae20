package main

import (
	"fmt"
	"io"
	golog "log" //nolint:depguard // to take its lines
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/visible"
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
		return zerolog.Nop(), admin.WithCode(admin.CodeUsage, fmt.Errorf(textBadLog, level))
	}
	to := h.err
	if h.logFile != nil {
		to = h.logFile
	}
	out := h.redactor.Writer(plainJSON{to})
	if cfg.Log.Format == "console" {
		out = zerolog.ConsoleWriter{ // it quotes values, and writes messages as they are
			Out: h.redactor.Writer(to), NoColor: true, TimeFormat: timeForm(h),
			FormatMessage: func(v any) string { return strings.ReplaceAll(visible.Text(fmt.Sprint(v)), "\n", `\u{a}`) },
		}
	}
	log := zerolog.New(out).Level(l).With().Timestamp().Logger()
	takeGoLines(log)
	return log, nil
}

// timeForm is the form of the times in a log for people: a file is read on other days.
func timeForm(h *host) string {
	if h.logFile != nil {
		return time.DateTime
	}
	return time.TimeOnly
}

// plainJSON writes whole lines of JSON without characters that hide others or turn them
// around: those are escaped, as JSON has it.
type plainJSON struct{ out io.Writer }

// Write takes whole lines.
func (w plainJSON) Write(lines []byte) (int, error) {
	text := make([]byte, 0, len(lines))
	for rest := lines; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r < utf8.RuneSelf || unicode.IsPrint(r) {
			text = append(text, rest[:size]...)
		} else {
			for _, unit := range utf16.AppendRune(nil, r) {
				text = fmt.Appendf(text, `\u%04x`, unit)
			}
		}
		rest = rest[size:]
	}
	if _, err := w.out.Write(text); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// takeGoLines has Go's own packages, such as net/http, write into log the lines that
// they otherwise write to standard error in a form of their own.
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
