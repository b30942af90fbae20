package toolset

import (
	"time"

	"parley/pkg/config"
	"parley/pkg/tools"
	"parley/pkg/tools/web"
)

// webTools search and read the web.
func webTools(cfg *config.Config, redact func(string) string) []tools.Tool {
	w := cfg.Tools.Web
	o := web.Options{Timeout: time.Duration(w.Timeout), MaxBytes: w.MaxKB << 10, Redact: redact}
	o.Search.Backend, o.Search.URL = w.Search.Chosen()
	o.Search.PerMinute = w.Search.PerMinute
	if w.Search.BraveKey.IsSet() {
		o.Search.Key = w.Search.BraveKey.Reveal
	}
	for _, port := range w.Ports {
		o.Ports = append(o.Ports, uint16(port)) //nolint:gosec // the configuration was checked
	}
	o.AllowPrefixes, o.AllowHosts = w.Private()
	return web.New(o)
}
