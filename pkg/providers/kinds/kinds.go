package kinds

import (
	"net/url"
	"slices"
	"strings"
)

// Kind is a row of the table: a server, or a family of models.
type Kind struct {
	// Name is the value of kind in a configuration; a server and a family may share it.
	Name string
	// Title is its name for people.
	Title string
	// BaseURL is a server's usual address, and Hosts are the ends of the host names by
	// which it is known; one that begins with a colon is a port.
	BaseURL string
	Hosts   []string
	// Key is the environment variable in which people keep the server's key.
	Key string
	// Local says that the operator starts the server, and with it the size of its context.
	Local bool
	// Models are the beginnings of a family's model names, without the vendor before the
	// last slash. One that begins with a star may stand anywhere in the name.
	Models []string
	// Traits are the row's deviations from the protocol.
	Traits Traits
}

// Traits are the manners of one model on one server. The zero value is the protocol
// as OpenAI describes it.
type Traits struct {
	// MaxTokens is the name of the limit of an answer, max_tokens if empty.
	MaxTokens string
	// Refuses are options that are not sent: temperature, top_p, seed, stop,
	// reasoning_effort, stream_options, response_format (with a schema).
	Refuses []string
	// Choice is the strongest form of tool_choice that is taken.
	Choice Choice
	// Thinking says which earlier reasoning is sent back, and ThinkingField its place.
	Thinking      Thinking
	ThinkingField Field
	// ToolName says that a tool message carries the name of its tool.
	ToolName bool
	// ByTurns says that the model's template takes the person and the model by turns alone.
	ByTurns bool
	// EmptyContent says that a message with calls alone has the content "".
	EmptyContent bool
	// IDs is the form of call ids.
	IDs IDs
	// Images says whether pictures are taken.
	Images Answer
	// Context is the size of the context in tokens; 0 is unknown.
	Context int
	// Spoken are the forms in which the model may write a call into its text.
	Spoken []Form
	// Opened says that the model's template opens its reasoning, so that a server which knows
	// no reasoning begins the text inside.
	Opened bool
	// Grammar says that a request may carry a grammar of llama.cpp's form.
	Grammar bool
	// ToolMode is the way in which tools are offered; empty is the protocol's own.
	ToolMode string
}

// Choice is a form of tool_choice. Each takes the forms before it, too.
type Choice string

// The forms of tool_choice, the weakest first.
const (
	ChoiceUnsent   Choice = "unsent"
	ChoiceAuto     Choice = "auto"
	ChoiceNone     Choice = "none"
	ChoiceRequired Choice = "required"
	ChoiceNamed    Choice = "named" // and so is the empty one
)

// Takes says whether c takes the form other.
func (c Choice) Takes(other Choice) bool { return c.rank() >= other.rank() }

func (c Choice) rank() int {
	order := []Choice{ChoiceUnsent, ChoiceAuto, ChoiceNone, ChoiceRequired, ChoiceNamed}
	if i := slices.Index(order, c); i >= 0 {
		return i
	}
	return len(order) - 1
}

// Thinking says which earlier reasoning a request carries.
type Thinking string

// The values of [Thinking]; the empty one is [ThinkingNever].
const (
	ThinkingNever  Thinking = "never"
	ThinkingTurn   Thinking = "turn"   // since the newest message of a person, where a message has some
	ThinkingGiven  Thinking = "given"  // where a message has some
	ThinkingAlways Thinking = "always" // with every message of the model
)

// Field is the place of earlier reasoning in a message.
type Field string

// The values of [Field]; the empty one is [FieldReasoningContent].
const (
	FieldReasoningContent Field = "reasoning_content"
	FieldReasoning        Field = "reasoning"
	FieldTag              Field = "<think>" // at the beginning of the content
)

// IDs is the form of call ids that a server takes.
type IDs string

// The values of [IDs]; the empty one takes any id.
const (
	IDsShort IDs = "short" // up to 40 characters
	IDsNine  IDs = "nine"  // letters and digits, nine of them
)

// Answer is yes, no, or empty for unknown.
type Answer string

// The values of [Answer].
const (
	Yes Answer = "yes"
	No  Answer = "no"
)

// Form is a way of writing a call as text.
type Form string

