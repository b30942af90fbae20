package linking

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"parley/pkg/httpd"
	"parley/pkg/session"
)

// maxBody bounds the requests.
const maxBody = 4 << 10

// Routes are those of the page.
func (l *Linking) Routes() []httpd.Route {
	return []httpd.Route{
		{Pattern: "POST /page/links", Access: httpd.AccessPage, MaxBody: maxBody, Handler: http.HandlerFunc(l.byCode)},
		{Pattern: "POST /page/links/{link}/end", Access: httpd.AccessPage, MaxBody: maxBody, Handler: http.HandlerFunc(l.end)},
	}
}

// byCode puts the chat of a code on the page of the caller.
func (l *Linking) byCode(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Code string `json:"code"`
	}
	if f := httpd.Decode(r, &said); f != nil {
		httpd.Refuse(w, *f)
		return
	}
	caller := httpd.CallerFrom(r.Context())
	found, ok := l.take(said.Code, caller.Owner)
	switch {
	case !ok && l.delayed.Wait(r.Context()):
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Param: "code", Message: textWrong})
		return
	case !ok:
		httpd.TooMany(w)
		return
	case !found.direct && !caller.Owner:
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusForbidden, Code: "forbidden", Param: "code", Message: textGroup})
		return
	}
	id, err := l.put(r.Context(), &found, caller.Person)
	switch {
	case errors.Is(err, session.ErrFull):
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: fmt.Sprintf(textFull, session.MaxLinks)})
	case r.Context().Err() != nil:
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusUnauthorized, Code: "unauthorized", Message: textOver})
	case err != nil:
		l.fault(w, err)
	default:
		answer(w, map[string]string{"chat": id})
	}
}

// end takes a chat from the page of the caller.
func (l *Linking) end(w http.ResponseWriter, r *http.Request) {
	who, id := httpd.CallerFrom(r.Context()).Person.String(), r.PathValue("link")
	ended, err := l.o.Links.EndLinks(r.Context(), func(link *session.Link) bool { return link.ID == id && link.Person == who })
	switch {
	case err != nil:
		l.fault(w, err)
	case len(ended) == 0:
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: textUnknown})
	default:
		l.note(ended, Ended, "the page")
		answer(w, struct{}{})
	}
}

func (l *Linking) fault(w http.ResponseWriter, err error) {
	l.o.Log.Error().Err(err).Msg("a link of the page could not be changed")
	httpd.Refuse(w, httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textInternal})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // a browser that is gone needs no answer
}
