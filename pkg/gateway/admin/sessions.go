package admin

import (
	"context"
	"errors"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/gateway/forgetting"
	"parley/pkg/gateway/linking"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// ListSessions emits the [session.Info] of each conversation.
func ListSessions() Operation { return Operation{Name: "sessions list", Handle: listSessions} }

// ShowSession emits the [session.Info] of one conversation.
func ShowSession() Operation { return Operation{Name: "sessions show", Handle: showSession} }

// ExportSession emits each [session.Entry] of a conversation.
func ExportSession() Operation { return Operation{Name: "sessions export", Handle: exportSession} }

// ForgetSession forgets a conversation, and with the present one of a chat all that the chat has. It emits a
// [Forgotten].
func ForgetSession() Operation {
	return Operation{Name: "sessions forget", Audited: true, Handle: forgetSession}
}

func listSessions(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	return eachSession(ctx, g, func(i session.Info) error { return emit(i) })
}

// eachSession calls f for every session, by id.
func eachSession(ctx context.Context, g *Gateway, f func(session.Info) error) error {
	const page = 200
	after := ""
	for {
		list, err := g.Engine.Sessions().List(ctx, after, page)
		if err != nil {
			return err
		}
		for i := range list {
			if err := f(list[i]); err != nil {
				return err
			}
			after = list[i].Session
		}
		if len(list) < page {
			return nil
		}
	}
}

func showSession(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	info, err := findSession(ctx, g, r.Session)
	if err != nil {
		return err
	}
	return emit(info)
}

func exportSession(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	info, err := findSession(ctx, g, r.Session)
	if err != nil {
		return err
	}
	return g.Engine.Sessions().All(ctx, info.Session, func(e session.Entry) error {
		for i := range e.Message.ToolCalls {
			e.Message.ToolCalls[i].Settle() // the store keeps the text of arguments alone
		}
		return emit(e)
	})
}

func forgetSession(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	info, err := findSession(ctx, g, r.Session)
	if err != nil {
		return err
	}
	link, _, linked := g.Store.Tokens().LinkAt(info.Address)
	id, err := g.Forgetting.Forget(ctx, forgetting.Ask{Of: info})
	if err != nil && id != "" {
		return fmt.Errorf(textForgetBegun, err)
	}
	if err != nil {
		return err
	}
	if linked && info.Current {
		g.Note(LinkRow(&link, linking.Ended, "sessions forget "+info.Session))
	}
	done := Forgotten{Info: info, Forget: id, Copies: []string{}}
	switch {
	case !g.State().Running: // this process ends with the operation
		if done.Copies, err = g.Forgetting.Finish(ctx); !g.Forgetting.Left(id) {
			err = nil // it is that of another forget
		}
	case r.Wait:
		err = g.Forgetting.Wait(ctx, id)
	default:
		return emit(done)
	}
	if err != nil {
		return fmt.Errorf(textForgetLater, err)
	}
	done.Done = true
	if len(done.Copies) == 0 {
		done.Copies, err = local.ForgetterOf(g.Store).Copies()
	}
	return errors.Join(err, emit(done))
}

// Forgotten is a forget. Info is the conversation as it was.
type Forgotten struct {
	session.Info

	// Forget is its id.
	Forget string `json:"forget"`
	// Done says that no file of the gateway holds the conversation any more; else that is done in the
	// background.
	Done bool `json:"done"`
	// Copies are the copies of the store in the state folder: they were made without it.
	Copies []string `json:"copies"`
}

// findSession takes a session's id or the place of a chat; "" is the home chat. A
// place without an account finds the one chat of that id, on whichever account it is.
func findSession(ctx context.Context, g *Gateway, name string) (session.Info, error) {
	if name == "" {
		name = policy.Place(g.Home).String()
	}
	info, err := g.Engine.Sessions().Get(ctx, name)
	if !errors.Is(err, session.ErrNotFound) {
		return info, err
	}
	at, bad := policy.ParsePlace(name)
	if bad == nil {
		info, err = g.Engine.Sessions().Lookup(ctx, channels.Address(at))
	}
	if bad == nil && errors.Is(err, session.ErrNotFound) {
		info, err = onlyChat(ctx, g, at)
	}
	if errors.Is(err, session.ErrNotFound) {
		return info, fmt.Errorf(textNoConversation, name, Program())
	}
	return info, err
}

// onlyChat finds the chat of a place that names no account.
func onlyChat(ctx context.Context, g *Gateway, at policy.Place) (session.Info, error) {
	var found []session.Info
	err := eachSession(ctx, g, func(i session.Info) error {
		if i.Current && at.Account == "" && at.Matches(i.Address) && i.Address.Thread == at.Thread {
			found = append(found, i)
		}
		return nil
	})
	switch {
	case err != nil:
		return session.Info{}, err
	case len(found) == 0:
		return session.Info{}, session.ErrNotFound
	case len(found) > 1:
		return session.Info{}, fmt.Errorf(textSeveralAccounts, at, PlaceOf(found[0]), PlaceOf(found[1]))
	}
	return found[0], nil
}

// PlaceOf is the place of a conversation's chat.
func PlaceOf(i session.Info) string {
	s := i.Address.Channel + ":"
	if i.Address.Account != "" {
		s += i.Address.Account + "/"
	}
	s += i.Address.Chat
	if i.Address.Thread != "" {
		s += "#" + i.Address.Thread
	}
	return s
}
