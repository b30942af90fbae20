package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// webRows are the rows of the page and of the HTTP faces. Most compare with Telegram, which
// is measured beside them in each repetition: the machine changes its speed.
func webRows() []row {
	native, v1 := place{prefix: "Web: ", connect: connectNative}, place{prefix: "Web: ", connect: connectV1}
	return []row{
		{name: "web-latency", measure: webLatency, on: native},
		{name: "web-first-token", measure: firstToken, on: native},
		{name: "web-idle-streams", measure: idleStreams, on: native},
		{name: "web-burst", measure: webBurst, on: v1},
	}
}

// faces are the faces that are measured.
func faces(b *bench) map[string]place {
	return map[string]place{
		"native SSE": {bench: b, connect: connectNative}, "/v1/chat/completions": {bench: b, connect: connectV1},
		"/v1/chat/completions in a lasting chat": {bench: b, connect: connectLasting},
	}
}

// faceNames are the names of the faces, in their order.
func faceNames() []string {
	return []string{"native SSE", "/v1/chat/completions in a lasting chat", "/v1/chat/completions"}
}

// slower is how much slower than Telegram a face may be.
const slower = 1.2

// beside holds a value against that of Telegram in the same repetition.
func beside(what string, value, telegram float64) report.Figure {
	return report.AtMost(what+", over Telegram's", value/telegram, slower, "×")
}

// webLatency compares the overhead of an answer over each face with that on Telegram.
func webLatency(ctx context.Context, p place) ([]report.Figure, error) {
	const n = 60
	middle := func(on place) (p50, commits float64, err error) {
		err = on.with(ctx, 0, func(ctx context.Context, s *stage) error {
			before, err := s.gw.Status(ctx)
			if err != nil {
				return err
			}
			over, _, err := s.latency(ctx, "hello", n)
			if err != nil {
				return err
			}
			after, err := s.gw.Status(ctx)
			p50, commits = report.Percentile(over, 50), float64(after.Commits-before.Commits)/(n+warm)
			return err
		})
		return p50, commits, err
	}
	telegram, _, err := middle(place{bench: p.bench, connect: connectTelegram})
	if err != nil {
		return nil, err
	}
	figures := []report.Figure{report.Told("own overhead p50, Telegram beside it", telegram, "ms")}
	for _, name := range faceNames() {
		p50, commits, err := middle(faces(p.bench)[name])
		if err != nil {
			return nil, err
		}
		what := "own overhead p50 of a streamed answer over " + name
		figures = append(figures, report.Told(what, p50, "ms"), beside(what, p50, telegram),
			report.Told("transactions per turn over "+name+", alone", commits, ""))
	}
	return figures, nil
}

