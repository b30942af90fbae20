package config

import (
	"path/filepath"
	"time"
)

// Config is the whole configuration.
type Config struct {
	StateDir  string            `yaml:"state_dir" jsonschema_description:"Folder of the store and the admin socket; ~ is the home folder. Default ~/.parley."`
	Workspace string            `yaml:"workspace" jsonschema_description:"Folder of AGENT.md, skills and the chats' files. Default: workspace inside state_dir."`
	Log       Log               `yaml:"log"`
	Agent     Agent             `yaml:"agent"`
	Models    map[string]*Model `yaml:"models" jsonschema_description:"The models by a name of your choice. Without any, the gateway takes what it finds: a key in the environment, a local server, or the built-in offline model."`
	Roles     Roles             `yaml:"roles" jsonschema_description:"Models for single purposes."`
	Chats     map[string]*Chat  `yaml:"chats" jsonschema_description:"How the assistant answers in single chats, by their places: CHANNEL:[ACCOUNT/]CHAT[#THREAD]."`
	Owners    []string          `yaml:"owners" jsonschema_description:"Whose direct chats have the rights of the console: telegram:ID or slack:TEAM/ID."`
	Budgets   Budgets           `yaml:"budgets"`
	Tools     Tools             `yaml:"tools"`
	Corpora   map[string]Corpus `yaml:"corpora" jsonschema_description:"Folders of documents that chosen chats search, by a name of your choice."`
	Schedules Schedules         `yaml:"schedules"`
	Channels  Channels          `yaml:"channels"`
	HTTP      HTTP              `yaml:"http"`
	Admin     Admin             `yaml:"admin"`

	Background Background `yaml:"background"`

	// spare are secrets of parts that are not in use.
	spare []string
	notes []string
}

// Notes are remarks on keys that are right and have no effect in this build, one line each.
func (c *Config) Notes() []string { return c.notes }

// Admin says who may use the running gateway on its machine.
type Admin struct {
	Group string `yaml:"group" jsonschema_description:"A group of this machine whose members may use the admin socket, beside the gateway's own user and root: the operator's commands and the console, with all rights of the console. Default none."`
}

// Log selects the lines that are logged, to standard error.
type Log struct {
	Level  string `yaml:"level" jsonschema:"enum=trace,enum=debug,enum=info,enum=warn,enum=error,enum=off" jsonschema_description:"Default info."`
	Format string `yaml:"format" jsonschema:"enum=console,enum=json" jsonschema_description:"Default console."`
}

// Agent says how turns run.
type Agent struct {
	Model             string   `yaml:"model" jsonschema_description:"The name under models of the model that answers. Default main."`
	Fallbacks         []string `yaml:"fallbacks" jsonschema_description:"Names under models that are asked, in order, when a model cannot answer."`
	MaxToolIterations int      `yaml:"max_tool_iterations" jsonschema:"minimum=1,maximum=200" jsonschema_description:"Rounds of tool calls in one turn. Default 10."`
	WhileBusy         string   `yaml:"while_busy" jsonschema:"enum=steer,enum=queue,enum=interrupt" jsonschema_description:"What a message does that arrives during a turn: it joins (steer, the default), waits (queue), or ends the turn (interrupt)."`
	AnswerEdits       bool     `yaml:"answer_edits" jsonschema_description:"Whether an edit of a message that was answered is answered too. An edit of one that still waits always replaces it. Default false."`
	Timezone          string   `yaml:"timezone" jsonschema_description:"IANA name of the time zone of chats that have named none, such as Europe/Berlin. Default none: schedules ask for it; the console has the zone of its machine."`

	Voice    string `yaml:"voice" jsonschema:"enum=keep,enum=transcribe" jsonschema_description:"What becomes of voice messages and sound files that people send: they are kept as files (keep, the default), or roles.transcribe writes them down before the model reads the message (transcribe)."`
	Pictures string `yaml:"pictures" jsonschema:"enum=answer,enum=describe" jsonschema_description:"How a message with pictures is answered where the chat's model takes none: by roles.vision in its place (answer, the default), or by the chat's model, with a description that roles.vision has written (describe)."`

	Heartbeat Heartbeat `yaml:"heartbeat"`
	History   History   `yaml:"history"`
}

