package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/pkg/gateway/telemetry"
	"parley/pkg/tools"
)

// ListTools emits a [ToolReport] of each tool, without its page.
func ListTools() Operation { return Operation{Name: "tool list", Handle: listTools} }

// ShowTools emits a [ToolReport] of one tool, or of each.
func ShowTools() Operation { return Operation{Name: "tool show", Handle: showTools} }

// ToolStats emits the [telemetry.Row] of each tool with each model, as sums of the last days.
func ToolStats() Operation { return Operation{Name: "tool stats", Handle: toolStats} }

func toolStats(_ context.Context, g *Gateway, r *Request, emit Emit) error {
	days := cmp.Or(r.Days, telemetry.UsualDays)
	if days < 1 || days > telemetry.MostDays {
		return WithCode(CodeUsage, fmt.Errorf(textDays, telemetry.MostDays))
	}
	for _, row := range telemetry.Sum(g.Tools.Log.Days(days)) {
		if err := emit(row); err != nil {
			return err
		}
	}
	return nil
}

// ToolReport is one value of the answers to [ListTools] and [ShowTools].
type ToolReport struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Level       string `json:"level"`
	// Changes and Asked are one or two words each.
	Changes string `json:"changes"`
	Asked   string `json:"asked"`
	// Disabled says why the tool is not offered.
	Disabled string `json:"disabled,omitempty"`
	// Stats are its calls since the gateway was started.
	Stats *tools.Stats `json:"stats,omitempty"`
	// Page is the whole description of the tool, as Markdown; of [ShowTools] only.
	Page string `json:"page,omitempty"`
}

func listTools(_ context.Context, g *Gateway, _ *Request, emit Emit) error {
	stats := map[string]tools.Stats{}
	for _, s := range g.Tools.Registry.Stats() {
		stats[s.Tool] = s
	}
	for _, name := range g.Tools.Registry.List() {
		r := newToolReport(g.Tools.Registry, name)
		if s, ok := stats[name]; ok {
			r.Stats = &s
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func showTools(_ context.Context, g *Gateway, request *Request, emit Emit) error {
	names := g.Tools.Registry.List()
	if name := request.Tool; name != "" {
		if !slices.Contains(names, name) {
			return fmt.Errorf(textNoTool, name, Program())
		}
		names = []string{name}
	}
	for _, name := range names {
		page, err := toolPage(g.Tools.Registry, name)
		if err != nil {
			return err
		}
		r := newToolReport(g.Tools.Registry, name)
		r.Page = page
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func newToolReport(of *tools.ToolRegistry, name string) ToolReport {
	t, _ := of.Get(name)
	an, _ := of.Annotations(name)
	changes, _ := changesOf(an)
	asked, _ := askedOf(t, an)
	return ToolReport{
		Name: name, Description: t.Description(), Level: string(an.Level), Changes: changes, Asked: asked,
		Disabled: of.Reason(name),
	}
}
