package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/strictmodel"
)

// initKey is the key of a model server, which neither a file nor a screen may show.
const initKey = "sk-canary-4Xb81Lq0Zt77"

// newcomer is a home without a configuration.
type newcomer struct {
	t    *testing.T
	home string
	env  []string // the whole environment beside PATH, HOME and the place of Ollama
}

func newNewcomer(t *testing.T, env ...string) *newcomer {
	t.Helper()
	return &newcomer{t: t, home: t.TempDir(), env: env}
}

// run runs a command with this input, in an environment that has nothing else, to this exit
// code. It returns both outputs.
func (n *newcomer) run(code int, input string, args ...string) (screen string) {
	n.t.Helper()
	cmd := exec.CommandContext(n.t.Context(), "gateway", args...)
	cmd.Dir = n.home
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + n.home, "OLLAMA_HOST=127.0.0.1:1"}, n.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = patience
	cmd.Stdin = strings.NewReader(input)
	out, _ := cmd.CombinedOutput() // the code says how it ended
	if bytes.Contains(out, []byte(initKey)) {
		n.t.Errorf("the key is on screen: %s", out)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		n.t.Fatalf("%q ends with %d, want %d: %s", args, got, code, out)
	}
	return string(out)
}

// has expects each of these texts in another one.
func has(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// file is the configuration, or "" where there is none. It holds no key, and nobody else may
// read it.
func (n *newcomer) file() string {
	n.t.Helper()
	path := filepath.Join(n.home, ".parley", "parley.yaml")
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return ""
	}
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 || bytes.Contains(raw, []byte(initKey)) {
		n.t.Errorf("%v, %v, %v: %s", err, statErr, info.Mode(), raw)
	}
	return string(raw)
}

// obeying is a model that calls the tool of the check, and answers all else.
func obeying(r fakemodel.Request) fakemodel.Answer {
	for i := range r.Tools {
		if r.Tools[i].Function.Name == "add" {
			return fakemodel.Call("add", `{"a":17,"b":25}`)
		}
	}
	return fakemodel.Echo(r)
}

// localServer is a model server on this machine; extra are its own pages beside OpenAI's.
func localServer(t *testing.T, o fakemodel.Options, extra map[string]string) (url string) {
	t.Helper()
	if o.Script == nil {
		o.Script = obeying
	}
	model := fakemodel.NewHandler(o)
	mux := http.NewServeMux()
	mux.Handle("/", model.Handler())
	for path, body := range extra {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
	}
	s := httptest.NewServer(mux)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		if got := model.Violations(); len(got) > 0 {
			t.Errorf("the model server was asked wrongly: %q", got)
		}
	})
	return s.URL
}

// TestInitToTheFirstAnswer is one command from nothing to an answer, with a model server on
// this machine.
func TestInitToTheFirstAnswer(t *testing.T) {
	t.Parallel()
	models := fakemodel.Options{Models: []string{"nomic-embed-text", "qwen3:8b", "llama3.2:latest"}}
	url := localServer(t, models, map[string]string{
		"/api/ps": `{"models":[{"name":"qwen3:8b","model":"qwen3:8b","context_length":16384}]}`,
	})
	n := newNewcomer(t, "OLLAMA_HOST="+url)
	has(t, n.run(0, "is anybody there?\n", "init", "--chat"), "called the tool", "echo: is anybody there?")
	has(t, n.file(), "  model: ollama ", "    model: qwen3:8b\n", "    base_url: "+url+"/v1\n", "    kind: ollama ",
		"    context: 16384 ")
	n.run(0, "", "config", "check")
	has(t, n.run(0, "and later?\n", "chat"), "echo: and later?")
	n.run(0, "", "init", "--force", "--model", "llama3.2")
	has(t, n.file(), "model: llama3.2:latest\n")
	has(t, n.run(2, "", "init", "--force", "--model", "gone"), "qwen3:8b, llama3.2:latest")
}

// TestInitWithOneKey goes from a bare environment with the key of one provider to the first
// answer. A variable of the provider's own programs gives the server's address.
func TestInitWithOneKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wire                 strictmodel.Wire
		key, address, suffix string
		path                 string // of the address in the file
		header               string
	}{
		"openai":    {strictmodel.OpenAI, "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "/v1", "Authorization"},
		"anthropic": {strictmodel.Anthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "", "", "X-Api-Key"},
		"gemini":    {strictmodel.Gemini, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "", "/v1beta", "X-Goog-Api-Key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := strictmodel.New(c.wire, obeying)
			handler := model.Handler()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.Header.Get(c.header), initKey) {
					http.Error(w, `{"error":{"message":"no key"}}`, http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(s.Close)
			n := newNewcomer(t, c.key+"="+initKey, c.address+"="+s.URL+c.suffix)
			out := n.run(0, "hello\n", "init", "--chat")
			has(t, out, "called the tool")
			if !regexp.MustCompile(`echo: (?s:.*)hello\n`).MatchString(out) {
				t.Errorf("no answer: %s", out)
			}
			has(t, n.file(), "api_key: env:"+c.key, "base_url: "+s.URL+c.path+"\n")
			if got := model.Violations(); len(got) > 0 {
				t.Errorf("the server was asked wrongly: %q", got)
			}
		})
	}
}

