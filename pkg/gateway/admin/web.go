package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/audit"
	"parley/pkg/gateway/linking"
	"parley/pkg/httpd/login"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// OpenWeb makes a link that logs the operator's own browser in. It emits one [LinkReport].
func OpenWeb() Operation { return Operation{Name: "web open", Audited: true, Handle: openWeb} }

// LinkReport is the answer to [OpenWeb].
type LinkReport struct {
	// URL has the code in its fragment, which browsers send to no server.
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
}

// Web is the page of a running gateway.
type Web struct {
	// Door lets browsers in.
	Door *login.Door
	// Address is the one under which a browser on this machine, or on others, reaches it.
	Address func() string
}

func openWeb(_ context.Context, g *Gateway, _ *Request, emit Emit) error {
	if g.Web == nil {
		return WithCode(CodeNotRunning, fmt.Errorf(textNoWeb, Program()))
	}
	code, expires := g.Web.Door.Link()
	return emit(LinkReport{URL: g.Web.Address() + "/#login=" + code, Expires: expires})
}

// waitingBrowsers tell of the browsers that wait with a code.
func waitingBrowsers(g *Gateway, emit Emit) error {
	if g.Web == nil {
		return nil
	}
	for _, w := range g.Web.Door.Waiting() {
		if err := emit(PairReport{State: "waiting", Code: w.Code, Who: w.Who.String(), Name: textBrowser, Time: w.Expires}); err != nil {
			return err
		}
	}
	return nil
}

// approveBrowser lets in a browser that waits with the code, if one does.
//
// With the rights of an owner it is the operator's own.
func approveBrowser(g *Gateway, code string, as policy.Person) (report PairReport, ok bool, err error) {
	if g.Web == nil {
		return PairReport{}, false, nil
	}
	who, err := g.Web.Door.Approve(code, as)
	if errors.Is(err, login.ErrUnknown) {
		return PairReport{}, false, nil
	}
	return PairReport{State: "paired", Who: who.String(), Name: textBrowser, Owner: who == login.Operator(), Time: time.Now()}, true, err
}

// revokeBrowsers ends the sessions of a person of the page, and the logins under way.
func revokeBrowsers(ctx context.Context, g *Gateway, who policy.Person, emit Emit) (ended bool, err error) {
	if who.Channel != webChannel {
		return false, nil
	}
	if g.Web != nil && g.Web.Door.Revoke(who) { // before the sessions: one may just begin
		ended = true
		if err := emit(PairReport{State: "revoked", Who: who.String(), Name: textBrowser, Time: time.Now()}); err != nil {
			return ended, err
		}
	}
	all, err := g.Store.Tokens().TokenList(ctx)
	if err != nil {
		return ended, err
	}
	for i := range all {
		if !all[i].Page || all[i].Person != who.String() {
			continue
		}
		one, err := g.Store.Tokens().RevokeToken(ctx, all[i].ID)
		if errors.Is(err, session.ErrNotFound) { // it was logged out just now
			continue
		}
		if err == nil {
			ended = true
			err = emit(PairReport{State: "revoked", Who: one.Person, Name: one.Note, Time: one.Created})
		}
		if err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// endLinks takes chats of other channels off the page of a person, and those of the person off all pages.
func endLinks(ctx context.Context, g *Gateway, who policy.Person) (any bool, err error) {
	ended, err := g.Store.Tokens().EndLinks(ctx, func(l *session.Link) bool {
		theirs := l.Address.Channel == who.Channel && l.By.ID == who.ID && (who.Account == "" || l.Address.Account == who.Account)
		return theirs || l.Person == who.String()
	})
	for i := range ended {
		g.Note(LinkRow(&ended[i], linking.Ended, "pair revoke "+who.String()))
	}
	return len(ended) > 0, err
}

// LinkRow is the row of the audit log about a link that was made or ended.
func LinkRow(l *session.Link, outcome linking.Outcome, by string) audit.Row {
	return audit.Row{
		Kind: audit.KindLink, Channel: l.Address.Channel, Account: l.Address.Account, Chat: l.Address.Chat, Thread: l.Address.Thread,
		Sender: l.Person, Outcome: string(outcome), Detail: "page of " + l.Person + " by " + by,
	}
}
