package web

import (
	"context"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/pkg/text"
)

// document is a page as a model reads it.
type document struct {
	title, text string
	// cut says that the page was longer than the part that is read.
	cut bool
}

// toMarkdown converts a page in UTF-8 that was found at from. It ends with ctx.
func toMarkdown(ctx context.Context, page []byte, from *url.URL) (document, error) {
	t := parsePage(page, from)
	d := document{title: t.title, cut: t.cut}
	n := t.article(ctx, from)
	if n == nil {
		t = parsePage(page, from) // the search for the article has eaten the first one
		n = t.main()
	}
	written, err := render(ctx, n)
	if err != nil {
		return document{}, err
	}
	d.text = clean(text.Head(written, maxMarkdown))
	d.cut = d.cut || len(written) > maxMarkdown
	return d, nil
}

// article finds the subject of the page; nil if the finding is unsure: too little of
// the text, or without the page's tables, code and headings.
func (t *tree) article(ctx context.Context, from *url.URL) *html.Node {
	if t.cut || ctx.Err() != nil {
		return nil
	}
	all := outline(t.main())
	p := readability.NewParser()
	p.KeepClasses, p.DisableJSONLD = true, true
	found, err := p.ParseAndMutate(t.root, from)
	if err != nil || found.Node == nil {
		return nil
	}
	if got := outline(found.Node); got.text < minArticle || got.text*2 < all.text ||
		got.tables < all.tables || got.code < all.code || got.headings+1 < all.headings {
		return nil
	}
	return found.Node
}

// minArticle is the least text of an article, in bytes.
const minArticle = 500

// shape are the parts of a page that must not get lost.
type shape struct{ text, tables, code, headings int }

func outline(n *html.Node) shape {
	var s shape
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			s.text += len(strings.TrimSpace(c.Data))
			continue
		}
		switch c.DataAtom {
		case atom.Table:
			s.tables++
		case atom.Pre:
			s.code++
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			s.headings++
		default:
		}
	}
	return s
}

// main is the page without the parts around its content: its one main element, else
// all but navigation and footers.
func (t *tree) main() *html.Node {
	var mains, around []*html.Node
	for n := range t.body.Descendants() {
		switch n.DataAtom {
		case atom.Main:
			mains = append(mains, n)
		case atom.Nav, atom.Footer, atom.Dialog:
			around = append(around, n)
		default:
		}
	}
	if len(mains) == 1 && mains[0].FirstChild != nil {
		return mains[0]
	}
	for _, n := range around {
		n.Parent.RemoveChild(n)
	}
	return t.body
}

// render writes a tree as Markdown.
func render(ctx context.Context, n *html.Node) (string, error) {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithPresentationTables(false),
		),
	))
	c.Register.Renderer(func(c converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess // the time is over: the rest is left out
		}
		if n.DataAtom == atom.A && get(n, "href") == "" {
			c.RenderChildNodes(c, w, n) // where it leads was left out
			return converter.RenderSuccess
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly)
	out, err := c.ConvertNode(n, converter.WithContext(ctx))
	if err == nil {
		err = ctx.Err()
	}
	return string(out), err
}
