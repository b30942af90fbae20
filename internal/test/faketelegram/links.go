package faketelegram

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mentioned is the person of a link of the form tg://user?id=1.
func mentioned(link string) (int64, bool) {
	u, err := url.Parse(link)
	if err != nil || !strings.EqualFold(u.Scheme, "tg") || (u.Host != "user" && u.Opaque != "user") {
		return 0, false
	}
	id, err := strconv.ParseInt(u.Query().Get("id"), 10, 64)
	return id, err == nil && id > 0
}

// checkedLink is link as Telegram stores it, or "" for one that it does not take for a link.
func checkedLink(link string) string {
	link = strings.TrimSpace(link)
	scheme, rest, ok := strings.Cut(link, ":")
	scheme = strings.ToLower(scheme)
	if ok && slices.Contains([]string{"tg", "ton", "tonsite"}, scheme) {
		return scheme + "://" + strings.TrimLeft(rest, "/")
	}
	if !strings.Contains(link, "://") {
		link = "http://" + link
	}
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || !strings.Contains(u.Hostname(), ".") {
		return ""
	}
	u.Host = strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}
