package offline

import (
	"regexp"
	"strings"
)

// workspaceFile matches a text that is very likely a path: it has a slash or an
// ending, or is a usual file name without one.
const workspaceFile = `(?i)^(?:[^\n]*[^\s./][^\n]*\.[a-z0-9_]{1,10}|[^\s]*/[^\n]*|readme|license|makefile|changelog|\.[a-z0-9][^\s]*)$`

// paths understands requests about the files of the workspace.
type paths struct{ file, glob, own *regexp.Regexp }

// pathRules understand searches first, because "list the files that mention x"
// begins like a listing, and listings last.
func pathRules() []rule {
	p := &paths{
		file: regexp.MustCompile(workspaceFile),
		glob: regexp.MustCompile(`^[^\s]*[*?\[{][^\n]*$`),
		own: regexp.MustCompile(`(?i)^(?:(?:the|my|your|our|this|current) )*(?:workspace|space|folder|directory|dir|root|files?|here|there|root folder|workspace folder|current folder|` +
			`working directory|current directory|chat|box|\.|\./)(?: (?:folder|directory|root))?$`),
	}
	one := func(pattern string, f func(string) []piece) rule {
		return rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), func(groups []string) []piece { return f(argument(groups)) }}
	}
	const (
		ask  = `(?:find|search|grep|look|which|what|list|show|give|tell|locate|get|are there|do i have|is there)\b`
		show = `(?:show|print|display|view|output|dump|give|see)(?:\s+(?:me|us))?`
		read = `(?:read|open|cat|type out)(?:\s+(?:me|us|out))?`
		what = `(?:\s+(?:the\s+)?(?:contents?|text|inside)\s+of)?(?:\s+the)?(?:\s+file)?(?:\s+(?:called|named))?\s+`
		is   = `(?:'s|’s|s|\s+is|\s+are)`
	)
	rules := []rule{
		one(`what\s+do\s+you\s+(?:remember|know\s+about\s+(?:this\s+chat|us))|(?:show|read)(?:\s+me)?\s+(?:your|the)\s+memory`, func(string) []piece { return readFile("MEMORY.md") }),
		one(`what\s+do\s+you\s+know\s+about\s+me|who\s+am\s+i`, func(string) []piece { return readFile("USER.md") }),
		one(read+what+`(.+)`, func(s string) []piece { return p.read(s, true) }),
		one(`send(?:\s+(?:me|us))?(?:\s+the)?(?:\s+(?:file|document|picture|photo))?(?:\s+(?:called|named))?\s+(.+)`, p.send),
		one(show+what+`(.+)`, func(s string) []piece { return p.read(s, false) }),
		one(`what`+is+`\s+(?:written\s+)?(?:(?:the\s+)?(?:contents?|text)\s+(?:of|in)|in(?:side)?)(?:\s+the)?(?:\s+file)?\s+(.+)`, p.look),
		one(`(?:look\s+(?:into|at)|summari[sz]e|sum\s+up)(?:\s+the)?(?:\s+file)?\s+(.+)`, func(s string) []piece { return p.read(s, false) }),
		one(`what\s+does(?:\s+the)?(?:\s+file)?\s+(.+?)\s+(?:say|contain|hold)`, func(s string) []piece { return p.read(s, false) }),
		one(`(?:how\s+(?:big|large|long|old)\s+is|(?:what`+is+`\s+)?(?:the\s+)?size\s+of|when\s+was|stat|(?:file\s+)?info(?:rmation)?(?:\s+(?:on|about|for|of))?|`+
			`(?:give|show|tell)\s+me\s+(?:info(?:rmation)?|details)\s+(?:on|about|for|of)|file_info)(?:\s+the)?(?:\s+file)?\s+(.+?)(?:\s+(?:last\s+)?(?:changed|modified|edited|updated|written|created))?`, p.info),
		one(ask+`.*?\b(?:containing|contains?|mentions?|mentioning|including|with\s+the\s+(?:text|words?)|that\s+says?|(?:has|have)\s+the\s+words?)\s+(?:the\s+(?:text|words?|phrase)\s+)?(.+)`, p.mention),
		one(`grep\s+(?:for\s+)?(.+)`, p.mention),
		one(`search\s+(?:in\s+|through\s+)?(?:all\s+)?(?:the\s+|my\s+)?(?:files|workspace|notes)\s+for\s+(.+)`, p.mention),
		one(ask+`.*\b(?:named|called|matching)\s+(?:like\s+)?(.+)`, p.named),
		one(ask+`.*\b(?:that\s+end|ends?|ending)\s+(?:in|with|on)\s+(\S+)`, func(s string) []piece { return find("*" + s) }),
		one(`(?:find|list|show|get|locate|search\s+for)(?:\s+me)?(?:\s+(?:all|every|the|my|any))*\s+\.?(\w+)\s+files?(?:\s+in\s+(?:the\s+|my\s+)?workspace)?`, p.ofKind),
		one(`(?:find|locate|where(?:'s|’s|\s+is|\s+are)|(?:search|look)\s+for|list|ls)(?:\s+(?:all|the|my|a|any))*(?:\s+files?)?\s+(.+)`, p.somewhere),
		one(`(?:search|look)\s+for\s+(.+)`, p.mention),
		one(`([\w./-]*\w\.(?:md|txt|json|ya?ml|csv|log|go|py|sh|html|toml|xml|ini|conf))`, readFile),
	}
	return append(rules, p.listRules()...)
}