// History is the part of a conversation that a request carries.
type History struct {
	Tokens  int `yaml:"tokens" jsonschema:"minimum=1000,maximum=10000000" jsonschema_description:"Tokens of the conversation that a request carries at most, estimated. Default 24000."`
	Entries int `yaml:"entries" jsonschema:"minimum=20,maximum=10000" jsonschema_description:"The same in messages, those of tools included. Default 200."`
}

// The words of [Agent.Voice] and [Agent.Pictures].
const (
	VoiceKeep        = "keep"
	VoiceTranscribe  = "transcribe"
	PicturesAnswer   = "answer"
	PicturesDescribe = "describe"
)

// ProviderOpenAI is the provider of models on servers that speak the OpenAI protocol.
const ProviderOpenAI = "openai"

// The providers of models that are asked through a protocol of their own: Anthropic's and
// Google's, and their base URLs where the file names none.
const (
	ProviderAnthropic = "anthropic"
	AnthropicURL      = "https://api.anthropic.com"
	ProviderGemini    = "gemini"
	GeminiURL         = "https://generativelanguage.googleapis.com/v1beta"
)

// Model is one model on one server.
type Model struct {
	Provider    string    `yaml:"provider" jsonschema:"enum=openai,enum=anthropic,enum=gemini,enum=offline" jsonschema_description:"openai: any server that speaks the OpenAI protocol; anthropic: the Messages API of Claude models; gemini: Google's own, of the Gemini API or Vertex AI; offline: the built-in model that needs no server. Default openai."`
	Model       string    `yaml:"model" jsonschema_description:"The server's name for the model."`
	Kind        string    `yaml:"kind" jsonschema_description:"The manners of the server or of the model's family: a row of docs/models.md. Default: what base_url and the model's name tell."`
	BaseURL     string    `yaml:"base_url" jsonschema_description:"Default https://api.openai.com/v1, and for anthropic and gemini that of their own API."`
	Path        string    `yaml:"path" jsonschema_description:"For anthropic and gemini: the form of a model's path behind base_url, with {model} for its name. Left out: the usual one, also for a base_url of Vertex AI."`
	Bearer      bool      `yaml:"bearer" jsonschema_description:"For anthropic and gemini: send api_key as a bearer token. Default false, and true for a base_url of Vertex AI with a project."`
	APIKey      Secret    `yaml:"api_key"`
	APIKeys     []*Secret `yaml:"api_keys" jsonschema_description:"Several keys of the same server: the next one is used while one is refused or over its rate."`
	ToolChoice  string    `yaml:"tool_choice" jsonschema_description:"auto, none, required or the name of a tool: whether the model may, must not or must call a tool. The last two hold for the first answer to a message. Default auto."`
	Effort      string    `yaml:"reasoning_effort" jsonschema:"enum=none,enum=minimal,enum=low,enum=medium,enum=high,enum=xhigh" jsonschema_description:"How long the model thinks before it answers, where it takes a word about that. Left out: as it likes."`
	MaxTokens   int       `yaml:"max_tokens" jsonschema:"minimum=1,maximum=10000000" jsonschema_description:"Longest answer; the server's own limit when left out."`
	Context     int       `yaml:"context" jsonschema:"minimum=2048,maximum=10000000" jsonschema_description:"How many tokens a request and its answer may have together. Half of it bounds the history. Default: that of the model's family, where a service hosts it."`
	Temperature *float64  `yaml:"temperature" jsonschema:"minimum=0,maximum=2" jsonschema_description:"The server's own when left out."`
	Images      bool      `yaml:"images" jsonschema_description:"Whether the model takes pictures. Default: true for anthropic and gemini, else as the row of the model in docs/models.md says, and false without a row."`
	ToolMode    string    `yaml:"tool_mode" jsonschema:"enum=auto,enum=native,enum=json_schema,enum=none" jsonschema_description:"How tools are offered: native is the server's own way; json_schema asks for answers as JSON, for servers without tools; none offers no tools; auto finds out. Default auto."`
	Timeouts    Timeouts  `yaml:"timeouts"`
	Fallbacks   *[]string `yaml:"fallbacks" jsonschema_description:"The models that step in for this one. Default: agent.fallbacks; with [] none does."`
	Prices      *Prices   `yaml:"prices" jsonschema_description:"What a million tokens cost. Left out: nobody knows, and money is not counted."`
}

