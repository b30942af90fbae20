package httpd

import (
	"bufio"
	"net"
	"net/http"
	"sync"
)

// answer knows whether an answer has begun. Other abilities of the writer below it are found
// by [http.ResponseController]; Hijack is here because libraries for WebSockets ask for it.
type answer struct {
	http.ResponseWriter

	begun bool
	// leaves counts those whose connection is no more the server's, who must end by themselves.
	leaves *sync.WaitGroup
	left   bool
	// goesOn says that the stream of the answer may go on without its handler, as rest.
	goesOn bool
	rest   *rest
}

// Unwrap lets [http.ResponseController] find the writer below.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(p)
}

// Hijack implements [http.Hijacker].
func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.begun, a.left = true, true
	a.leaves.Add(1)
	return http.NewResponseController(a.ResponseWriter).Hijack()
}

// end is called once the handler has returned.
func (a *answer) end() {
	if a.left {
		a.leaves.Done()
	}
}