func (p *paths) listRules() []rule {
	list := func(pattern string) rule {
		return rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), func(groups []string) []piece { return p.list(argument(groups)) }}
	}
	return []rule{
		list(`ls|dir|list|list_dir|files|(?:list|show)(?:\s+me)?\s+(?:everything|all|it)`),
		list(`(?:ls|dir|list_dir)\s+(.+)`),
		list(`(?:list|show|display|see|tell|name|what|which|give|enumerate|are\s+there|do\s+i\s+have|do\s+you\s+have|is\s+there|get|view|print)\b[^/]*?\b` +
			`(?:files?|folders?|director(?:y|ies)|documents?|contents?|workspace)\b(?:\s+(?:and|or)\s+(?:files?|folders?|director(?:y|ies)))?` +
			`(?:\s+(?:do\s+(?:i|you|we)\s+have|are\s+there|exist|is\s+there|that\s+(?:i|you|we)\s+have|are))?` +
			`(?:\s+(?:(?:are|is)\s+)?(?:in|of|inside|under|from|within|at)(?:\s+the(?:\s+(?:folder|directory))?)?\s+(.+)|\s+(?:here|there))?`),
		list(`list(?:\s+the)?(?:\s+(?:folder|directory))?\s+(\S+)`),
	}
}

// argument gives the first group that matched, without quotes.
func argument(groups []string) string {
	for _, g := range groups[1:] {
		if g = strings.TrimSpace(g); g != "" {
			return g
		}
	}
	return ""
}

// unquote takes the quotes off; quoted says that there were some.
func unquote(s string) (text string, quoted bool) {
	s = strings.TrimSpace(s)
	for _, q := range [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}} {
		inner, ok := strings.CutPrefix(s, q[0])
		if !ok {
			continue
		}
		if inner, ok = strings.CutSuffix(inner, q[1]); ok && inner != "" {
			return inner, true
		}
	}
	return s, false
}

func readFile(path string) []piece { return use("read_file", map[string]any{"path": path}) }

func find(glob string) []piece { return use("search_files", map[string]any{"name": glob}) }

// read reads a file. With any set, one plain word is a file too.
func (p *paths) read(name string, anyWord bool) []piece {
	name, quoted := unquote(name)
	switch {
	case p.glob.MatchString(name) && !quoted:
		return nil
	case quoted, p.file.MatchString(name), anyWord && !strings.ContainsAny(name, " \t\n"):
		return readFile(name)
	default:
		return nil
	}
}

