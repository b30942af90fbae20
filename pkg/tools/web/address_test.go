package web_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"code.dny.dev/ssrf"

	"parley/pkg/tools"
	"parley/pkg/tools/web"
)

// hostileAddresses must be refused before anything is looked up.
func hostileAddresses() []string {
	return []string{
		// loopback, in every spelling
		"http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/", "http://localhost.localdomain/",
		"http://127.0.0.1/", "http://127.0.0.1./", "http://127.1/", "http://127.0.1/", "http://127.255.255.254/",
		"http://2130706433/", "http://017700000001/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/", "http://0x7f.0x0.0x0.0x1/",
		"http://127.0.0.0x1/", "http://127.000.000.001/", "http://4294967297/",
		"http://0/", "http://0.0.0.0/", "http://00000000177.1/", "http://0x/",
		"http://１２７.０.０.１/", "http://127。0。0。1/", "http://ⓛocalhost/", "http://①②⑦.0.0.1/", "http://127.0.0.1%2f/",
		"http://0.%80/", "http://%31%32%37.0.0.1/",
		"http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::]/", "http://[::1%25lo]/", "http://[0000::0001]/", "http://::1/",
		// private, link-local, shared, special
		"http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.0.1/", "http://169.254.1.1/", "http://100.64.0.1/",
		"http://100.127.255.255/", "http://192.0.0.8/", "http://192.0.2.1/",
		"http://198.18.0.1/", "http://198.19.255.255/", "http://198.51.100.1/",
		"http://203.0.113.1/", "http://224.0.0.1/", "http://239.255.255.255/",
		"http://240.0.0.1/", "http://255.255.255.255/", "http://192.88.99.1/",
		"http://167772161/", "http://0xa9fea9fe/", "http://012.0.0.1/", "http://10.1/", "http://192.168.1/",
		"http://[fe80::1]/", "http://[fc00::1]/", "http://[fd00::1]/", "http://[ff02::1]/",
		"http://[100::1]/", "http://[2001:db8::1]/", "http://[3fff::1]/",
		"http://[fec0::1]/", "http://[5f00::1]/",
		// IPv4 in IPv6
		"http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::ffff:8.8.8.8]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
		"http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b:1::10.0.0.1]/", "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/",
		"http://[2001:0:7f00:1::]/", "http://[2001::1]/", "http://[::ffff:0:127.0.0.1]/",
		// metadata services
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/",
		"http://metadata.google.internal/", "http://metadata/", "http://metadata.google.internal./",
		"http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/", "http://2852039166/", "http://[fd20:ce::254]/",
		// names of no public host
		"http://intranet/", "http://printer.local/", "http://router.lan/", "http://nas.home.arpa/", "http://x.onion/", "http://db.internal/",
		// user names
		"http://user@example.com/", "http://user:pw@example.com/",
		"http://example.com@127.0.0.1/", "http://127.0.0.1@example.com/", "http://@example.com/",
		"http://:@example.com/", "http://example.com:80@127.0.0.1/", `http://example.com\@127.0.0.1/`, "http://example.com%40127.0.0.1/",
		// schemes
		"file:///etc/passwd", "ftp://example.com/", "gopher://example.com/",
		"javascript:alert(1)", "data:text/html,x", "dict://example.com/", "ws://example.com/",
		"unix:///run/x", "jar:http://example.com!/", "//example.com/", "/etc/passwd",
		"example.com", "http:example.com", "http:/example.com", "view-source:http://example.com/",
		"HTTP+unix://example.com/", "ldap://example.com/",
		// ports
		"http://example.com:22/", "http://example.com:8080/", "http://example.com:0/",
		"http://example.com:65536/", "http://example.com:-80/", "http://example.com:80:80/",
		"http://example.com:6379/", "https://example.com:25/", "http://example.com:x/",
		// invalid names
		"http:///", "http://", "http://./", "http://../", "http://a..example/", "http://example.com../",
		"http://exa mple.com/", "http://exa\tmple.com/", "http://exa\nmple.com/",
		"http://example.com\x00.evil.com/", "http://exam\u202eple.com/", "http://example.com/\x1b[2J",
		"http://example.com/\u200b", "http://\xff\xfe/", "http://ex|ample.com/",
		"http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 200) + "com/",
		"http://example.com/" + strings.Repeat("a", 5000), "", " ",
		"http://[::1/", "http://]/", "http://[]/", "http://[v1.x]/", "http://example.com]/", "http://xn--/", "http://-/",
	}
}

