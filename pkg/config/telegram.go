package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"parley/pkg/strictyaml"
)

const telegramPath = "channels.telegram"

// Bots lists the bots, each with all of its keys: the one that the channel's own
// keys describe, unless there is a list and no token beside it, and those of the
// list.
func (t *Telegram) Bots() []*TelegramAccount {
	var bots []*TelegramAccount
	if len(t.Accounts) == 0 || t.Token.set {
		bots = append(bots, t.own())
	}
	return append(bots, t.Accounts...)
}

// own is the bot that the channel's own keys describe.
func (t *Telegram) own() *TelegramAccount {
	return &TelegramAccount{
		Token: t.Token, APIURL: t.APIURL, Allow: t.Allow, AllowEveryone: t.AllowEveryone, Groups: t.Groups,
		Levels: t.Levels, Webhook: t.Webhook, SendRate: t.SendRate, Stream: t.Stream, Proxy: t.Proxy, Pairing: t.Pairing,
	}
}

// BotID is the public part of the token, before the colon, which names the bot in
// addresses. It is empty while the token is unknown.
func (a *TelegramAccount) BotID() string {
	id, _, ok := strings.Cut(a.Token.value, ":")
	if !ok {
		return ""
	}
	return id
}

func accountPath(i int) string { return fmt.Sprintf("%s.accounts[%d]", telegramPath, i) }

// shareTelegram gives each bot of the list the shared keys that it leaves out.
func (w *walker) shareTelegram(t *Telegram) {
	for i, a := range t.Accounts {
		path := accountPath(i)
		inherit(w, path+".api_url", &a.APIURL, t.APIURL)
		inherit(w, path+".send_rate.chat", &a.SendRate.Chat, t.SendRate.Chat)
		inherit(w, path+".send_rate.group_per_minute", &a.SendRate.GroupPerMinute, t.SendRate.GroupPerMinute)
		inherit(w, path+".send_rate.bot", &a.SendRate.Bot, t.SendRate.Bot)
		inherit(w, path+".stream", &a.Stream, t.Stream)
		inherit(w, path+".pairing", &a.Pairing, t.Pairing)
		inherit(w, path+".levels.direct", &a.Levels.Direct, t.Levels.Direct)
		inherit(w, path+".levels.groups", &a.Levels.Groups, t.Levels.Groups)
		inherit(w, path+".proxy", &a.Proxy, t.Proxy)
		inherit(w, path+".groups.mention", &a.Groups.Mention, Default("").Channels.Telegram.Groups.Mention)
	}
}

func inherit[T any](w *walker, path string, v *T, otherwise T) {
	if !w.written(path) {
		*v = otherwise
	}
}

// written says whether the file has a value at path.
func (w *walker) written(path string) bool { return w.yaml.Written(path) }

// run checks the channels, and that no two listen at one address.
func (c channelChecker) run() {
	c.telegram()
	c.slack()
	c.listeners()
}

func (c channelChecker) telegram() {
	t := &c.cfg.Channels.Telegram
	c.built(telegramPath, "telegram", t.Enabled)
	c.bot(telegramPath, t.own(), t.Enabled && len(t.Accounts) == 0)
	names := map[string]int{}
	for i, a := range t.Accounts {
		path := accountPath(i)
		c.bot(path, a, t.Enabled)
		c.botName(path+".name", a.Name)
		name := strings.ToLower(a.Name)
		if first, taken := names[name]; taken && name != "" {
			c.at(path+".name", "%s is the name of accounts[%d] already: write another", strictyaml.Quote(a.Name), first)
		}
		names[name] = i
	}
	if len(t.Accounts) == 0 || t.Token.set {
		return
	}
	for _, key := range []string{"allow", "allow_everyone", "groups", "webhook"} {
		if path := telegramPath + "." + key; c.written(path) {
			c.at(path, "belongs to one bot: write it into that bot's entry in accounts")
		}
	}
}

// bot checks one bot; inUse says that it has to work.
//
//nolint:revive // flag-parameter: one that is off may be incomplete
func (c channelChecker) bot(path string, a *TelegramAccount, inUse bool) {
	if inUse && !a.Token.set {
		c.at(path+".token", "is missing: write env:TELEGRAM_TOKEN, file:PATH or credential:NAME")
	}
	if c.written(path + ".api_url") {
		c.server(path+".api_url", a.APIURL, true)
	}
	c.ids(path+".allow", "telegram", a.Allow, c.options.User)
	c.ids(path+".groups.allow", "telegram", a.Groups.Allow, c.options.Group)
	if c.written(path + ".proxy") {
		c.proxy(path+".proxy", a.Proxy)
	}
	c.webhook(path+".webhook", a)
}

