package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/telegram"
	"parley/pkg/channels/web"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/screens"
	"parley/pkg/gateway/socket"
	"parley/pkg/policy"
	"parley/pkg/session/bolt"
)

// Operate does an operation on the store of a configuration, while no gateway runs. A
// store that is not there is not made.
func Operate(ctx context.Context, cfg *config.Config, o Options, op admin.Operation, r *admin.Request,
	take func(json.RawMessage) error,
) error {
	o.Operate, o.Look = true, !op.Audited
	makes := []string{admin.CallTool().Name, admin.CreateToken().Name}
	if op.Audited && !slices.Contains(makes, op.Name) { // without a store, there is no record to change in it
		there, err := bolt.Exists(cfg.StateDir)
		if err != nil {
			return admin.StoreError(err)
		}
		o.Look = !there
	}
	a, err := New(ctx, cfg, o)
	if o.Look && bolt.IsDamaged(err) {
		return admin.Damaged(op, Version(), err, admin.EmitTo(take))
	}
	if err != nil {
		return err
	}
	err = a.Operations().Do(socket.AsUser(ctx, os.Getuid()), op.Name, r, admin.EmitTo(take))
	return admin.Failed(errors.Join(err, a.Close()))
}

// Operations are the parts of this gateway that the operator's operations work on.
func (a *App) Operations() *admin.Gateway {
	return &admin.Gateway{
		Version: Version(), Engine: a.store, Store: a.store, Agent: a.agent,
		Tools: admin.Tools{
			Registry: a.tools.Registry, Log: a.kept.telemetry, Corpora: a.kept.corpora, Past: a.kept.past, Offered: a.tools.Offered,
		},
		Policy: a.policy, Approvals: a.tools.Approvals, Spaces: a.kept.spaces, Forgetting: a.forgetting,
		Home: consoleChat(), Web: a.front.page(), Consoles: admin.Consoles{Handler: a.consoles, Group: a.cfg.Admin.Group},
		Writer: a.writer, Namer: a.channels.namer, Schedule: cronTimetable{}.Describe,
		Models: admin.Models{Names: slices.Sorted(maps.Keys(a.cfg.Models)), Currency: a.cfg.Budgets.Currency},
		State:  a.state, Redact: a.o.Redactor.Redact, Note: a.audit.note, Log: a.o.Log,
	}
}

// consoleChat is the console's one chat, with its one person.
func consoleChat() channels.Address {
	return channels.Address{Channel: console.Name, Chat: "local"}
}

// state is how this gateway does now.
func (a *App) state() admin.State {
	s := admin.State{
		Running: a.running, Since: a.started, Model: a.models.Name(), Why: a.models.Origin().Why,
		Channels: a.channels.reports(), Agent: cmp.Or(a.kept.agentFile.Trouble(), a.kept.prompts.Trouble()),
	}
	if a.running {
		s.Audit = a.audit.trouble()
	} else {
		s.Unwritable, s.Audit = unwritable(a.cfg.StateDir)
	}
	return s
}

// writer is a message of the person in a chat, as far as its address tells: it decides
// on the rights of the chat. A group has no such person.
func (a *App) writer(ctx context.Context, at channels.Address) (policy.Event, error) {
	e := policy.Event{Kind: policy.KindMessage, Address: at, Sender: channels.Sender{ID: at.Chat}, Direct: true, Mentioned: true}
	switch at.Channel {
	case telegram.Name:
		e.Direct = !strings.HasPrefix(at.Chat, "-")
	case web.Name:
		e.Sender.ID = screens.Person(at.Chat)
	case slack.Name: // a direct chat has an id of its own there: only a pair tells its person
		e.Direct = strings.HasPrefix(at.Chat, "D")
		e.Sender.ID = ""
		pairs, _, err := a.store.Pairs().PairList(ctx)
		if err != nil {
			return e, err
		}
		for i := range pairs {
			if p := &pairs[i]; p.Address.Channel == at.Channel && p.Address.Account == at.Account && p.Address.Chat == at.Chat {
				e.Sender = p.Sender
			}
		}
	}
	if !e.Direct {
		e.Sender.ID = ""
	}
	return e, nil
}
