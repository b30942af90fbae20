package httpd

import "net/http"

// Access is the kind of credential that a route takes.
type Access int

// The kinds of access. A route has one of them.
const (
	// AccessProgram is for programs: the header Authorization: Bearer TOKEN. Cookies are not
	// looked at, so that a page in a browser has no credential there without its script.
	AccessProgram Access = iota + 1
	// AccessPage is for the page of a person who logged in: the cookie of the session, from
	// our own origin. The header Authorization is not looked at.
	AccessPage
	// AccessLogin is for the page before its person logged in: no credential, our own origin.
	AccessLogin
	// AccessStatic is for files that are the same for everyone: the page itself.
	AccessStatic
	// AccessPlatform is for a platform, which proves each call in a way of its own: the
	// handler checks that.
	AccessPlatform
	// AccessProbe is for probes of the process: any Host, and an answer without content.
	AccessProbe
)

// Route is one route of a server.
type Route struct {
	// Pattern is that of [http.ServeMux], with its method: "POST /api/chats/{id}/messages".
	// [AccessPlatform] may leave the method out.
	Pattern string
	Access  Access
	// MaxBody bounds the body; 0 is [MaxBody].
	MaxBody int64
	// Upload takes a body of bytes instead of JSON: the request carries [UploadHeader].
	Upload bool
	// Streams counts requests under way as streams, of which a person has few.
	Streams bool
	Handler http.Handler
}

// UploadHeader marks a request with a file as its body: no form of a foreign page can set it.
const UploadHeader = "X-Parley-Upload"

// The bounds of a request and of a person.
const (
	// MaxBody is the largest body of a route that names no bound of its own.
	MaxBody = 1 << 20
	// MaxStreams is how many streams a person may have open at a time.
	MaxStreams = 32
	// MaxPlain is how many other requests of a person are served at a time.
	MaxPlain = 64
)

// writes says whether a request may change something, or opens a WebSocket.
func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || upgrades(r)
}

// upgrades says whether a request wants another protocol than HTTP. One that names any
// counts: the handler decides which it speaks.
func upgrades(r *http.Request) bool { return len(r.Header.Values("Upgrade")) > 0 }