// firstToken is the time from the model's first token to that of the reader.
func firstToken(ctx context.Context, p place) ([]report.Figure, error) {
	const n, pieces = 60, 5 * time.Millisecond
	var figures []report.Figure
	for _, name := range faceNames() {
		on := faces(p.bench)[name]
		on.pieces = pieces
		err := on.with(ctx, 0, func(ctx context.Context, s *stage) error {
			asks, err := s.paced(ctx, 0, "hello", n, gap)
			if err != nil {
				return err
			}
			late, err := s.late(ctx, asks)
			figures = append(
				figures,
				report.AtMost("first token behind the model's, p50, over "+name, report.Percentile(late, 50), 2, "ms"),
				report.Told("first token behind the model's, p99, over "+name, report.Percentile(late, 99), "ms"),
			)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// late are the times between the model's first token and that of the reader, in milliseconds.
func (s *stage) late(ctx context.Context, asks []*ask) ([]float64, error) {
	st, err := s.model.stats(ctx)
	if err != nil {
		return nil, err
	}
	programs, _ := s.platform.(*onWeb)
	programs.mu.Lock()
	defer programs.mu.Unlock()
	var all []float64
	for _, a := range asks {
		first, read := st.First[a.nonce], programs.first[a.nonce]
		if first == 0 || read.IsZero() {
			return nil, fmt.Errorf("%w: no first token of %s: the model's %d, the reader's %v", errLedger, a.nonce, first, read)
		}
		all = append(all, ms(read.Sub(time.Unix(0, first))))
	}
	return all, nil
}

// idleStreams compares the memory with a thousand streams that wait with that without: each is
// a connection of its own, of forty people.
func idleStreams(ctx context.Context, p place) ([]report.Figure, error) {
	const streams, each = 1000, 25
	var figures []report.Figure
	p.people = streams / each
	err := p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		programs, _ := s.platform.(*onWeb)
		without, err := s.rest(ctx)
		if err != nil {
			return err
		}
		var open []io.Closer
		defer func() {
			for _, body := range open {
				_ = body.Close()
			}
		}()
		for i := range streams {
			resp, err := programs.stream(programs.tokens[i/each], fmt.Sprint("idle", i)) //nolint:bodyclose // see above
			if err != nil {
				return err
			}
			open = append(open, resp.Body)
		}
		var with rig.Sample
		with, err = s.rest(ctx)
		figures = []report.Figure{
			report.AtMost("1,000 idle streams: memory over the same gateway without", mib(with.RSS-without.RSS), 20, "MB"),
			report.Told("of it anonymous", mib(with.Anon-without.Anon), "MB"),
		}
		return err
	})
	return figures, err
}

// webBurst compares a burst of requests to /v1, each a turn, with that of messages on
// Telegram: 200 programs ask ten questions each, one after the other, as a chat's turns are
// there. Told is the same with all of them at once.
func webBurst(ctx context.Context, p place) ([]report.Figure, error) {
	const chats, each = 200, 10
	flood := func(ctx context.Context, s *stage) (time.Duration, error) { return s.flood(ctx, chats, each) }
	telegram, _, err := place{bench: p.bench, connect: connectTelegram}.load(ctx, flood)
	if err != nil {
		return nil, err
	}
	p.people = chats
	var commits uint64
	took, end, err := p.load(ctx, func(ctx context.Context, s *stage) (time.Duration, error) {
		before, err := s.gw.Status(ctx)
		if err != nil {
			return 0, err
		}
		took, err := s.converse(ctx, chats, each)
		if err != nil {
			return 0, err
		}
		after, err := s.gw.Status(ctx)
		commits = after.Commits - before.Commits
		return took, err
	})
	if err != nil {
		return nil, err
	}
	atOnce, endAtOnce, err := p.load(ctx, flood)
	const what = "burst 200×10 over /v1/chat/completions"
	return []report.Figure{
		report.Told("burst 200×10, Telegram beside it", telegram.Seconds(), "s"),
		report.Told(what, took.Seconds(), "s"),
		beside(what, took.Seconds(), telegram.Seconds()),
		report.Told("CPU per ask, burst", ms(end.CPU)/(chats*each), "ms"),
		report.Told("transactions per turn, burst", float64(commits)/(chats*each), ""),
		report.Told("peak memory, burst 200×10", mib(end.Peak), "MB"),
		report.Told(what+", 2,000 requests at once", atOnce.Seconds(), "s"),
		report.Told("CPU per ask, 2,000 at once", ms(endAtOnce.CPU)/(chats*each), "ms"),
		report.Told("peak memory, 2,000 at once", mib(endAtOnce.Peak), "MB"),
	}, err
}

// load measures one load on a stage of its own.
func (p place) load(
	ctx context.Context, do func(ctx context.Context, s *stage) (time.Duration, error),
) (took time.Duration, end rig.Sample, err error) {
	err = p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		before, err := s.process.Sample()
		if err != nil {
			return err
		}
		if took, err = do(ctx, s); err != nil {
			return err
		}
		end, err = s.process.Sample()
		end.CPU -= before.CPU
		return err
	})
	return took, end, err
}