// Timeouts bound one question to a model.
type Timeouts struct {
	Connect Duration `yaml:"connect" min:"100ms" max:"5m" jsonschema_description:"Until a connection stands. Default 10s."`
	Idle    Duration `yaml:"idle" min:"1s" max:"30m" jsonschema_description:"Without a line from the server, once it has the request; a comment, by which it keeps the connection, is one. Default 60s."`
	Total   Duration `yaml:"total" min:"1s" max:"2h" jsonschema_description:"The whole answer, with all attempts and the pauses between them. Default 300s."`
}

// Tools says which tools are offered and how they run.
type Tools struct {
	On          bool                `yaml:"on" jsonschema_description:"Whether any tool is offered. Default true."`
	Enabled     []string            `yaml:"enabled" jsonschema_description:"When set, exactly these tools are offered."`
	Disabled    []string            `yaml:"disabled" jsonschema_description:"These tools are never offered."`
	Lazy        bool                `yaml:"lazy" jsonschema_description:"Offers find_tools alone at first, and each other tool once the model has found it. Default false: all at once."`
	Timeout     Duration            `yaml:"timeout" min:"100ms" max:"1h" jsonschema_description:"Longest run of a tool that names no time of its own. Default 30s."`
	MaxParallel int                 `yaml:"max_parallel" jsonschema:"minimum=1,maximum=64" jsonschema_description:"Calls of one answer that run beside each other. Default 4."`
	Approval    string              `yaml:"approval" jsonschema:"enum=destructive,enum=side_effects,enum=never" jsonschema_description:"Which calls a person is asked for: those that overwrite, delete, execute or reach a new destination (destructive, the default), everything that is not read-only (side_effects), or none (never, which covers neither commands nor code)."`
	MaxDepth    int                 `yaml:"max_tool_depth" jsonschema:"minimum=1,maximum=10" jsonschema_description:"How deep composed tools may call each other. Default 3."`
	Rules       map[string]ToolRule `yaml:"rules" jsonschema_description:"What holds for one tool, by its name."`
	Files       FileTools           `yaml:"files"`
	Shell       ShellTools          `yaml:"shell"`
	Code        CodeTools           `yaml:"code"`
	Web         WebTools            `yaml:"web"`
	Scripts     ScriptTools         `yaml:"scripts"`

	Composed map[string]ComposedTool `yaml:"composed" jsonschema_description:"Tools that are a fixed sequence of calls to others, by their name."`

	Chats map[string]ChatTools `yaml:"chats" jsonschema_description:"The same for one chat, by its place: CHANNEL:[ACCOUNT/]CHAT[#THREAD]."`
}

// ToolRule is the operator's rule for one tool.
type ToolRule struct {
	Level    string `yaml:"level" jsonschema:"enum=none,enum=chat,enum=read,enum=write,enum=exec" jsonschema_description:"The right that the tool needs. Default: what the tool itself says."`
	Approval string `yaml:"approval" jsonschema:"enum=destructive,enum=side_effects,enum=never" jsonschema_description:"As tools.approval, for this tool."`
}

// ChatTools narrows the tools, or sets the level, of one chat.
type ChatTools struct {
	Enabled  []string `yaml:"enabled" jsonschema_description:"When set, exactly these of the offered tools are offered here."`
	Disabled []string `yaml:"disabled" jsonschema_description:"These tools are not offered here."`
	Level    string   `yaml:"level" jsonschema:"enum=none,enum=chat,enum=read,enum=write,enum=exec" jsonschema_description:"The most that may be used here, whoever writes."`
}

// Channels are the platforms.
type Channels struct {
	Inbox    Inbox    `yaml:"inbox"`
	Console  Console  `yaml:"console"`
	Telegram Telegram `yaml:"telegram"`
	Slack    Slack    `yaml:"slack"`
}

// Inbox bounds the files that people send.
type Inbox struct {
	MaxMB int `yaml:"max_mb" jsonschema:"minimum=0,maximum=10000000" jsonschema_description:"Megabytes that the files which people sent may take in one chat; 0 keeps none. Default 500."`
}

// Console is the terminal.
type Console struct {
	Enabled bool `yaml:"enabled" jsonschema_description:"Whether run opens a console when it is started in a terminal. Default true."`
}

