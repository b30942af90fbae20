package main

import (
	"context"
	"os"

	"parley/pkg/channels/console"
	"parley/pkg/config"
	terminal "parley/pkg/console"
	"parley/pkg/console/history"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/attach"
)

// terminalView is the console of standard input and output: with a screen where a person sits at a
// terminal that can, and else of lines.
func (t *talk) terminalView(cfg *config.Config) (attach.View, signals) {
	h := t.host
	out, ok := drawable(h)
	if t.alone || !ok {
		lines := console.New(console.Options{
			In: h.in, Out: h.out, Err: h.err, Interactive: !t.alone, Busy: t.busy, Settled: t.settle,
		})
		if t.alone {
			return lines, leaves()
		}
		return lines, signals{interrupt: lines.Interrupt}
	}
	view := terminal.New(terminal.Options{
		In: h.in, Out: out, LookupEnv: h.lookupEnv, Environ: h.environ(), Chat: t.chat, Back: t.back(), Busy: t.busy,
		Commands: t.commands, History: history.Path(cfg.StateDir, config.Default(h.home).StateDir), Redact: h.redactor.Redact,
	})
	return view, signals{interrupt: view.Interrupt, restore: view.Restore}
}

// back is the command that goes on with the conversation.
func (t *talk) back() string {
	if t.chat == homeChat {
		return admin.Program() + " chat"
	}
	return admin.Program() + " chat --session " + t.chat
}

// drawable is the terminal of standard output, where a console may draw on it.
func drawable(h *host) (*os.File, bool) {
	out, ok := h.stdout.(*os.File)
	return out, ok && !h.plain && h.terminal() && terminal.Fits(out, h.lookupEnv)
}

// commands are those of the gateway that the console is attached to.
func (t *talk) commands(ctx context.Context) ([]terminal.Command, error) {
	client := t.client.Load()
	if client == nil {
		return nil, admin.ErrNotRunning
	}
	all, err := client.Commands(ctx)
	var list []terminal.Command
	for _, c := range all {
		command := terminal.Command{Name: c.Name, Usage: c.Usage, Does: c.Does}
		for _, a := range c.Args {
			command.Args = append(command.Args, terminal.Argument{Kind: a.Kind, Values: a.Values})
		}
		list = append(list, command)
	}
	return list, err
}
