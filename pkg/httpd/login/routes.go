package login

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode"

	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/text"
)

// maxBody bounds the requests of strangers.
const maxBody = 4 << 10

// Routes are the routes of the door.
func (d *Door) Routes() []httpd.Route {
	return []httpd.Route{
		{Pattern: "POST /login/link", Access: httpd.AccessLogin, MaxBody: maxBody, Handler: http.HandlerFunc(d.byLink)},
		{Pattern: "POST /login/ask", Access: httpd.AccessLogin, MaxBody: maxBody, Handler: http.HandlerFunc(d.byCode)},
		{Pattern: "POST /login/wait", Access: httpd.AccessLogin, MaxBody: maxBody, Handler: http.HandlerFunc(d.wait)},
		{Pattern: "POST /page/logout", Access: httpd.AccessPage, MaxBody: maxBody, Handler: http.HandlerFunc(d.logout)},
	}
}

// byLink takes a browser in by the code of a link.
func (d *Door) byLink(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Code string `json:"code"`
	}
	if !read(w, r, &said) {
		return
	}
	switch good, in := d.comesIn(w, r, func() *policy.Person { return d.takeLink(said.Code) }); {
	case in:
		w.WriteHeader(http.StatusNoContent)
	case good: // the fault was told
	case d.delayed.Wait(r.Context()):
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusForbidden, Code: "link_over", Message: textLink})
	default:
		httpd.TooMany(w)
	}
}

// byCode shows a browser the code that the operator approves.
func (d *Door) byCode(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Name string `json:"name"`
	}
	if !read(w, r, &said) {
		return
	}
	who, wrong := personNamed(said.Name)
	if wrong != "" {
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Param: "name", Message: wrong})
		return
	}
	waiting, fresh, ok := d.knock(who, d.cookie(r))
	if !ok {
		w.Header().Set("Retry-After", "60")
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusTooManyRequests, Code: "too_many", Message: textFull})
		return
	}
	if fresh != "" {
		d.set(w, r, d.waitName(r), fresh, waiting.Expires)
	}
	answer(w, map[string]any{"code": waiting.Code, "person": who.String(), "expires": waiting.Expires})
}

// wait tells a browser whether the operator has let it in. A cookie that no browser was given is
// answered late.
func (d *Door) wait(w http.ResponseWriter, r *http.Request) {
	waits := false
	switch good, in := d.comesIn(w, r, func() (who *policy.Person) {
		who, waits = d.enter(d.cookie(r))
		return who
	}); {
	case in:
		d.set(w, r, d.waitName(r), "", time.Unix(0, 0))
		answer(w, map[string]any{"state": "in"})
	case good: // the fault was told
	case waits:
		answer(w, map[string]any{"state": "waiting"})
	case d.delayed.Wait(r.Context()):
		answer(w, map[string]any{"state": "over"})
	default:
		httpd.TooMany(w)
	}
}

// comesIn gives the browser a session of the person that it is let in as, if it is. Good says that it is, and
// in that it has the session. A revocation waits meanwhile.
func (d *Door) comesIn(w http.ResponseWriter, r *http.Request, letIn func() *policy.Person) (good, in bool) {
	d.entering.RLock()
	defer d.entering.RUnlock()
	who := letIn()
	return who != nil, who != nil && d.begin(w, r, *who)
}

// begin gives the browser a session.
func (d *Door) begin(w http.ResponseWriter, r *http.Request, who policy.Person) bool {
	secret, expires, err := d.o.Begin(r.Context(), who, browser(r))
	if err != nil {
		d.fault(w, err)
		return false
	}
	d.set(w, r, d.o.CookieName(r.Header.Get("Origin")), secret, expires)
	d.o.Log.Info().Str("person", who.String()).Msg("a browser logged in")
	return true
}

// logout ends the session, and with it the streams of all its tabs.
func (d *Door) logout(w http.ResponseWriter, r *http.Request) {
	d.set(w, r, d.o.CookieName(r.Header.Get("Origin")), "", time.Unix(0, 0))
	if err := d.o.End(r.Context(), httpd.CallerFrom(r.Context()).Credential); err != nil {
		d.fault(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (d *Door) fault(w http.ResponseWriter, err error) {
	d.o.Log.Error().Err(err).Msg("a login or its end failed")
	httpd.Refuse(w, httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textInternal})
}

// waitName is the name of the cookie of a browser that waits.
func (d *Door) waitName(r *http.Request) string {
	return d.o.CookieName(r.Header.Get("Origin")) + "-wait"
}

// cookie is the secret of a browser that waits, or "".
func (d *Door) cookie(r *http.Request) string {
	if told := r.CookiesNamed(d.waitName(r)); len(told) == 1 {
		return told[0].Value
	}
	return ""
}

// set gives the browser a cookie that no script reads and no other site sends.
func (*Door) set(w http.ResponseWriter, r *http.Request, name, value string, expires time.Time) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // plain http is for this machine: such a cookie cannot be Secure
		Name: name, Value: value, Path: "/", Expires: expires, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: strings.HasPrefix(r.Header.Get("Origin"), "https://"),
	})
}

// browser is a line about the browser for the list of sessions.
func browser(r *http.Request) string {
	const longest = 100
	said := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, r.UserAgent())
	return text.Clip(said, longest)
}

func read(w http.ResponseWriter, r *http.Request, v any) bool {
	f := httpd.Decode(r, v)
	if f != nil {
		httpd.Refuse(w, *f)
	}
	return f == nil
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // a browser that is gone needs no answer
}
