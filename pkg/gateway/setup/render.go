package setup

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/modelset"
)

// The platforms that a set-up can switch on.
const (
	telegram = "telegram"
	slack    = "slack"
)

func platforms() []string { return []string{telegram, slack} }

// tokens are the variables of the tokens of a platform.
func tokens() map[string][]string {
	return map[string][]string{telegram: {"TELEGRAM_TOKEN"}, slack: {"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"}}
}

// platform is one that was chosen; it is switched on if it lacks no token.
type platform struct {
	name    string
	on      bool
	lacking []string
}

// steps are those that are left to the person until a platform answers its first owner.
func (p *platform) steps(path string) string {
	texts := map[string][]string{telegram: telegramSteps(), slack: slackSteps()}[p.name]
	lines := []string{texts[0]}
	if !p.on {
		lines = append(lines, texts[1:len(texts)-1]...)
		exported := strings.Join(p.lacking, "=... ")
		lines = append(lines, fmt.Sprintf(stepExport, exported), fmt.Sprintf(stepEnable, path, p.name))
	}
	lines = append(lines, stepRun, texts[len(texts)-1], stepOwner)
	var b strings.Builder
	b.WriteString(lines[0] + "\n")
	for i, line := range lines[1:] {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, strings.ReplaceAll(line, "PROGRAM", admin.Program()))
	}
	return b.String()
}

// plan is a configuration that is made.
type plan struct {
	path        string
	found       []modelset.Candidate
	main        *entry // nil: the models are found at each start
	platforms   []platform
	owners      []string
	telegramURL string
}

// entries are the models of the plan: the one that answers, then one of each other server
// that was found.
func (p *plan) entries() []*entry {
	all := []*entry{p.main}
	for i := range p.found {
		c := &p.found[i]
		if c.Name != p.main.name && (p.main.asks == nil || c.BaseURL != p.main.asks.BaseURL) {
			all = append(all, entryOf(c, c.Models[0]))
		}
	}
	return all
}

// render is the text of the file.
func (p *plan) render() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(fileHead, "PROGRAM", admin.Program()))
	p.models(&b)
	owners := make([]string, len(p.owners))
	for i, owner := range p.owners {
		owners[i] = strconv.Quote(owner)
	}
	b.WriteString(fileOwners + line(0, "owners: ["+strings.Join(owners, ", ")+"]", ""))
	p.channels(&b)
	if p.main != nil && p.main.context > 0 && p.main.context <= smallContext {
		b.WriteString("\ntools:\n" + line(1, "lazy: true", commentLazy))
	}
	b.WriteString(strings.ReplaceAll(fileEnd, "PROGRAM", admin.Program()))
	return b.String()
}

// smallContext is one of which the definitions of all tools would take a large part.
const smallContext = 8192

func (p *plan) models(b *strings.Builder) {
	if p.main == nil {
		b.WriteString(fileNoModels)
		return
	}
	all := p.entries()
	b.WriteString("agent:\n" + line(1, "model: "+p.main.name, commentMain))
	if names := namesOf(all[1:]); len(names) > 0 {
		b.WriteString(line(1, "# fallbacks: ["+strings.Join(names, ", ")+"]", commentFallbacks))
	}
	b.WriteString("\n" + line(0, "models:", commentModels))
	for _, e := range all {
		b.WriteString(e.render())
	}
}

// render is the block of a model.
func (e *entry) render() string {
	text := line(1, e.name+":", "")
	if e.asks == nil {
		return text + line(2, "provider: "+modelset.Offline, commentOffline)
	}
	text += line(2, "provider: "+e.asks.Provider, "")
	text += line(2, "model: "+scalar(e.model), "")
	text += line(2, "base_url: "+scalar(e.asks.BaseURL), "")
	if e.asks.Variable != "" {
		text += line(2, "api_key: env:"+e.asks.Variable, commentKey)
	}
	if e.kind != "" {
		text += line(2, "kind: "+e.kind, commentKind)
	}
	if e.context > 0 {
		text += line(2, "context: "+strconv.Itoa(e.context), commentContext)
	}
	return text
}

// line is a line of the file, so deep, with the comments in a column.
func line(depth int, text, comment string) string {
	text = strings.Repeat("  ", depth) + text
	if comment != "" {
		text = fmt.Sprintf("%-34s # %s", text, comment)
	}
	return text + "\n"
}

func namesOf(all []*entry) []string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.name
	}
	return names
}

func (p *plan) channels(b *strings.Builder) {
	b.WriteString("\nchannels:\n" + line(1, "console: {}", commentConsole))
	for _, name := range platforms() {
		on := slices.ContainsFunc(p.platforms, func(one platform) bool { return one.name == name && one.on })
		b.WriteString(line(1, name+":", "") + line(2, fmt.Sprintf("enabled: %t", on), commentEnabled))
		for _, variable := range tokens()[name] {
			key := strings.ToLower(strings.TrimPrefix(variable, strings.ToUpper(name)+"_"))
			b.WriteString(line(2, key+": env:"+variable, ""))
		}
		if name == telegram && p.telegramURL != "" {
			b.WriteString(line(2, "api_url: "+scalar(p.telegramURL), ""))
		}
	}
}

// scalar writes a text that comes from outside as YAML: as it is where that is surely a
// string, else with quotes.
func scalar(text string) string {
	plain := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/:-]*[-./:][A-Za-z0-9._/:-]*[A-Za-z0-9]$`)
	if plain.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
