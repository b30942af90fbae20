package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/setup"
)

// initiation is a run of init: its flags, and the person who sits there.
type initiation struct {
	host *host

	answers   setup.Flags
	channels  string
	chats     bool
	yes       bool
	chatGiven bool
}

func newInit(h *host) *cobra.Command {
	i := &initiation{host: h}
	c := &cobra.Command{
		Use: "init", Short: textInit, Args: cobra.NoArgs, Long: textInitLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			i.chatGiven = cmd.Flags().Changed("chat")
			return i.begin(cmd.Context())
		},
	}
	flags, f := c.Flags(), &i.answers
	flags.StringVar(&f.Use, "use", "", textInitUse)
	flags.StringVar(&f.URL, "url", "", textInitURL)
	flags.StringVar(&f.KeyEnv, "key-env", "", textInitKeyEnv)
	flags.StringVar(&f.Model, "model", "", textInitModel)
	flags.StringVar(&i.channels, "channels", "", textInitChannels)
	flags.StringArrayVar(&f.Owners, "owner", nil, textInitOwner)
	flags.StringVar(&f.TelegramURL, "telegram-url", "", textInitTelegramURL)
	flags.BoolVar(&f.Untested, "no-test", false, textInitNoTest)
	flags.BoolVar(&f.Force, "force", false, textInitForce)
	flags.BoolVar(&i.chats, "chat", false, textInitChat)
	flags.BoolVar(&i.yes, "yes", false, textInitYes)
	c.AddCommand(newInitSlack(h))
	return c
}

// begin makes the configuration, and goes on with the gateway or the console.
func (i *initiation) begin(ctx context.Context) error {
	if i.host.home == "" && i.host.configPath == "" {
		return errNoHome()
	}
	asks := i.host.terminal() && !i.yes
	goesOn := asks && !i.chatGiven
	o := setup.Options{
		Path: i.host.configFile(), Home: i.host.home, LookupEnv: i.host.lookupEnv, Redactor: i.host.redactor,
		Say: func(text string) error { return i.print("%s", text) }, Flags: i.answers, Admits: goesOn,
	}
	switch i.channels {
	case "":
	case "none":
		o.Flags.None = true
	default:
		o.Flags.Channels = strings.Split(i.channels, ",")
	}
	if asks {
		o.Ask = i.ask
	}
	made, err := setup.Run(ctx, o)
	if err != nil {
		return admin.Failed(err)
	}
	return i.goOn(ctx, made, goesOn && made.New)
}

// goOn opens the console, or lets the owner in; asked says that the person decides.
func (i *initiation) goOn(ctx context.Context, made *setup.Result, asked bool) error {
	switch {
	case i.chats:
		return i.host.chat(ctx, homeChat)
	case !asked:
		return nil
	case len(made.Ready) > 0:
		return i.admitOwner(ctx, made.Ready)
	}
	line, err := i.ask(textAskChat)
	if err != nil || !slices.Contains([]string{"", "y", "yes"}, strings.ToLower(line)) {
		return err
	}
	return i.host.chat(ctx, homeChat)
}

// print writes to the screen.
func (i *initiation) print(format string, args ...any) error {
	h := i.host
	return h.print(format, args...)
}

// ask shows a question and reads the line of the answer, and not a byte more: what is
// typed ahead belongs to the console.
func (i *initiation) ask(question string) (string, error) {
	if err := i.print("%s", question); err != nil {
		return "", err
	}
	const most = 4096
	var line []byte
	for b := make([]byte, 1); len(line) < most; {
		n, err := i.host.in.Read(b)
		switch {
		case n == 1 && b[0] == '\n':
			return strings.TrimSpace(string(line)), nil
		case n == 1:
			line = append(line, b[0])
		case errors.Is(err, io.EOF):
			return "", admin.WithCode(admin.CodeUsage, errors.New(textInputEnded))
		case err != nil:
			return "", admin.WithCode(admin.CodeFailed, err)
		}
	}
	return "", admin.WithCode(admin.CodeUsage, errors.New(textLongAnswer))
}

// admitOwner runs the gateway and lets the person who sits here in as its owner, by the code
// that the bot gives them. The gateway runs on afterwards; without a code it ends.
func (i *initiation) admitOwner(ctx context.Context, platforms []string) error {
	nobody, err := setup.NoInput()
	if err != nil {
		return admin.WithCode(admin.CodeFailed, err)
	}
	defer nobody.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	inner := *i.host
	inner.in, inner.logLevel = nobody, "warn"
	go func() { // it ends with the input, or with the process
		if !i.admit(ctx, platforms) {
			stop()
		}
	}()
	return inner.run(ctx)
}

// admit asks for the code until it is right; false leaves the person outside.
func (i *initiation) admit(ctx context.Context, platforms []string) bool {
	const attempts = 5
	err := i.print(textAdmit, strings.Join(platforms, ", "))
	for range attempts {
		var code string
		if err == nil {
			code, err = i.ask(textAskCode)
		}
		if err != nil || code == "" {
			break
		}
		approved := admin.Request{Pair: code, Owner: true}
		err = i.host.operate(ctx, admin.ApprovePair(), approved, func(json.RawMessage) error { return nil })
		if err == nil {
			return i.print(textAdmitted, admin.Program()) == nil
		}
		err = i.print("%s\n", i.host.redactor.Redact(err.Error()))
	}
	_ = i.print(textAdmitLater, admin.Program()) // a closed screen needs no word
	return false
}

func newInitSlack(h *host) *cobra.Command {
	var name, address string
	c := &cobra.Command{
		Use: "slack", Short: textSlack, Args: cobra.NoArgs,
		Long: textSlackLong,
		RunE: func(*cobra.Command, []string) error {
			text, err := gateway.SlackManifest(name, address)
			if err != nil {
				return err
			}
			return h.print("%s", text)
		},
	}
	c.Flags().StringVar(&name, "name", "Parley", textSlackName)
	c.Flags().StringVar(&address, "events-url", "", "https address under which Slack reaches the gateway "+
		"(channels.slack.events); without it: Socket Mode")
	return c
}
