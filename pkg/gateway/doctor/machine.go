package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels/wire"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/modelset"
)

// How far a clock may be off: tokens and certificates have their times, and Slack's
// signatures are good for five minutes.
const (
	clockWarn = 30 * time.Second
	clockFail = 5 * time.Minute
)

// clockHere looks at the clock without asking a server: a store of the future means that
// the clock went back.
func (s *setup) clockHere(context.Context) []Finding {
	if f := s.past(); f != nil {
		return []Finding{*f}
	}
	return []Finding{{nameClock, OK, fmt.Sprintf(textClockAlone, time.Now().Format(time.RFC3339)), ""}}
}

func (s *setup) past() *Finding {
	info, err := os.Stat(filepath.Join(s.cfg.StateDir, "parley.db"))
	if err != nil {
		return nil
	}
	if ahead := time.Until(info.ModTime()); ahead > clockFail {
		said := fmt.Sprintf(textClockBack, info.ModTime().Format(time.DateTime), ahead.Round(time.Second))
		return &Finding{nameClock, Fail, said, textClockCure}
	}
	return nil
}

// clock compares the clock with those of the servers.
func (s *setup) clock(ctx context.Context) []Finding {
	if f := s.past(); f != nil {
		return []Finding{*f}
	}
	type answer struct {
		host string
		off  time.Duration
	}
	var mu sync.Mutex
	var answers []answer
	var working sync.WaitGroup
	for address, proxy := range s.addresses() {
		working.Go(func() {
			if off, ok := offBy(ctx, address, proxy); ok {
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, answer{address, off})
			}
		})
	}
	working.Wait()
	if len(answers) == 0 {
		return s.clockHere(ctx)
	}
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.off, b.off) })
	const half = 2
	middle := answers[len(answers)/half]
	off := middle.off.Round(time.Second)
	said := fmt.Sprintf(textClockOff, off.Abs(), ahead(off), middle.host)
	switch {
	case off.Abs() > clockFail:
		return []Finding{{nameClock, Fail, said, textClockCure}}
	case off.Abs() > clockWarn:
		return []Finding{{nameClock, Warn, said, textClockCure}}
	}
	return []Finding{{nameClock, OK, fmt.Sprintf(textClockGood, middle.host), ""}}
}

func ahead(off time.Duration) string {
	if off > 0 {
		return textAhead
	}
	return textBehind
}

// addresses are the roots of the configured servers with the proxies on the way.
func (s *setup) addresses() map[string]wire.Proxy {
	all := map[string]wire.Proxy{}
	add := func(address string, proxy wire.Proxy) {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			all[(&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()] = proxy
		}
	}
	for _, m := range s.cfg.Models {
		if m.Provider != modelset.Offline {
			add(m.BaseURL, http.ProxyFromEnvironment)
		}
	}
	if t := &s.cfg.Channels.Telegram; t.Enabled {
		for _, bot := range t.Bots() {
			if proxy, err := wire.ParseProxy(bot.Proxy); err == nil {
				add(bot.APIURL, proxy)
			}
		}
	}
	if k := &s.cfg.Channels.Slack; k.Enabled {
		if proxy, err := wire.ParseProxy(k.Proxy); err == nil {
			add(k.APIURL, proxy)
		}
	}
	return all
}

// offBy is how far this clock is ahead of that of a server. Half of the way there and back
// is taken off.
func offBy(ctx context.Context, address string, proxy wire.Proxy) (off time.Duration, ok bool) {
	client := wire.NewHTTP(proxy, wire.NewDial(), 1)
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, false
	}
	sent := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, false
	}
	defer resp.Body.Close()
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	const half = 2
	return sent.Add(time.Since(sent) / half).Sub(at), true
}

