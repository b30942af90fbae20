package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"parley/pkg/channels/wire"
	"parley/pkg/config"
)

// webhook asks for the public address of a webhook, as Telegram would, without the secret:
// the gateway refuses that.
func (p platforms) webhook(ctx context.Context, bot *config.TelegramAccount) []Finding {
	name, own := botName(bot)+nameWebhookEnd, bot.Webhook.PublicURL
	status, _, err := get(ctx, own)
	switch {
	case err != nil:
		return []Finding{p.notReached(ctx, name, own, err)}
	case !p.setup.runs(ctx):
		return []Finding{{name, Skip, fmt.Sprintf(textReachIdle, host(own), status), ""}}
	case status == http.StatusUnauthorized:
		return []Finding{{name, OK, fmt.Sprintf(textReachGood, host(own)), ""}}
	}
	return []Finding{{name, Fail, fmt.Sprintf(textReachOther, host(own), status), fmt.Sprintf(textReachCure, bot.Webhook.Listen)}}
}

// public asks for the health of the gateway under its public address.
func (p platforms) public(ctx context.Context) []Finding {
	own := strings.TrimRight(p.setup.cfg.HTTP.PublicURL, "/")
	status, body, err := get(ctx, own+"/healthz")
	switch {
	case err != nil:
		return []Finding{p.notReached(ctx, namePublic, own, err)}
	case !p.setup.runs(ctx):
		return []Finding{{namePublic, Skip, fmt.Sprintf(textReachIdle, host(own), status), ""}}
	case strings.TrimSpace(body) == healthy && status == http.StatusOK:
		return []Finding{{namePublic, OK, fmt.Sprintf(textReachGood, host(own)), ""}}
	case status == http.StatusOK && strings.TrimSpace(body) == degraded:
		return []Finding{{namePublic, Warn, fmt.Sprintf(textDegraded, host(own)), textDegradedCure}}
	}
	return []Finding{{namePublic, Fail, fmt.Sprintf(textReachOther, host(own), status), fmt.Sprintf(textReachCure, p.setup.cfg.HTTP.Listen)}}
}

// The words of /healthz.
const (
	healthy  = "ok"
	degraded = "degraded"
)

// notReached is the finding of a public address that gives no answer. A connection that is
// refused while no gateway runs says little.
func (p platforms) notReached(ctx context.Context, name, address string, err error) Finding {
	said := fmt.Sprintf(textUnreached, host(address), err)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return Finding{name, Fail, said, fmt.Sprintf(textCertificateCure, host(address))}
	}
	if unknownName(err) {
		return Finding{name, Fail, said, fmt.Sprintf(textNameCure, host(address))}
	}
	if !p.setup.runs(ctx) {
		return Finding{name, Warn, said, textStartCure}
	}
	return Finding{name, Fail, said, fmt.Sprintf(textPublicCure, host(address))}
}

// unknownName says of an error that no DNS knew the name of the server.
func unknownName(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// maxBody is the most that is read of an answer.
const maxBody = 4 << 10

// get asks for an address. The error holds neither the path nor the query.
func get(ctx context.Context, address string) (status int, body string, err error) {
	client := wire.NewHTTP(nil, wire.NewDial(), 1)
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, "", errors.New(textNoAddress)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", wire.Scrub(err, func(s string) string { return s })
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return 0, "", wire.Scrub(err, func(s string) string { return s })
	}
	return resp.StatusCode, string(raw), nil
}
