package web

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"parley/pkg/tools"
)

// maxURL is the longest address, in bytes.
const maxURL = 4096

// refuse is the one answer to an address that may not be reached.
func refuse(why string) error {
	return tools.Fail(tools.ErrSecurityViolation, "this address is refused: "+why, nil)
}

// parse checks the spelling of an address and brings it into its one canonical form: lower
// case, ASCII only, no fragment, no port that the scheme implies. It makes no request.
func (g *guard) parse(raw string) (*url.URL, error) {
	raw = strings.Trim(raw, " \t\r\n")
	if raw == "" || len(raw) > maxURL {
		return nil, refuse(fmt.Sprintf("it must have 1 to %d bytes", maxURL))
	}
	if !utf8.ValidString(raw) || strings.ContainsFunc(raw, func(r rune) bool { return strings.ContainsRune("\\ \n\t", r) || hidden(r) }) {
		return nil, refuse("it has a space, a backslash or a character that cannot be seen")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, refuse("it cannot be read as a URL")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, refuse("it must begin with http:// or https://")
	}
	if u.User != nil || strings.Contains(u.Host, "@") {
		return nil, refuse("it holds a user name or a password")
	}
	host, err := g.host(u)
	if err != nil {
		return nil, err
	}
	port, err := g.port(u)
	if err != nil {
		return nil, err
	}
	return url.Parse(u.Scheme + "://" + host + port + rest(u))
}

// rest is the path and the query of an address.
func rest(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + printable(u.RawQuery)
	}
	return path
}

// printable escapes every byte of a query that is not plain ASCII.
func printable(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>^`+"`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// host gives the canonical host of an address, with the brackets of IPv6.
func (g *guard) host(u *url.URL) (string, error) {
	name := u.Hostname()
	if strings.HasPrefix(u.Host, "[") || strings.Contains(name, ":") {
		ip, err := netip.ParseAddr(name)
		if err != nil || ip.Zone() != "" || !strings.HasPrefix(u.Host, "[") {
			return "", refuse("its host is not an IPv6 address as [::] writes one")
		}
		return "[" + ip.String() + "]", g.checkAddr(ip)
	}
	names := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))
	ascii, err := names.ToASCII(name)
	if err == nil {
		// Bytes that are no text become a name that is none.
		_, err = names.ToASCII(ascii)
	}
	if err != nil {
		return "", refuse("its host is not a name")
	}
	ascii = strings.ToLower(strings.TrimSuffix(ascii, "."))
	if ip, err := netip.ParseAddr(ascii); err == nil && ip.Is4() {
		return ascii, g.checkAddr(ip)
	}
	return ascii, g.checkName(ascii)
}

// checkName refuses names that are no public ones, without looking them up.
func (g *guard) checkName(name string) error {
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	switch {
	case name == "" || len(name) > 253 || strings.ContainsFunc(name, notInName) ||
		slices.ContainsFunc(labels, func(l string) bool { return l == "" || len(l) > 63 }):
		return refuse("its host is not a name")
	case number(last):
		return refuse("its host is a number, and not written as four decimal ones with dots")
	case g.hosts[name]:
		return nil
	case len(labels) == 1 ||
		slices.Contains([]string{"localhost", "local", "internal", "localdomain", "home", "lan", "corp", "intranet", "private", "onion"}, last),
		strings.HasSuffix(name, ".home.arpa"):
		return refuse("its host is the name of a private network")
	}
	return nil
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_'
}

// number says whether resolvers take a last label for a part of an IPv4 address:
// decimal, octal or hexadecimal.
func number(label string) bool {
	digits, isDigit := label, func(r rune) bool { return r >= '0' && r <= '9' }
	if h, ok := strings.CutPrefix(label, "0x"); ok {
		digits, isDigit = h, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' }
	}
	return !strings.ContainsFunc(digits, func(r rune) bool { return !isDigit(r) })
}

// port gives the port as it is written after the host: nothing for the scheme's own.
func (g *guard) port(u *url.URL) (string, error) {
	n := 443
	if u.Scheme == "http" {
		n = 80
	}
	usual := n
	if p := u.Port(); p != "" {
		var err error
		if n, err = strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return "", refuse("its port is not a number from 1 to 65535")
		}
	}
	if !slices.Contains(g.ports, uint16(n)) {
		return "", refuse(fmt.Sprintf("port %d is not among those that may be reached", n))
	}
	if n == usual {
		return "", nil
	}
	return ":" + strconv.Itoa(n), nil
}