func (c channelChecker) webhook(path string, a *TelegramAccount) {
	h := &a.Webhook
	if h.Listen == "" {
		if h.PublicURL != "" || h.Secret.set || len(h.TrustedProxies) > 0 {
			c.at(path, "has no listen: write HOST:PORT where Telegram's requests arrive, or take webhook out to poll")
		}
		return
	}
	c.listen(path+".listen", h.Listen)
	c.proxies(path+".trusted_proxies", h.TrustedProxies)
	if !h.Secret.set {
		c.at(path+".secret", "is missing: whoever reaches the address could speak as Telegram; write env:NAME, file:PATH or credential:NAME")
	}
	// Telegram's own servers reach these ports only, https://core.telegram.org/bots/api#setwebhook.
	ports := []string{"", "443", "80", "88", "8443"}
	switch u, err := url.Parse(h.PublicURL); {
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.User != nil || u.Fragment != "":
		c.at(path+".public_url", "must be the https address under which Telegram reaches the gateway, without a name, a password or ?")
	case a.APIURL == Default("").Channels.Telegram.APIURL && !slices.Contains(ports, u.Port()):
		c.at(path+".public_url", "has the port %s, which Telegram never reaches: write 443, 80, 88 or 8443", strictyaml.Quote(u.Port()))
	}
}

// maxAccountName is the longest name of a bot.
const maxAccountName = 64

func (c channelChecker) botName(path, name string) {
	switch {
	case name == "":
		c.at(path, "is missing: write a name of your choice for this bot")
	case len(name) > maxAccountName || !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(name):
		c.at(path, "%s is no name for a bot: write up to %d letters, digits, _ and -", strictyaml.Quote(name), maxAccountName)
	}
}

// telegramSecrets finds tokens and secrets that have another form than Telegram's.
// No problem repeats any of one.
func (w *walker) telegramSecrets(t *Telegram) {
	if !t.Enabled {
		return
	}
	token := regexp.MustCompile(`^[1-9][0-9]{0,18}:[A-Za-z0-9_-]+$`)
	secret := regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)
	check := func(path string, a *TelegramAccount) {
		if v := a.Token.value; v != "" && !token.MatchString(v) {
			w.at(path+".token", "is no token of Telegram's: write the one that @BotFather gives, such as 123456:ABC-def")
		}
		if v := a.Webhook.Secret.value; v != "" && !secret.MatchString(v) {
			w.at(path+".webhook.secret", "is no secret for a webhook: write 1 to 256 letters, digits, _ and -")
		}
	}
	check(telegramPath, t.own())
	for i, a := range t.Accounts {
		check(accountPath(i), a)
	}
}

// strangeBots finds places and owners of bots that are not here: their rules would not
// apply to anybody.
func (w *walker) strangeBots(cfg *Config) {
	t := &cfg.Channels.Telegram
	var ids []string
	for _, bot := range t.Bots() {
		ids = append(ids, bot.BotID())
	}
	if !t.Enabled || slices.Contains(ids, "") {
		return // it is not known which ones there are
	}
	check := func(path, s string) {
		rest, ok := strings.CutPrefix(s, "telegram:")
		id, _, named := strings.Cut(rest, "/")
		if ok && named && !slices.Contains(ids, id) {
			w.at(path, "%s is none of the bots here: write one of %s, or leave it out for every bot", strictyaml.Quote(id), strings.Join(ids, ", "))
		}
	}
	for i, owner := range cfg.Owners {
		check(fmt.Sprintf("owners[%d]", i), owner)
	}
	for place := range cfg.Tools.Chats {
		check("tools.chats."+place, place)
	}
	for place := range cfg.Budgets.Chats {
		check("budgets.chats."+place, place)
	}
	for name, root := range cfg.Tools.Files.Roots {
		for i, place := range root.Chats {
			check(fmt.Sprintf("tools.files.roots.%s.chats[%d]", name, i), place)
		}
	}
	for name, corpus := range cfg.Corpora {
		for i, place := range corpus.Chats {
			check(fmt.Sprintf("corpora.%s.chats[%d]", name, i), place)
		}
	}
}

// oncePerBot finds two entries with one bot: each would take the other's updates.
func (w *walker) oncePerBot(t *Telegram) {
	seen := map[string]string{}
	if id := t.own().BotID(); id != "" {
		seen[id] = telegramPath
	}
	for i, a := range t.Accounts {
		id, path := a.BotID(), accountPath(i)
		if first, taken := seen[id]; taken && id != "" {
			w.at(path+".token", "is a token of the bot %s, which %s has already: each bot may be here once", strictyaml.Quote(id), first)
			continue
		}
		seen[id] = path
	}
}