// Telegram is one bot on Telegram, or several: then the keys that one bot cannot have
// for another (the token, the people with access, the webhook) are in the list, and the
// others give the defaults of the list.
type Telegram struct {
	Enabled       bool         `yaml:"enabled" jsonschema_description:"Default false."`
	Token         Secret       `yaml:"token"`
	APIURL        string       `yaml:"api_url" jsonschema_description:"Address of a Bot API server. Default https://api.telegram.org."`
	Allow         []ID         `yaml:"allow" jsonschema_description:"Numeric ids of the users who may write."`
	Pairing       string       `yaml:"pairing" jsonschema:"enum=on,enum=off" jsonschema_description:"Whether a stranger is told a code by which the operator can let them in. Default on."`
	AllowEveryone bool         `yaml:"allow_everyone" jsonschema_description:"Lets in whoever writes. Default false."`
	Groups        Groups       `yaml:"groups"`
	Levels        Levels       `yaml:"levels"`
	Webhook       Webhook      `yaml:"webhook"`
	SendRate      TelegramRate `yaml:"send_rate"`
	Stream        string       `yaml:"stream" jsonschema:"enum=auto,enum=edit,enum=draft,enum=off" jsonschema_description:"How an answer is shown while it grows. Default auto."`
	Proxy         string       `yaml:"proxy" jsonschema_description:"Address of a proxy for this channel: http, https or socks5."`

	Accounts []*TelegramAccount `yaml:"accounts" jsonschema_description:"Several bots, each with a name, a token and lists of its own. What else a bot leaves out is as written above."`
}

// TelegramAccount is one of several bots on Telegram.
type TelegramAccount struct {
	Name          string       `yaml:"name" jsonschema:"required,pattern=^[A-Za-z0-9_-]+$,maxLength=64" jsonschema_description:"A name for logs and errors: letters, digits, _ and -."`
	Token         Secret       `yaml:"token"`
	APIURL        string       `yaml:"api_url" jsonschema_description:"Address of a Bot API server. Default: that of the channel."`
	Allow         []ID         `yaml:"allow" jsonschema_description:"Numeric ids of the users who may write to this bot."`
	Pairing       string       `yaml:"pairing" jsonschema:"enum=on,enum=off" jsonschema_description:"Whether a stranger is told a code by which the operator can let them in. Default: as for the channel."`
	AllowEveryone bool         `yaml:"allow_everyone" jsonschema_description:"Lets in whoever writes to this bot. Default false."`
	Groups        Groups       `yaml:"groups"`
	Levels        Levels       `yaml:"levels"`
	Webhook       Webhook      `yaml:"webhook"`
	SendRate      TelegramRate `yaml:"send_rate"`
	Stream        string       `yaml:"stream" jsonschema:"enum=auto,enum=edit,enum=draft,enum=off" jsonschema_description:"How an answer is shown while it grows. Default: as for the channel."`
	Proxy         string       `yaml:"proxy" jsonschema_description:"Address of a proxy for this bot. Default: that of the channel."`
}

// Groups are the rules in groups and channels.
type Groups struct {
	Mention string `yaml:"mention" jsonschema:"enum=required,enum=off" jsonschema_description:"Whether a message in a group must speak to the bot. Default required."`
	Allow   []ID   `yaml:"allow" jsonschema_description:"Ids of the groups whose members may all write."`
}

// Levels are the highest levels of people other than owners on a channel.
type Levels struct {
	Direct string `yaml:"direct" jsonschema:"enum=none,enum=chat,enum=read,enum=write,enum=exec" jsonschema_description:"In direct chats. Default read."`
	Groups string `yaml:"groups" jsonschema:"enum=none,enum=chat,enum=read,enum=write,enum=exec" jsonschema_description:"In groups, for whoever writes there, the owners too. Default chat."`
}

// Webhook lets Telegram call the gateway instead of being polled.
type Webhook struct {
	Listen    string `yaml:"listen" jsonschema_description:"HOST:PORT to listen at."`
	PublicURL string `yaml:"public_url" jsonschema_description:"The https address under which Telegram reaches it."`
	Secret    Secret `yaml:"secret"`

	TrustedProxies []string `yaml:"trusted_proxies" jsonschema_description:"Addresses or networks of the proxies in front, such as 127.0.0.1 or 10.0.0.0/8: only their header X-Forwarded-For names the client. Default none: all that comes through a proxy counts as one client."`
}

// TelegramRate limits sending; 0 is no limit.
type TelegramRate struct {
	Chat           float64 `yaml:"chat" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"Messages a second in one chat. Default 1."`
	GroupPerMinute float64 `yaml:"group_per_minute" jsonschema:"minimum=0,maximum=60000" jsonschema_description:"Messages a minute in one group. Default 20."`
	Bot            float64 `yaml:"bot" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"Messages a second over all chats. Default 30."`
}

