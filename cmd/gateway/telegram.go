package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
	"parley/pkg/config"
	"parley/pkg/policy"
	"parley/workspace"
)

// telegramChannels makes the bots of the configuration.
func (a *App) telegramChannels(log zerolog.Logger) ([]channels.Channel, error) {
	t := &a.cfg.Channels.Telegram
	if !t.Enabled {
		return nil, nil
	}
	var bots []channels.Channel
	for _, bot := range t.Bots() {
		c, err := a.telegramBot(bot, log)
		if err != nil {
			return nil, coded(exitUsage, fmt.Errorf("%s: %w", botPlace(bot), err))
		}
		bots = append(bots, c)
	}
	return bots, nil
}

// botPlace is where in the configuration a bot is described.
func botPlace(bot *config.TelegramAccount) string {
	if bot.Name == "" {
		return "channels.telegram"
	}
	return "channels.telegram.accounts: " + bot.Name
}

func (a *App) telegramBot(bot *config.TelegramAccount, log zerolog.Logger) (*telegram.Channel, error) {
	if bot.AllowEveryone {
		log.Warn().Str("name", bot.Name).Msg(botPlace(bot) + ": allow_everyone is on: whoever finds the bot may use it, and every question costs")
	}
	o := telegram.Options{
		Name: bot.Name, Token: bot.Token.Reveal, APIURL: bot.APIURL, Stream: bot.Stream, Proxy: bot.Proxy,
		Rates: telegram.Rates{
			PerChat: unlimited(bot.SendRate.Chat), GroupPerMinute: unlimited(bot.SendRate.GroupPerMinute), PerBot: unlimited(bot.SendRate.Bot),
		},
		Admit: a.admits, Files: a.keepFile, Moved: a.moved, MenuCommands: menu(), Log: log,
	}
	if w := bot.Webhook; w.Listen != "" {
		o.Webhook = &telegram.Webhook{Listen: w.Listen, PublicURL: w.PublicURL, Secret: w.Secret.Reveal}
	}
	return telegram.New(o)
}

// telegramRules are the rules of each bot. Where there are several, those of one
// let nobody in through another, and one whose token is not known lets in owners only.
func telegramRules(t *config.Telegram) map[string]policy.ChannelRules {
	all := map[string]policy.ChannelRules{telegram.Name: {}}
	for _, bot := range t.Bots() {
		rules := policy.ChannelRules{
			Everyone: bot.AllowEveryone, Allow: texts(bot.Allow), Groups: texts(bot.Groups.Allow), EveryMessage: bot.Groups.Mention == "off",
		}
		switch id := bot.BotID(); {
		case len(t.Accounts) == 0:
			all[telegram.Name] = rules
		case id != "":
			all[telegram.Name+"/"+id] = rules
		}
	}
	return all
}

// unlimited is a rate of the configuration, where 0 means no limit, in the
// adapter's words.
func unlimited(rate float64) float64 {
	if rate == 0 {
		return -1
	}
	return rate
}

func menu() []telegram.Command {
	var all []telegram.Command
	for _, c := range agent.Commands() {
		all = append(all, telegram.Command{Name: c.Name, Description: c.Does})
	}
	return all
}

// admits asks the policy without consequences.
func (a *App) admits(ctx context.Context, in channels.Inbound) bool {
	return gatekeeper{a.policy}.Authorize(ctx, in).Allow
}

// moved lets a chat go on under its new address, with its files. What the
// configuration says of its old id goes on as well: the policy asks the engine.
func (a *App) moved(ctx context.Context, from, to channels.Address) error {
	if err := a.engine.Move(ctx, from, to); err != nil {
		return fmt.Errorf("move a chat: %w", err)
	}
	// Where the new address has files already, both keep what they have.
	err := os.Rename(a.spaces.of(from, false), a.spaces.of(to, false))
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("move a chat's files: %w", err)
	}
	return nil
}

// inboxDir is where in a chat's space the files lie that people sent.
const inboxDir = "inbox"

// keepFile stores what somebody sent in the space of its chat, under a name of
// its own, and returns the path within the space. What did not come whole is not kept.
func (a *App) keepFile(at channels.Address, name string, r io.Reader) (kept string, err error) {
	space := a.spaces.of(at, a.ownersAlone(at))
	if err := workspace.EnsureSpace(space); err != nil {
		return "", fmt.Errorf("the chat's space: %w", err)
	}
	root, err := os.OpenRoot(space)
	if err != nil {
		return "", fmt.Errorf("the chat's space: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(inboxDir, 0o700); err != nil {
		return "", fmt.Errorf("the folder for files: %w", err)
	}
	f, kept, err := createNew(root, fileName(name))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("keep a file: %w", err), root.Remove(kept))
	}
	return kept, nil
}

// maxNames is how many files of one name there may be.
const maxNames = 1000

// createNew creates a file that was not there, with a number where its name is taken.
func createNew(root *os.Root, name string) (*os.File, string, error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= maxNames; n++ {
		at := path.Join(inboxDir, name)
		f, err := root.OpenFile(filepath.FromSlash(at), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f, at, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, "", fmt.Errorf("keep a file: %w", err)
		}
		name = stem + "-" + strconv.Itoa(n+1) + ext
	}
	return nil, "", fmt.Errorf("keep a file: there are %d of the name %s", maxNames, name)
}

// maxFileName bounds a kept file's name in bytes.
const maxFileName = 120

// fileName is what somebody called a file, as a plain name.
func fileName(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c == '.', c == '-', c == '_', c == ' ', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c > 0x7f && strconv.IsPrint(c):
			return c
		default:
			return '_'
		}
	}, strings.ToValidUTF8(path.Base(strings.ReplaceAll(name, `\`, "/")), "_"))
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	for len(name) > maxFileName {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:] // the end tells what kind of file it is
	}
	if name == "" {
		return "file-" + time.Now().UTC().Format("20060102-150405")
	}
	return name
}

// ownersAlone says whether an address is an owner's direct chat: there the
// person's id is the chat's.
func (a *App) ownersAlone(at channels.Address) bool {
	if strings.HasPrefix(at.Chat, "-") {
		return false
	}
	v := a.policy.Authorize(context.Background(), policy.Event{
		Kind: policy.KindMessage, Address: at, Sender: channels.Sender{ID: at.Chat}, Direct: true,
	})
	return v.Allow && v.Owner
}
