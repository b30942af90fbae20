package modelset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/pkg/config"
	"parley/pkg/providers/kinds"
)

// Bounds of a list of models.
const (
	maxList   = 1 << 20
	maxModels = 100
	maxID     = 200
)

// Listed is a model in the list of its server.
type Listed struct {
	ID string
	// Context is the size of its context as the list tells it, or 0 where it tells none that
	// a configuration may have; Kind is the program that serves it, a row of package kinds,
	// or "".
	Context int
	Kind    string
}

// Serving are the model servers on this machine that answer in time and have a model: those
// of the table of kinds at their usual ports, and Ollama where OLLAMA_HOST says.
func Serving(ctx context.Context, lookup func(string) (string, bool), limit time.Duration) []Candidate {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	local := localServers(lookup)
	var wg sync.WaitGroup
	for i := range local {
		wg.Go(func() {
			local[i].Models, _ = List(ctx, local[i].BaseURL, "") // a server that is not there has none
		})
	}
	wg.Wait()
	var all []Candidate
	for i := range local {
		if len(local[i].Models) > 0 {
			all = append(all, local[i])
		}
	}
	return all
}

// localServers are the model servers that are looked for.
func localServers(lookup func(string) (string, bool)) []Candidate {
	var all []Candidate
	rows := kinds.Servers()
	for i := range rows {
		if k := &rows[i]; k.Local {
			c := Candidate{Name: k.Name, Title: k.Title, Provider: config.ProviderOpenAI, BaseURL: k.BaseURL}
			if k.Name == "ollama" {
				host, _ := lookup("OLLAMA_HOST")
				c.BaseURL = ollamaAt(host) + "/v1"
			}
			all = append(all, c)
		}
	}
	return all
}

// ollamaAt is the address of an Ollama server, as Ollama's own client reads its variable:
// scheme, port and path may be there or not.
func ollamaAt(host string) string {
	const (
		loopback  = "127.0.0.1"
		usualPort = "11434"
	)
	host = strings.TrimSpace(host)
	_, _, schemed := strings.Cut(host, "://")
	if !schemed {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "http://" + net.JoinHostPort(loopback, usualPort)
	}
	name, port := u.Hostname(), u.Port()
	if name == "" || name == "0.0.0.0" || name == "::" { // the address on which a server listens, not its place
		name = loopback
	}
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case schemed:
		port = "80"
	default:
		port = usualPort
	}
	return (&url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(name, port), Path: strings.TrimRight(u.Path, "/")}).String()
}

// List asks a server of OpenAI's protocol for its models that can talk, with its key or "".
func List(ctx context.Context, baseURL, key string) ([]Listed, error) {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
			Max     int    `json:"max_model_len"` // of vLLM and SGLang
			Meta    struct {
				Context int `json:"n_ctx"` // of llama.cpp
			} `json:"meta"`
		} `json:"data"`
	}
	if err := Get(ctx, baseURL+"/models", key, &list); err != nil {
		return nil, err
	}
	var all []Listed
	for _, m := range list.Data {
		if m.ID == "" || len(m.ID) > maxID || strings.ContainsFunc(m.ID, unicode.IsControl) ||
			strings.Contains(m.ID, "embed") {
			continue
		}
		one := Listed{ID: m.ID, Context: sized(m.Max, m.Meta.Context)}
		if m.OwnedBy == "llamacpp" || m.OwnedBy == "vllm" || m.OwnedBy == "sglang" {
			one.Kind = m.OwnedBy
		}
		if all = append(all, one); len(all) == maxModels {
			break
		}
	}
	if len(all) == 0 {
		return nil, errors.New(textNoModels)
	}
	return all, nil
}

// Get reads the JSON at an address of a model server, with its key or "". Servers on this
// machine are asked without a proxy. No redirect is followed, so a key goes to no other server.
func Get(ctx context.Context, address, key string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	if !isHere(req.URL.Hostname()) {
		transport.Proxy = http.ProxyFromEnvironment
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: transport, CheckRedirect: stay}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf(textListStatus, address, resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(into); err != nil {
		return fmt.Errorf(textNoList, address, err)
	}
	return nil
}
