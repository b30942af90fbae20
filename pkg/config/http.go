package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"parley/pkg/strictyaml"
)

const httpPath = "http"

// HTTP is the gateway's own server.
type HTTP struct {
	Listen         string   `yaml:"listen" jsonschema_description:"HOST:PORT to listen at, in plain HTTP: TLS ends in front of it. Left out: there is no server. A webhook with the same listen shares it."`
	PublicURL      string   `yaml:"public_url" jsonschema_description:"The address under which clients reach the server, such as https://bot.example.org. Requests under other names are refused, but for those of this machine."`
	TrustedProxies []string `yaml:"trusted_proxies" jsonschema_description:"Addresses or networks of the proxies in front, such as 127.0.0.1 or 10.0.0.0/8: only their header X-Forwarded-For names the client. Default none: all that comes through a proxy counts as one client."`
	ChatApprovals  string   `yaml:"chat_approvals" jsonschema:"enum=ask,enum=deny" jsonschema_description:"What a call that a person has to allow becomes in /v1/chat/completions: ask ends the answer with a sentence that says where it is allowed; deny refuses the call, and the model answers without it. Default ask."`
	FilesMB        int      `yaml:"files_mb" jsonschema:"minimum=0,maximum=10000000" jsonschema_description:"Megabytes that the files of one person may take, in all chats of the page and of the HTTP API; channels.inbox.max_mb bounds those of one chat. The oldest give way. Default 1000."`
	ChatHeaders    []string `yaml:"chat_headers" jsonschema_description:"Headers by which clients of /v1 name a lasting chat, such as X-OpenWebUI-Chat-Id; the first that a request has counts. Default none: each request has a chat of its own, which is forgotten."`
}

// ApprovalsDeny is the word of http.chat_approvals that asks nobody.
const ApprovalsDeny = "deny"

// defaultFilesMB is how much the files of one person may take.
const defaultFilesMB = 1000

// headerName is the form of a header's name.
var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

// Shares says whether a webhook that listens at an address is answered by the server.
func (h *HTTP) Shares(listen string) bool { return listen != "" && listen == h.Listen }

type httpChecker struct{ checker }

func (c httpChecker) run() {
	h := &c.cfg.HTTP
	if h.Listen == "" {
		if h.PublicURL != "" || len(h.TrustedProxies) > 0 || len(h.ChatHeaders) > 0 || h.ChatApprovals != "" {
			c.at(httpPath, "has no listen: write HOST:PORT where clients arrive, or take http out")
		}
		return
	}
	c.listen(httpPath+".listen", h.Listen)
	c.proxies(httpPath+".trusted_proxies", h.TrustedProxies)
	c.public(httpPath+".public_url", h.PublicURL)
	if a := h.ChatApprovals; a != "" && a != "ask" && a != ApprovalsDeny {
		c.at(httpPath+".chat_approvals", "must be ask or deny")
	}
	for i, name := range h.ChatHeaders {
		if !headerName.MatchString(name) || strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie") {
			c.at(fmt.Sprintf("%s.chat_headers[%d]", httpPath, i), "is no header of a chat: write a name such as X-Chat-Id")
		}
	}
	c.sharing()
}

// public checks the address under which browsers reach the server: its pages are at the
// root.
func (c httpChecker) public(path, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || !isHost(u.Hostname()):
		c.at(path, "must be an address such as https://bot.example.org")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		c.at(path, "must end behind the host and the port: the page is at its root")
	case u.Port() != "" && !isPort(u.Port()):
		c.at(path, "has the port %s: write one from 1 to 65535, or none", strictyaml.Quote(u.Port()))
	case unspecified(u.Hostname()):
		c.at(path, "is no address that a client can reach: write the name or the address of this machine")
	}
}

func unspecified(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsUnspecified()
}

// sharing checks the webhooks at the address of the server.
func (c httpChecker) sharing() {
	h, t, s := &c.cfg.HTTP, &c.cfg.Channels.Telegram, &c.cfg.Channels.Slack
	paths := map[string]string{}
	bot := func(path string, w *Webhook) {
		if !h.Shares(w.Listen) {
			return
		}
		c.sharedProxies(path, w.TrustedProxies)
		u, err := url.Parse(w.PublicURL)
		if err != nil {
			return // it is reported already
		}
		switch first, taken := paths[u.Path]; {
		case !regexp.MustCompile(`^/telegram(/[A-Za-z0-9_-]+)*$`).MatchString(u.Path):
			c.at(path+".public_url", "must have the path /telegram, or one below it such as /telegram/main, because it shares http.listen")
		case taken:
			c.at(path+".public_url", "has the path of %s: each bot that shares http.listen needs its own", first)
		}
		paths[u.Path] = path
	}
	bot(telegramPath+".webhook", &t.Webhook)
	for i, a := range t.Accounts {
		bot(accountPath(i)+".webhook", &a.Webhook)
	}
	if h.Shares(s.Events.Listen) {
		c.sharedProxies(slackEventsPath, s.Events.TrustedProxies)
		if strings.TrimSpace(h.PublicURL) == "" {
			c.at(httpPath+".public_url", "is missing: Slack calls the address that you write here, with /slack/events behind it")
		}
	}
}

func (c httpChecker) sharedProxies(path string, list []string) {
	if len(list) > 0 {
		c.at(fmt.Sprintf("%s.trusted_proxies", path), "belongs to the server that is shared: write it as http.trusted_proxies")
	}
}
