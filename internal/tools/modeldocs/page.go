package modeldocs

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/test/kindserver"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/check"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/toolmode"
)

// Page is the page, below the root of the tree.
const Page = "docs/models.md"

//go:embed configs/*.yaml
var configs embed.FS

// Configs are the configurations by their names: those of kinds, and of providers with a
// protocol of their own.
func Configs() (map[string]string, error) {
	all := map[string]string{}
	for _, name := range append(connections(), slices.Sorted(maps.Keys(natives()))...) {
		text, err := configs.ReadFile("configs/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		all[name] = string(text)
	}
	return all, nil
}

// connections are the kinds with a configuration, in the order of the page.
func connections() []string {
	return []string{
		"openai", "openrouter", "groq", "deepseek", "xai", "mistral", "huggingface", "zai",
		"ollama", "llamacpp", "lmstudio", "vllm",
	}
}

// natives are the titles of the connections that need no kind, by their names.
func natives() map[string]string {
	return map[string]string{
		"anthropic": "Claude", "gemini": "Gemini", "vertex": "Gemini on Vertex AI", "vertex-claude": "Claude on Vertex AI",
	}
}

// Fill gives the page with its generated parts made anew. Each stands between a line
// <!-- NAME --> and a line <!-- end -->.
func Fill(ctx context.Context, page string) (string, error) {
	parts := map[string]string{"servers": serverTable(), "families": familyTable()}
	var err error
	if parts["connections"], err = connectionText(); err != nil {
		return "", err
	}
	if parts["check"], err = checkTable(ctx); err != nil {
		return "", err
	}
	if parts["own"], err = ownTable(ctx); err != nil {
		return "", err
	}
	found := 0
	section := regexp.MustCompile(`(?s)<!-- (\w+) -->\n.*?<!-- end -->\n`)
	page = section.ReplaceAllStringFunc(page, func(old string) string {
		name := section.FindStringSubmatch(old)[1]
		text, ok := parts[name]
		if !ok {
			err = fmt.Errorf("%s has a part %s that is never made", Page, name)
			return old
		}
		found++
		return "<!-- " + name + " -->\n" + text + "<!-- end -->\n"
	})
	if err == nil && found != len(parts) {
		err = fmt.Errorf("%s has %d of %d generated parts", Page, found, len(parts))
	}
	return page, err
}

func connectionText() (string, error) {
	all, err := Configs()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range connections() {
		fmt.Fprintf(&b, "\n### %s\n\n```yaml\n%s```\n", row(kinds.Servers(), name).Title, all[name])
	}
	for _, name := range slices.Sorted(maps.Keys(natives())) {
		fmt.Fprintf(&b, "\n### %s\n\n```yaml\n%s```\n", natives()[name], all[name])
	}
	b.WriteString("\n")
	return b.String(), nil
}

func row(rows []kinds.Kind, name string) *kinds.Kind {
	i := slices.IndexFunc(rows, func(k kinds.Kind) bool { return k.Name == name })
	if i < 0 {
		return &kinds.Kind{}
	}
	return &rows[i]
}

// checkTable is the table of a check of every row's scripted server.
func checkTable(ctx context.Context) (string, error) {
	var reports []check.Report
	rows := kinds.All()
	for i := range rows {
		reports = append(reports, checkOf(ctx, &rows[i]))
	}
	return printed(reports)
}

// printed is the table of reports as a block of text.
func printed(reports []check.Report) (string, error) {
	var b strings.Builder
	b.WriteString("```\n")
	err := check.Print(&b, reports)
	b.WriteString("```\n")
	return b.String(), err
}

// ownTable is the table of a check of servers with protocols of their own.
func ownTable(ctx context.Context) (string, error) {
	claude, google := kindserver.NewAnthropic(), kindserver.NewGemini()
	defer claude.Close()
	defer google.Close()
	asked := anthropic.New(anthropic.Options{BaseURL: claude.URL(), Images: true})
	defer asked.Close()
	other := gemini.New(gemini.Options{BaseURL: google.URL(), Images: true})
	defer other.Close()
	return printed([]check.Report{
		check.Model(ctx, &check.Subject{Name: "Claude, Messages API", Model: "claude-sonnet-4-5", Provider: asked, Images: true}),
		check.Model(ctx, &check.Subject{Name: "Gemini, its own API", Model: "gemini-2.5-flash", Provider: other, Images: true}),
	})
}

func checkOf(ctx context.Context, k *kinds.Kind) check.Report {
	s, model := kindserver.New(k)
	defer s.Close()
	images, kind := k.Traits.Images != kinds.No, ""
	if len(k.Hosts) > 0 { // a family is known by the name of its model
		kind = k.Name
	}
	p := openai.New(openai.Options{BaseURL: s.URL(), Kind: kind, Images: images})
	defer p.Close()
	return check.Model(ctx, &check.Subject{Name: k.Title, Model: model, Provider: withTools(p, k), Images: images})
}

// withTools offers tools in the way of a row, as the gateway does.
func withTools(p providers.LLMProvider, k *kinds.Kind) providers.LLMProvider {
	return toolmode.New(p, toolmode.Options{Mode: toolmode.Mode(k.Traits.ToolMode)})
}