// Slack is one app in a Slack workspace.
type Slack struct {
	Enabled       bool      `yaml:"enabled" jsonschema_description:"Default false."`
	BotToken      Secret    `yaml:"bot_token"`
	AppToken      Secret    `yaml:"app_token"`
	APIURL        string    `yaml:"api_url" jsonschema_description:"Base of the Web API. Default https://slack.com/api/."`
	Events        Events    `yaml:"events"`
	Allow         []ID      `yaml:"allow" jsonschema_description:"Member ids of the users who may write: U… or TEAM/U…."`
	Pairing       string    `yaml:"pairing" jsonschema:"enum=on,enum=off" jsonschema_description:"Whether a stranger is told a code by which the operator can let them in. Default on."`
	AllowEveryone bool      `yaml:"allow_everyone" jsonschema_description:"Lets in whoever writes. Default false."`
	Channels      Groups    `yaml:"channels"`
	Levels        Levels    `yaml:"levels"`
	SendRate      SlackRate `yaml:"send_rate"`
	Stream        string    `yaml:"stream" jsonschema:"enum=auto,enum=edit,enum=native,enum=off" jsonschema_description:"How an answer is shown while it grows. Default auto."`
	Proxy         string    `yaml:"proxy" jsonschema_description:"Address of a proxy for this channel: http, https or socks5."`
}

// Events lets Slack call the gateway instead of Socket Mode.
type Events struct {
	Listen        string `yaml:"listen" jsonschema_description:"HOST:PORT to listen at, in plain HTTP: TLS ends in front of it."`
	SigningSecret Secret `yaml:"signing_secret"`

	TrustedProxies []string `yaml:"trusted_proxies" jsonschema_description:"Addresses or networks of the proxies in front, such as 127.0.0.1 or 10.0.0.0/8: only their header X-Forwarded-For names the client. Default none: all that comes through a proxy counts as one client."`
}

// SlackRate limits sending; 0 is no limit.
type SlackRate struct {
	Channel float64 `yaml:"channel" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"Messages a second in one channel. Default 1."`
}

// Duration is a time span such as 30s or 5m.
type Duration time.Duration

// String writes it as the file does.
func (d Duration) String() string { return time.Duration(d).String() }

// ID is a platform's id, written as a number or a text.
type ID string

// Default is the configuration of a gateway without a file; home stands for ~.
func Default(home string) *Config {
	state := filepath.Join(home, ".parley")
	return &Config{
		StateDir:  state,
		Workspace: filepath.Join(state, "workspace"),
		Log:       Log{Level: "info", Format: "console"},
		Agent: Agent{
			Model: "main", MaxToolIterations: 10, WhileBusy: "steer", Voice: VoiceKeep, Pictures: PicturesAnswer,
			Heartbeat: defaultHeartbeat(),
		},
		Budgets:   defaultBudgets(),
		Schedules: Schedules{PerChat: 20},
		Tools:     defaultTools(),

		Background: defaultBackground(),
		HTTP:       HTTP{FilesMB: defaultFilesMB},
		Channels: Channels{
			Inbox:   Inbox{MaxMB: 500},
			Console: Console{Enabled: true},
			Telegram: Telegram{
				APIURL: "https://api.telegram.org", Pairing: "on", Groups: Groups{Mention: "required"}, Stream: "auto",
				Levels:   Levels{Direct: "read", Groups: "chat"},
				SendRate: TelegramRate{Chat: 1, GroupPerMinute: 20, Bot: 30},
			},
			Slack: Slack{
				APIURL: "https://slack.com/api/", Pairing: "on", Channels: Groups{Mention: "required"}, Stream: "auto",
				Levels:   Levels{Direct: "read", Groups: "chat"},
				SendRate: SlackRate{Channel: 1},
			},
		},
	}
}

// SetDefaults lets the walker read the keys over the defaults.
func (m *Model) SetDefaults() { *m = DefaultModel() }

// DefaultModel is a model without any keys.
func DefaultModel() Model {
	return Model{
		Provider: ProviderOpenAI, BaseURL: "https://api.openai.com/v1",
		Timeouts: Timeouts{
			Connect: Duration(10 * time.Second), Idle: Duration(60 * time.Second), Total: Duration(300 * time.Second),
		},
	}
}