// look reads a path that looks like a file and lists one that looks like a folder.
func (p *paths) look(name string) []piece {
	if out := p.read(name, false); out != nil && !strings.HasSuffix(name, "/") {
		return out
	}
	if plain := folderName(name); p.own.MatchString(name) || !strings.ContainsAny(plain, " \t\n") {
		return p.list(name)
	}
	return nil
}

func (p *paths) info(name string) []piece {
	name, quoted := unquote(name)
	if !quoted && !p.file.MatchString(name) {
		return nil
	}
	return use("file_info", map[string]any{"path": name})
}

// send sends a path that looks like a file.
func (p *paths) send(name string) []piece {
	name, quoted := unquote(name)
	if !quoted && (!p.file.MatchString(name) || p.glob.MatchString(name)) {
		return nil
	}
	return use("send_file", map[string]any{"path": name})
}

// mention searches the content of all files.
func (p *paths) mention(text string) []piece {
	text, quoted := unquote(text)
	if !quoted {
		for _, place := range []string{" in the workspace", " in my files", " in the files", " in my workspace", " in all files", " in files"} {
			text = strings.TrimSuffix(text, place)
		}
		text, quoted = unquote(text)
	}
	if !quoted && p.glob.MatchString(text) {
		return find(text)
	}
	return use("search_files", map[string]any{"content": text})
}

// named searches files by name: a pattern, a name, or a part of one.
func (p *paths) named(name string) []piece {
	name, quoted := unquote(name)
	if !quoted && strings.ContainsAny(name, " \t\n") && !p.file.MatchString(name) {
		return nil
	}
	if p.glob.MatchString(name) || strings.ContainsAny(name, "./") {
		return find(name)
	}
	return find("*" + name + "*")
}

// ofKind searches files by the common name of their ending.
func (p *paths) ofKind(kind string) []piece {
	kind = strings.ToLower(kind)
	switch kind {
	case "all", "the", "my", "me", "any", "every", "of", "your", "our", "these", "those", "some", "which", "workspace", "available":
		return nil
	case "markdown":
		kind = "md"
	case "text":
		kind = "txt"
	case "python":
		kind = "py"
	case "golang":
		kind = "go"
	}
	return find("*." + kind)
}

// somewhere searches a name where the request says no more than find.
func (p *paths) somewhere(name string) []piece {
	plain, quoted := unquote(name)
	if first, _, more := strings.Cut(plain, " "); more && !quoted && isPreposition(first) {
		return nil // a folder, not a name
	}
	if quoted || p.glob.MatchString(plain) || p.file.MatchString(plain) && !strings.HasSuffix(plain, "/") {
		return p.named(name)
	}
	return nil
}

func isPreposition(word string) bool {
	switch strings.ToLower(word) {
	case "in", "of", "inside", "under", "from", "within", "at", "on":
		return true
	default:
		return false
	}
}

// folderName takes off quotes and the word folder.
func folderName(name string) string {
	name, quoted := unquote(name)
	if quoted {
		return name
	}
	for _, word := range []string{"the ", "my ", "folder ", "directory "} {
		name = strings.TrimPrefix(name, word)
	}
	for _, word := range []string{" folder", " directory", " dir"} {
		name = strings.TrimSuffix(name, word)
	}
	name, _ = unquote(name)
	return name
}

// list lists a folder; empty, here and the like mean the workspace.
func (p *paths) list(name string) []piece {
	folder := folderName(name)
	if name == "" || p.own.MatchString(name) || p.own.MatchString(folder) {
		folder = "."
	}
	if len(folder) > 1 {
		folder = strings.TrimRight(folder, "/")
	}
	return use("list_dir", map[string]any{"path": folder})
}
