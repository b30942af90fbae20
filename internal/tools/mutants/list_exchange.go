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
	}
}