// TestInitWithoutAnAnswer: no configuration is written with a model that does not answer, and
// the next server that was found is asked.
func TestInitWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"the key %s is wrong","code":"invalid_api_key"}}`, initKey)
	}))
	t.Cleanup(refusing.Close)
	key := []string{"OPENAI_API_KEY=" + initKey, "OPENAI_BASE_URL=" + refusing.URL + "/v1"}
	n := newNewcomer(t, key...)
	has(t, n.run(1, "", "init"), "put a valid key into OPENAI_API_KEY", "nothing is written")
	if text := n.file(); text != "" {
		t.Errorf("it wrote\n%s", text)
	}
	n.run(0, "", "init", "--no-test")
	has(t, n.file(), "api_key: env:OPENAI_API_KEY")

	url := localServer(t, fakemodel.Options{Script: fakemodel.Echo, Models: []string{"talker"}}, nil)
	n = newNewcomer(t, append(key, "OLLAMA_HOST="+url)...)
	has(t, n.run(0, "", "init"), "talker answered", "called no tool")
	has(t, n.file(), "\n  model: ollama ")
}

// TestInitLeavesAnAddressAside: a key is not sent unencrypted, wherever a variable points.
func TestInitLeavesAnAddressAside(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://model.example/v1", "https://ann:secret@model.example/v1", "model.example"} {
		n := newNewcomer(t, "OPENAI_API_KEY="+initKey, "OPENAI_BASE_URL="+address)
		has(t, n.run(0, "", "init", "--no-test"), "OPENAI_BASE_URL is left aside")
		has(t, n.file(), "base_url: https://api.openai.com/v1\n")
	}
}

// TestInitAsksForTheWindow: each program tells the size of its context in its own way.
func TestInitAsksForTheWindow(t *testing.T) {
	t.Parallel()
	page := func(path, body string) map[string]string { return map[string]string{path: body} }
	list := func(rest string) map[string]string {
		return page("/v1/models", `{"object":"list","data":[{"id":"m-1","object":"model",`+rest+`}]}`)
	}
	for name, c := range map[string]struct {
		pages   map[string]string
		context string
		kind    string
	}{
		"ollama":     {page("/api/ps", `{"models":[{"name":"m-1:latest","context_length":4096}]}`), "4096", "ollama"},
		"old ollama": {page("/api/ps", `{"models":[{"name":"m-1"}]}`), "", "ollama"},
		"llama.cpp":  {page("/props", `{"default_generation_settings":{"n_ctx":8448},"total_slots":4}`), "8448", "llamacpp"},
		"llama.cpp of today": {
			list(`"owned_by":"llamacpp","meta":{"n_ctx":65536,"n_ctx_train":131072}`), "65536", "llamacpp",
		},
		"LM Studio": {
			page("/api/v0/models", `{"data":[{"id":"m-1","max_context_length":131072,"loaded_context_length":12000}]}`),
			"12000", "lmstudio",
		},
		"vLLM":    {list(`"owned_by":"vllm","max_model_len":32768`), "32768", "vllm"},
		"SGLang":  {list(`"owned_by":"sglang","max_model_len":40960`), "40960", "sglang"},
		"tiny":    {list(`"owned_by":"vllm","max_model_len":512`), "", "vllm"},
		"another": {nil, "", ""},
		"a bad one": {
			map[string]string{"/api/ps": "<html>", "/api/v0/models": `[]`, "/props": `{"default_generation_settings":7}`},
			"", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := localServer(t, fakemodel.Options{Models: []string{"m-1"}}, c.pages)
			n := newNewcomer(t)
			n.run(0, "", "init", "--url", url)
			if got := valueOf(n.file(), "context"); got != c.context {
				t.Errorf("the context is %q, want %q", got, c.context)
			}
			if got := valueOf(n.file(), "kind"); got != c.kind {
				t.Errorf("the kind is %q, want %q", got, c.kind)
			}
			if got := valueOf(n.file(), "lazy"); (got == "true") != (c.context == "4096") {
				t.Errorf("tools are found on demand: %q", got)
			}
			has(t, n.run(0, "hello\n", "chat"), "echo: hello")
		})
	}
}

// valueOf is the value of a key of a model in a configuration.
func valueOf(text, key string) string {
	m := regexp.MustCompile(`(?m)^ +` + key + `: (\S+)`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}