// The values of [Form]. Package spoken reads them.
const (
	FormHermes   Form = "hermes"   // <tool_call>{"name":…,"arguments":{…}}</tool_call>
	FormQwen     Form = "qwen"     // <tool_call><function=NAME><parameter=X>…
	FormGLM      Form = "glm"      // <tool_call>NAME<arg_key>…
	FormLlama    Form = "llama"    // <function=NAME>{…}</function>, <|python_tag|>{…}
	FormMistral  Form = "mistral"  // [TOOL_CALLS]…
	FormDeepSeek Form = "deepseek" // <｜tool▁calls▁begin｜>…
	FormMiniMax  Form = "minimax"  // <minimax:tool_call><invoke name="…">…
	FormKimi     Form = "kimi"     // <|tool_calls_section_begin|>…
	FormMiniCPM  Form = "minicpm"  // <|tool_call_start|>NAME(x=1)<|tool_call_end|>
	FormNemotron Form = "nemotron" // <TOOLCALL>[{"name":…,"arguments":{…}}]</TOOLCALL>
	FormHarmony  Form = "harmony"  // <|channel|>commentary to=functions.NAME…
	FormJSON     Form = "json"     // the bare object of a call
)

// Match is the outcome of [Of].
type Match struct {
	// Server and Family are the names of the joined rows; empty is the protocol itself.
	Server, Family string
	Traits         Traits
}

// Of joins the rows of a server and of a model. The kind may name the server's row or the
// family's; ok is false if no row has that name.
func Of(kind, baseURL, model string) (m Match, ok bool) {
	server, family := serverOf(baseURL), familyOf(model)
	if kind != "" {
		s, f := named(servers(), kind), named(families(), kind)
		if s == nil && f == nil {
			return Match{}, false
		}
		if s != nil {
			server = s
		}
		if f != nil && (s == nil || family == nil) { // a model's own name tells more than its server's
			family = f
		}
	}
	var none Kind
	if server == nil {
		server = &none
	}
	if family == nil {
		family = &none
	}
	return Match{Server: server.Name, Family: family.Name, Traits: join(server, family)}, true
}

// All is the whole table: the servers, then the families.
func All() []Kind { return append(servers(), families()...) }

// Names are the values that a configuration may give as kind.
func Names() []string {
	var names []string
	rows := All()
	for i := range rows {
		if name := rows[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Servers are the rows of the servers.
func Servers() []Kind { return servers() }

// Families are the rows of the model families.
func Families() []Kind { return families() }

// join lets the family speak where the server is silent, and keeps the narrower of
// two limits.
func join(server, family *Kind) Traits {
	s, f := server.Traits, family.Traits
	t := Traits{
		MaxTokens:     first(f.MaxTokens, s.MaxTokens),
		Choice:        s.Choice,
		Thinking:      first(s.Thinking, f.Thinking),
		ThinkingField: first(s.ThinkingField, f.ThinkingField),
		ToolName:      s.ToolName || f.ToolName,
		ByTurns:       s.ByTurns || f.ByTurns,
		EmptyContent:  s.EmptyContent || f.EmptyContent,
		IDs:           first(f.IDs, s.IDs),
		Images:        f.Images,
		Context:       first(f.Context, s.Context),
		Spoken:        append(slices.Clip(f.Spoken), s.Spoken...),
		Opened:        s.Opened || f.Opened,
		Grammar:       s.Grammar,
		ToolMode:      first(f.ToolMode, s.ToolMode),
	}
	t.Refuses = append(slices.Clip(s.Refuses), f.Refuses...)
	if s.Choice.Takes(f.Choice) {
		t.Choice = f.Choice
	}
	if s.Images == No || f.Images == "" {
		t.Images = s.Images
	}
	if server.Local { // the operator gave the server its context, which no request tells
		t.Context = 0
	}
	return t
}

func first[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

func named(rows []Kind, name string) *Kind {
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i]
		}
	}
	return nil
}

func serverOf(baseURL string) *Kind {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return nil
	}
	host, port := strings.ToLower(u.Hostname()), ":"+u.Port()
	rows := servers()
	for i := range rows {
		for _, h := range rows[i].Hosts {
			if h == port || h == host || strings.HasSuffix(host, "."+h) {
				return &rows[i]
			}
		}
	}
	return nil
}

func familyOf(model string) *Kind {
	name := strings.ToLower(strings.TrimRight(model, "/"))
	name = name[strings.LastIndexByte(name, '/')+1:]
	rows := families()
	for i := range rows {
		for _, pattern := range rows[i].Models {
			part, anywhere := strings.CutPrefix(pattern, "*")
			if anywhere && strings.Contains(name, part) || !anywhere && strings.HasPrefix(name, part) {
				return &rows[i]
			}
		}
	}
	return nil
}