func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	asked := resolverThat(t, func(string) []string { return []string{"127.0.0.1"} })
	r := registry(web.Options{Resolver: asked.resolver})
	tool, _ := r.Get("web_fetch")
	for _, address := range hostileAddresses() {
		t.Run(fmt.Sprintf("%.60q", address), func(t *testing.T) {
			t.Parallel()
			res := r.Execute(t.Context(), "web_fetch", map[string]any{"url": address})
			if kind, message := failure(t, res); kind != "security_violation" || !strings.HasPrefix(message, "this address is refused: ") {
				t.Errorf("Execute: %s", res.ForLLM)
			}
			_, err := tool.(tools.Examiner).Examine(t.Context(), map[string]any{"url": address})
			if err == nil || !strings.HasPrefix(err.Error(), "security_violation: ") {
				t.Errorf("Examine: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		if n := asked.questions.Load(); n != 0 {
			t.Errorf("%d names were looked up", n)
		}
	})
}

func TestCanonicalAddresses(t *testing.T) {
	t.Parallel()
	o := web.Options{
		Ports:         []uint16{80, 443, 8080},
		AllowHosts:    []string{"wiki"},
		AllowPrefixes: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")},
	}
	for address, want := range map[string]string{
		"http://example.com":                       "http://example.com/",
		"HTTPS://EXAMPLE.com.:443/A?b#c":           "https://example.com/A?b",
		" http://example.com:80/\n":                "http://example.com/",
		"http://example.com:0443/":                 "http://example.com:443/",
		"https://example.com:8080/?":               "https://example.com:8080/",
		"http://bücher.example/ü?ü=a b":            "",
		"http://bücher.example/ü?ü=%20":            "http://xn--bcher-kva.example/%C3%BC?%C3%BC=%20",
		"http://ＥＸＡＭＰＬＥ.com/":                      "http://example.com/",
		"http://example.com/a%2Fb/../c":            "http://example.com/a%2Fb/../c",
		"http://8.8.8.8/":                          "http://8.8.8.8/",
		"http://[2606:4700:0::1111]/":              "http://[2606:4700::1111]/",
		"http://10.1.2.3/":                         "http://10.1.2.3/",
		"http://10.2.2.3/":                         "",
		"http://[fd00::1]/":                        "http://[fd00::1]/",
		"http://wiki/":                             "http://wiki/",
		"http://wiki.evil.localhost/":              "",
		"http://sub_domain.example.com/":           "http://sub_domain.example.com/",
		"http://127.0.0.1.example.com/":            "http://127.0.0.1.example.com/",
		"http://example.com/?a=\"<>":               "http://example.com/?a=%22%3C%3E",
		"http://example.com?x=http://127.0.0.1@a/": "http://example.com/?x=http://127.0.0.1@a/",
	} {
		got, err := web.Canonical(o, address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", address, got, err, want)
		}
		if again, err := web.Canonical(o, got); want != "" && (again != got || err != nil) {
			t.Errorf("%q is not its own canonical form: %q, %v", got, again, err)
		}
	}
}

func TestExamine(t *testing.T) {
	t.Parallel()
	tool, _ := registry(web.Options{}).Get("web_fetch")
	got, err := tool.(tools.Examiner).Examine(t.Context(), map[string]any{"url": "HTTPS://EXAMPLE.com:443/a?key=value#x"})
	const address = "https://example.com/a?key=value"
	want := tools.Examination{Destination: address, Action: "read", Object: address, Text: "GET " + address}
	if !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	for _, tool := range web.New(web.Options{}) {
		a := tools.AnnotationsOf(tool)
		if !a.ReadOnly || !a.OpenWorld || a.Searches != (tool.Name() == "web_search") || a.Destructive || a.Level != tools.LevelRead {
			t.Errorf("%s: %+v", tool.Name(), a)
		}
	}
}

// FuzzAddress looks for an address that is let through and is no public one, or
// that is read in two ways.
func FuzzAddress(f *testing.F) {
	for _, address := range hostileAddresses() {
		f.Add(address)
	}
	f.Add("https://example.com/a?b=c#d")
	f.Add("http://8.8.8.8:80/")
	f.Fuzz(func(t *testing.T, address string) {
		got, err := web.Canonical(web.Options{Ports: []uint16{80, 443}}, address)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "security_violation: this address is refused: ") {
				t.Fatalf("%q: %v", address, err)
			}
			return
		}
		again, err := web.Canonical(web.Options{Ports: []uint16{80, 443}}, got)
		if err != nil || again != got {
			t.Fatalf("%q became %q, and that %q, %v", address, got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Fragment != "" {
			t.Fatalf("%q became %q: %v", address, got, err)
		}
		for i := range len(got) {
			if got[i] <= ' ' || got[i] >= 0x7f || got[i] == '\\' {
				t.Fatalf("%q became %q", address, got)
			}
		}
		if p := u.Port(); p != "" && p != "80" && p != "443" {
			t.Fatalf("%q became %q", address, got)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ssrf.New().SafeAddr(ip) != nil {
			t.Fatalf("%q became %q", address, got)
		}
	})
}
