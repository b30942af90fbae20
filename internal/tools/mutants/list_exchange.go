package mutants

// exchangeMutants break what the adapters of model servers share.
func exchangeMutants() []Mutant {
	return []Mutant{
		{
			Promise: "model cut", Defect: "takes a stream that breaks off for a finished one",
			File: "pkg/providers/internal/exchange/exchange.go", Old: `case errors.Is(err, io.EOF), err != nil && finished:`,
			New: `case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err != nil && finished:`,
			Dir: "pkg/providers/openai", Test: "^TestConformanceOverHTTP$",
		},
		{
			Promise: "model overloaded", Defect: "waits for the last words of a refusal",
			File: "pkg/providers/internal/exchange/exchange.go", Old: `time.AfterFunc(min(x.idle, lastWords), func()`,
			New: `time.AfterFunc(x.idle, func()`,
			Dir: "pkg/providers/openai", Test: "^TestConformanceOverHTTP$",
		},
		{
			Promise: "model elsewhere", Defect: "follows a redirect with the key",
			File: "pkg/providers/internal/exchange/client.go", Old: `return c.opts.Transport.RoundTrip(req)`,
			New: `return (&http.Client{Transport: c.opts.Transport}).Do(req)`,
			Dir: "pkg/providers/openai", Test: "^TestConformanceOverHTTP$",
		},
		{
			Promise: "R9", Defect: "shows the password of a base URL in an error",
			File: "pkg/providers/internal/exchange/failure.go", Old: `u.User.String(), password)`,
			New: `u.User.String(), password[:0])`,
			Dir: "pkg/providers/openai", Test: "^TestConformanceOverHTTP$",
		},
		{
			Promise: "recorded traffic", Defect: "sends back none of a server's own data",
			File: "pkg/providers/internal/exchange/mark.go", Old: `return e.Fields`, New: `return nil`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestMarksOpenForTheirOwnModel$",
		},
		{
			Promise: "R9", Defect: "shows a key that was replaced during its request",
			File: "pkg/providers/internal/exchange/failure.go", Old: `slices.Clone(c.keys)`, New: `slices.Clone(c.keys[:0])`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestAReplacedKeyStaysHidden$",
		},
		{
			Promise: "model cut", Defect: "takes each line of an event for a frame",
			File: "pkg/providers/internal/exchange/frames.go", Old: `if len(f.event) == 0 && (`, New: `if len(f.event) == 0 || (`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestEnds$",
		},
		{
			Promise: "R8", Defect: "writes a request into memory that is still being sent",
			File: "pkg/providers/internal/exchange/body.go", Old: `	b.lent.use()
	return &bodyReader`, New: `	return &bodyReader`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestARequestKeepsItsBytes$",
		},
		{
			Promise: "R8", Defect: "reads a request's memory after it went back",
			File: "pkg/providers/internal/exchange/body.go", Old: `	if r.closed {
		return 0, http.ErrBodyReadAfterClose`, New: `	if r.closed {
		return 1, nil`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestARequestKeepsItsBytes$",
		},
		{
			Promise: "encoded once", Defect: "sends the settings of a request with another key",
			File: "pkg/providers/openai/form.go", Old: `k := formKey{*s, p.client.Key()}`, New: `k := formKey{settings: *s}`,
			Dir: "pkg/providers/openai", Test: "^TestRequestsKeepTheirOwnSettings$",
		},
		{
			Promise: "encoded once", Defect: "sends the settings of a request with another limit",
			File: "pkg/providers/openai/form.go", Old: `k := formKey{*s, p.client.Key()}`,
			New: `k := formKey{*s, p.client.Key()}
	k.limit = 0`,
			Dir: "pkg/providers/openai", Test: "^TestRequestsKeepTheirOwnSettings$",
		},
		{
			Promise: "encoded once", Defect: "takes a field that stands there twice for the first of them",
			File: "pkg/providers/internal/exchange/scan.go", Old: `		case seen&(1<<at) != 0:
			s.off = true`, New: `		case seen&(1<<at) != 0:
			s.Skip()`,
			Dir: "pkg/providers/internal/exchange", Test: "^FuzzScan$",
		},
	}
}
