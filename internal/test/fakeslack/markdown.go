package fakeslack

import (
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// plainMarkdown is the text of a markdown block as a person reads it: Slack takes
// standard Markdown there (docs.slack.dev/reference/block-kit/blocks/markdown-block)
// with its own mentions. The lock is held.
func (s *Server) plainMarkdown(source string) string {
	source = control.ReplaceAllStringFunc(source, func(found string) string {
		m := control.FindStringSubmatch(found)
		if m[1][0] == '@' || m[1][0] == '#' || m[1][0] == '!' {
			return s.label(m[1], m[2])
		}
		return found
	})
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	data := []byte(source)
	return (&reader{source: data}).blocks(md.Parser().Parse(text.NewReader(data)), "\n\n")
}

// reader writes a Markdown tree as plain text.
type reader struct{ source []byte }

// blocks are the children of n, with between them.
func (r *reader) blocks(n ast.Node, between string) string {
	var parts []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if part := r.block(child); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, between)
}

func (r *reader) block(n ast.Node) string {
	switch n := n.(type) {
	case *ast.List:
		return r.list(n)
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		return strings.TrimRight(r.lines(n), "\n")
	case *ast.ThematicBreak:
		return "———"
	case *ast.Blockquote:
		return r.blocks(n, "\n\n")
	case *tables.Table:
		return r.blocks(n, "\n")
	case *tables.TableHeader, *tables.TableRow:
		return r.blocks(n, " | ")
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *tables.TableCell:
		return r.inline(n)
	}
	return r.blocks(n, "\n\n")
}

func (r *reader) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(r.source))
	}
	return b.String()
}

func (r *reader) list(n *ast.List) string {
	var items []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		items = append(items, mark+strings.ReplaceAll(r.blocks(item, "\n"), "\n", "\n  "))
	}
	return strings.Join(items, "\n")
}

// inline is the text within n.
func (r *reader) inline(n ast.Node) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			b.WriteString(resolved(string(child.Segment.Value(r.source))))
			if child.SoftLineBreak() || child.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.String:
			b.Write(child.Value)
		case *ast.CodeSpan:
			for part := child.FirstChild(); part != nil; part = part.NextSibling() {
				if t, ok := part.(*ast.Text); ok {
					b.WriteString(string(t.Segment.Value(r.source)))
				}
			}
		case *ast.AutoLink:
			b.Write(child.Label(r.source))
		case *ast.RawHTML:
			for i := range child.Segments.Len() {
				segment := child.Segments.At(i)
				b.Write(segment.Value(r.source))
			}
		default:
			b.WriteString(r.inline(child))
		}
	}
	return b.String()
}

// resolved takes backslashes of escapes away and puts characters for entities.
func resolved(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:], ';')
			if end < 0 {
				b.WriteByte('&')
				continue
			}
			entity := s[i : i+end+1]
			if char := html.UnescapeString(entity); char != entity && !strings.HasSuffix(char, ";") {
				b.WriteString(char)
				i += end
				continue
			}
			b.WriteByte('&')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
