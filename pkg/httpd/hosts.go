package httpd

import (
	"net"
	"net/url"
	"strings"
)

// hosts are the names under which the server answers, each with its origin. Names are
// compared as a whole: a foreign name that resolves to our address, and a page under it,
// get no answer.
type hosts map[string]string

// newHosts lists the names of this machine with the port, and those of the public addresses.
func newHosts(port string, public []*url.URL) hosts {
	h := hosts{}
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		h.add("http", name, port)
	}
	for _, u := range public {
		name := strings.ToLower(u.Hostname())
		if strings.Contains(name, ":") {
			name = "[" + name + "]"
		}
		h.add(u.Scheme, name, u.Port())
	}
	return h
}

// add adds a name. Where the port is the usual one, browsers leave it out, other clients
// may write it.
func (h hosts) add(scheme, name, port string) {
	usual := map[string]string{"http": "80", "https": "443"}[scheme]
	if port != "" && port != usual {
		h[net.JoinHostPort(strings.Trim(name, "[]"), port)] = scheme + "://" + name + ":" + port
		return
	}
	h[name] = scheme + "://" + name
	h[name+":"+usual] = scheme + "://" + name
}

// origin is the origin of our pages under a name of ours; ok says that it is one.
func (h hosts) origin(name string) (origin string, ok bool) {
	origin, ok = h[strings.ToLower(name)]
	return origin, ok
}
