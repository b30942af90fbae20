package ansi

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Theme writes lines with the colours that a terminal has.
type Theme struct {
	styles [numRoles]lipgloss.Style
	links  bool
}

// shade is one colour, for terminals of 16, of 256 and of all colours. It is readable on a dark
// and on a light ground.
type shade struct{ few, many, all string }

// NewTheme is the theme for a terminal with such colours. Without colours it still has bold and
// faint letters.
func NewTheme(p colorprofile.Profile) *Theme {
	pick := lipgloss.Complete(p)
	fg := func(s shade) color.Color {
		return pick(lipgloss.Color(s.few), lipgloss.Color(s.many), lipgloss.Color(s.all))
	}
	style := func(s shade) lipgloss.Style {
		if p <= colorprofile.ASCII {
			return lipgloss.NewStyle()
		}
		return lipgloss.NewStyle().Foreground(fg(s))
	}
	blue := shade{"4", "33", "#2f80ed"}
	green := shade{"2", "34", "#1f9d55"}
	red := shade{"1", "160", "#d64545"}
	purple := shade{"5", "134", "#a05fc4"}
	cyan := shade{"6", "37", "#1499a8"}
	yellow := shade{"3", "136", "#b07d12"}
	grey := lipgloss.NewStyle().Faint(true)
	t := &Theme{links: p > colorprofile.NoTTY}
	t.styles = [numRoles]lipgloss.Style{
		Plain:   lipgloss.NewStyle(),
		Faint:   grey,
		Heading: style(purple).Bold(true),
		Mark:    grey,
		Code:    style(cyan),
		Link:    style(blue).Underline(true),
		Person:  style(blue).Bold(true),
		Good:    style(green),
		Bad:     style(red),
		Busy:    style(yellow),
		Keyword: style(purple),
		String:  style(green),
		Number:  style(yellow),
		Comment: grey,
		Added:   style(green),
		Removed: style(red),
	}
	return t
}

// Render is a line with the sequences of its looks.
func (t *Theme) Render(l *Line) string {
	var b strings.Builder
	for _, s := range l.spans {
		b.WriteString(t.span(s))
	}
	return b.String()
}

func (t *Theme) span(s Span) string {
	style := t.styles[s.look.Role]
	if s.look.Bold {
		style = style.Bold(true)
	}
	if s.look.Italic {
		style = style.Italic(true)
	}
	if s.look.Strike {
		style = style.Strikethrough(true)
	}
	if t.links && s.look.Href != "" {
		style = style.Hyperlink(s.look.Href)
	}
	return style.Render(s.text)
}