// sandbox tries the sandbox where a tool needs it.
func (s *setup) sandbox(context.Context) []Finding {
	v := s.tools()
	var found []Finding
	if len(v.Unsafe) > 0 {
		found = append(found, Finding{nameSandbox, Warn, fmt.Sprintf(textUnsafe, strings.Join(v.Unsafe, ", ")), textUnsafeCure})
	}
	switch {
	case v.NoSandbox != nil && len(v.Boxed) > 0:
		found = append(found, Finding{nameSandbox, Fail, fmt.Sprintf(textNoSandbox, strings.Join(v.Boxed, ", "), v.NoSandbox), textSandboxCure})
	case v.NoSandbox != nil:
		found = append(found, Finding{nameSandbox, Warn, fmt.Sprintf(textNoSandboxUnused, v.NoSandbox), textSandboxCure})
	case len(found) == 0:
		found = append(found, Finding{nameSandbox, OK, textSandboxGood, ""})
	}
	return found
}

// ownTools looks at the operator's own tools and programs.
func (s *setup) ownTools(context.Context) []Finding {
	v := s.tools()
	var found []Finding
	for _, b := range v.Broken {
		if v.NoSandbox != nil {
			break // it is the reason for all
		}
		found = append(found, Finding{nameTools, Fail, fmt.Sprintf(textBroken, b.Name, b.Why), fmt.Sprintf(textBrokenCure, b.Name, s.program())})
	}
	for _, program := range v.Missing {
		found = append(found, Finding{nameTools, Warn, fmt.Sprintf(textMissing, program), fmt.Sprintf(textMissingCure, program)})
	}
	if len(found) == 0 {
		found = []Finding{{nameTools, OK, fmt.Sprintf(textToolsGood, admin.Count(len(v.Offered), "tool", "tools")), ""}}
	}
	return found
}

// Bytes of a schema to a token, as the gateway estimates them, and the parts of a context
// that the tools may take.
const (
	schemaBytes = 3
	mostTools   = 2
	manyTools   = 4
)

// history is the finding that a model reads less of a conversation than was asked for. The default
// asks for no size.
func (m models) history(name string, size int) (Finding, bool) {
	asked, usual := m.setup.cfg.Agent.History.Tokens, config.Default(m.setup.o.Home).Agent.History.Tokens
	most := size / mostTools
	if size == 0 || asked == usual || asked <= most {
		return Finding{}, false
	}
	return Finding{nameWindow, Warn, fmt.Sprintf(textHistory, asked, size, name), fmt.Sprintf(textHistoryCure, most)}, true
}

// window compares the context of each model with the size of the tools.
func (m models) window(ctx context.Context) []Finding {
	set, err := m.modelSet(ctx)
	if err != nil {
		return []Finding{{nameWindow, Skip, err.Error(), ""}}
	}
	raw, err := json.Marshal(m.setup.tools().Offered)
	if err != nil {
		return []Finding{{nameWindow, Fail, err.Error(), textPanicCure}}
	}
	need := len(raw) / schemaBytes
	var found []Finding
	for _, w := range set.Windows() {
		if !w.Tools {
			continue
		}
		said := fmt.Sprintf(textWindow, need, w.Context, w.Name)
		cure := fmt.Sprintf(textWindowCure, w.Name)
		switch {
		case w.Context == 0 && w.Here:
			found = append(found, Finding{nameWindow, Warn, fmt.Sprintf(textWindowLocal, w.Name, need), fmt.Sprintf(textWindowLocalCure, w.Name)})
		case w.Context == 0:
			found = append(found, Finding{nameWindow, OK, fmt.Sprintf(textWindowUnknown, w.Name, need), ""})
		case need > w.Context/mostTools:
			found = append(found, Finding{nameWindow, Fail, said, cure})
		case need > w.Context/manyTools:
			found = append(found, Finding{nameWindow, Warn, said, cure})
		default:
			found = append(found, Finding{nameWindow, OK, said, ""})
		}
		if f, is := m.history(w.Name, w.Context); is {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		found = []Finding{{nameWindow, OK, textNoWindow, ""}}
	}
	return found
}
