package httpd

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels/wire"
)

// The cookies of the page. Those under https are bound to the host by their name; others
// carry the port in it, because browsers send the cookies of all ports of a host.
const (
	secureCookie = "__Host-parley"
	plainCookie  = "parley-"
)

// admit decides on a request before its handler sees it.
//
// Requests are refused in this order: a foreign name, a foreign page, a body of another
// kind or size, no credential.
func (s *Server) admit(r *http.Request, at *Route) (*Caller, context.Context, *Refusal) {
	origin, known := s.hosts().origin(r.Host)
	if at.Access != AccessProbe && !known {
		return nil, nil, refused(http.StatusMisdirectedRequest, "unknown_host", textHost)
	}
	if !fromOurs(r, at.Access, origin) {
		return nil, nil, refused(http.StatusForbidden, "foreign_origin", textOrigin)
	}
	if f := wrongBody(r, at); f != nil {
		return nil, nil, f
	}
	switch at.Access {
	case AccessProgram:
		return s.program(r)
	case AccessPage:
		return s.page(r, origin)
	case AccessLogin, AccessStatic, AccessPlatform, AccessProbe:
		return nil, nil, nil
	default:
		return nil, nil, refused(http.StatusNotFound, "not_found", textNotFound)
	}
}

// fromOurs says whether the headers by which browsers tell the page behind a request allow
// it. A same-origin GET carries no Origin. The site same-site is foreign: another port of this
// machine is the same site, and gets our cookies.
func fromOurs(r *http.Request, access Access, origin string) bool {
	from, site := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(from) > 1 || len(site) > 1 {
		return false
	}
	unsaid := len(from) == 0
	if !unsaid && from[0] != origin {
		return access != AccessPage && access != AccessLogin && access != AccessStatic
	}
	switch access {
	case AccessPage, AccessLogin:
		if writes(r) {
			return !unsaid && sameSite(site, "same-origin")
		}
		return sameSite(site, "same-origin") || sameSite(site, "none") && navigates(r)
	case AccessStatic:
		return sameSite(site, "same-origin", "none") || navigates(r)
	default: // browsers add no credential here: a foreign page gains no access that its own server lacks
		return true
	}
}

// sameSite says whether a browser, if it tells the page behind a request, gives one of
// the words.
func sameSite(told []string, words ...string) bool {
	if len(told) == 0 {
		return true
	}
	return slices.Contains(words, told[0])
}

