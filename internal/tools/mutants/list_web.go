package mutants

// webMutants break the guard of web_fetch, and the bounds of a page.
func webMutants() []Mutant {
	const dir, guard = "pkg/tools/web", "pkg/tools/web/guard.go"
	return []Mutant{
		{
			Promise: "addresses", Defect: "does not check what is really dialled",
			File: guard, Old: "if err := may.Safe(network, address, c); err != nil {",
			New: "if err := may.Safe(network, address, c); err != nil && ctx == nil {",
			Dir: dir, Test: "^(TestNamesThatLeadInside|TestRebinding)$",
		},
		{
			Promise: "addresses", Defect: "follows a redirect to any address",
			File: guard, Old: "u, err := g.parse(req.URL.String())\n\t\t\tif err != nil {",
			New: "u, err := g.parse(req.URL.String())\n\t\t\tif u = req.URL; err != nil && u == nil {",
			Dir: dir, Test: "^TestRedirects$",
		},
		{
			Promise: "addresses", Defect: "takes numbers for names",
			File: dir + "/address.go", Old: "case number(last):", New: "case number(last) && g == nil:",
			Dir: dir, Test: "^TestHostileAddresses$",
		},
		{
			Promise: "addresses", Defect: "heeds proxy variables",
			File: guard, Old: "Proxy: nil, DialContext: g.dial,", New: "Proxy: http.ProxyFromEnvironment, DialContext: g.dial,",
			Dir: dir, Test: "^TestProxyOfTheEnvironment$",
		},
		{
			Promise: "web pages", Defect: "unpacks without end",
			File: dir + "/body.go", Old: "io.ReadAll(io.LimitReader(r, int64(limit)+1))", New: "io.ReadAll(r)",
			Dir: dir, Test: "^TestHostileBodies$/^bomb$",
		},
		{
			Promise: "web pages", Defect: "waits longer than its limit for redirects that are slow",
			File: dir + "/fetch.go", Old: "limited, cancel := context.WithTimeout(ctx, f.o.Timeout)",
			New: "limited, cancel := context.WithTimeout(ctx, 6*f.o.Timeout)",
			Dir: dir, Test: "^TestHostileBodies$/^slow_redirects$",
		},
		{
			Promise: "web pages", Defect: "fills up tables of any size",
			File: dir + "/element.go", Old: "if widest <= maxColumns && rows*widest <= maxCells {",
			New: "if widest <= maxColumns || rows*widest > maxCells {",
			Dir: dir, Test: "^TestHostilePages$",
		},
	}
}
