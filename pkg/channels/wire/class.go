package wire

import (
	"net/http"

	"parley/pkg/channels"
)

// Class is the fate of a message whose request got no answer of the platform's own.
//
// A page with 500, 502 or 503 comes from the platform's front, which found no server
// behind it that takes the request: the message counts as not sent. An outage that lasts
// must not use up the one repetition that an unknown attempt has, or it would lose
// messages. 504 and 408 say that a server took the request and did not answer in time,
// and a 2xx that cannot be read says that it worked: the message may be there, as when
// the connection broke behind the request. Redirects and other 4xx pages come from
// proxies and from other servers than the platform's: they say nothing of the chat.
func (e *Error) Class() channels.SendClass {
	switch {
	case !e.Sent:
		return channels.SendTransient
	case e.Status < http.StatusMultipleChoices, e.Status == http.StatusGatewayTimeout, e.Status == http.StatusRequestTimeout:
		return channels.SendAmbiguous
	case e.Status == http.StatusTooManyRequests:
		return channels.SendRateLimited
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusNotFound:
		return channels.SendAuth
	case e.Status == http.StatusBadRequest, e.Status == http.StatusRequestEntityTooLarge, e.Status == http.StatusRequestURITooLong:
		return channels.SendRefused
	default:
		return channels.SendTransient
	}
}