// navigates says that a browser loads the answer as a page of its own window.
func navigates(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// wrongBody refuses the body of a write by its headers: no form of a foreign page can send
// JSON, or a header of its own, without being asked first.
func wrongBody(r *http.Request, at *Route) *Refusal {
	switch at.Access {
	case AccessPlatform, AccessProbe, AccessStatic:
		return nil
	default:
	}
	if r.ContentLength > at.maxBody() {
		return refused(http.StatusRequestEntityTooLarge, "too_large", textTooLarge)
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return wrongStream(r, at)
	}
	if at.Upload {
		if r.Header.Get(UploadHeader) == "" {
			return refused(http.StatusUnsupportedMediaType, "bad_request", textUpload)
		}
		return nil
	}
	told := r.Header.Values("Content-Type")
	if len(told) == 0 && r.ContentLength == 0 && r.Method == http.MethodDelete && at.Access == AccessProgram {
		return nil // no form sends it, and browsers ask first
	}
	if len(told) == 1 {
		if kind, _, err := mime.ParseMediaType(told[0]); err == nil && kind == "application/json" {
			return nil
		}
	}
	return refused(http.StatusUnsupportedMediaType, "bad_request", textContentType)
}

// wrongStream refuses reads of a stream that would hold their connection: a HEAD, because
// its client has its whole answer and sends the next request behind it, and a body that may
// never come.
func wrongStream(r *http.Request, at *Route) *Refusal {
	switch {
	case !at.Streams:
		return nil
	case r.Method == http.MethodHead:
		return refused(http.StatusMethodNotAllowed, "method_not_allowed", textMethod)
	case r.ContentLength != 0:
		return refused(http.StatusBadRequest, "bad_request", textStreamBody)
	default:
		return nil
	}
}

func (at *Route) maxBody() int64 {
	if at.MaxBody > 0 {
		return at.MaxBody
	}
	return MaxBody
}

// program finds the holder of the bearer token.
func (s *Server) program(r *http.Request) (*Caller, context.Context, *Refusal) {
	told := r.Header.Values("Authorization")
	if len(told) == 1 {
		scheme, secret, ok := strings.Cut(told[0], " ")
		if ok && strings.EqualFold(scheme, "Bearer") && secret != "" {
			c, valid, err := s.opt.Keyring.Token(r.Context(), secret)
			return s.found(valid, c, err, textBearer)
		}
	}
	return nil, nil, refused(http.StatusUnauthorized, "unauthorized", textBearer)
}

// page finds the person of the session. Two cookies of our name count as no cookie:
// one of them was planted.
func (s *Server) page(r *http.Request, origin string) (*Caller, context.Context, *Refusal) {
	if told := r.CookiesNamed(s.CookieName(origin)); len(told) == 1 && told[0].Value != "" {
		c, valid, err := s.opt.Keyring.Session(r.Context(), told[0].Value)
		return s.found(valid, c, err, textLogin)
	}
	return nil, nil, refused(http.StatusUnauthorized, "unauthorized", textLogin)
}

func (s *Server) found(valid context.Context, c *Caller, err error, lacks string) (*Caller, context.Context, *Refusal) {
	switch {
	case errors.Is(err, ErrNoCredential):
		return nil, nil, refused(http.StatusUnauthorized, "unauthorized", lacks)
	case err != nil:
		s.opt.Log.Error().Err(err).Msg("a credential cannot be looked up")
		return nil, nil, refused(http.StatusInternalServerError, "internal_error", textInternal)
	case !c.Expires.IsZero() && !time.Now().Before(c.Expires):
		return nil, nil, refused(http.StatusUnauthorized, "unauthorized", lacks)
	}
	return c, valid, nil
}

// CookieName is the name of the session's cookie for pages of an origin.
func (s *Server) CookieName(origin string) string {
	if strings.HasPrefix(origin, "https://") {
		return secureCookie
	}
	return plainCookie + s.port()
}

// serve answers a request that has come in, with the bounds of its route.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, at *Route) { //nolint:contextcheck // a stream outlives its request
	caller, valid, refusal := s.admit(r, at)
	if refusal != nil {
		if refusal.Status == http.StatusUnauthorized && at.Access == AccessProgram {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		w.Header().Set("Connection", "close")
		Refuse(w, *refusal)
		return
	}
	if at.Access != AccessPlatform {
		r.Body = http.MaxBytesReader(w, r.Body, at.maxBody())
	}
	if caller == nil {
		at.Handler.ServeHTTP(w, r)
		return
	}
	wire.Proven(r)
	under, most, refusal := &s.plain, MaxPlain, refused(http.StatusTooManyRequests, "too_many_requests", textRequests)
	if at.Streams {
		under, most, refusal = &s.streams, MaxStreams, refused(http.StatusTooManyRequests, "too_many_streams", textStreams)
	}
	if !under.take(caller.Person, most) {
		w.Header().Set("Retry-After", retryAfter)
		Refuse(w, *refusal)
		return
	}
	give := func() { under.give(caller.Person) }
	own, _ := w.(*answer)
	own.goesOn = at.Streams && s.ctx != nil
	defer func() {
		if own.rest == nil {
			give()
			return
		}
		own.left = false // see there
		go s.goOn(valid, own.rest, caller, give)
	}()
	ctx, cancel := lasting(WithCaller(r.Context(), caller), valid, caller)
	defer cancel()
	if at.Streams {
		own.lasts = ctx
		defer hurried(ctx, http.NewResponseController(w))()
	}
	at.Handler.ServeHTTP(w, r.WithContext(ctx))
}

// retryAfter is how many seconds a person with too many requests is told to wait.
const retryAfter = "5"

// lasting is a context that ends with a credential.
func lasting(ctx, valid context.Context, c *Caller) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(valid, func() { cancel(ErrRevoked) })
	stop := func() {
		forget()
		cancel(nil)
	}
	if c.Expires.IsZero() {
		return ctx, stop
	}
	ctx, done := context.WithDeadlineCause(ctx, c.Expires, ErrRevoked)
	return ctx, func() {
		done()
		stop()
	}
}
