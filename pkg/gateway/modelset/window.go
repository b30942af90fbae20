package modelset

import (
	"context"
	"strings"
)

// The sizes of contexts that a configuration may have.
const (
	minContext = 2048
	maxContext = 10_000_000
)

// sized is the first size that a configuration may have, or 0.
func sized(sizes ...int) int {
	for _, n := range sizes {
		if n >= minContext && n <= maxContext {
			return n
		}
	}
	return 0
}

// Program asks a model server that the operator started for the size of a model's context
// and for the program, a row of package kinds. The size is that with which the model is
// loaded, so ask after a question to the model. Both are zero where the server is silent.
func Program(ctx context.Context, baseURL, model, key string) (size int, kind string) {
	listed, _ := List(ctx, baseURL, key) // the other ways may know it
	for _, m := range listed {
		if m.ID == model {
			size, kind = m.Context, m.Kind
		}
	}
	if size > 0 {
		return size, kind
	}
	root := strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1")
	type way = func(ctx context.Context, root, model string) (int, string)
	for _, way := range []way{loadedByOllama, loadedByLMStudio, loadedByLlama} {
		if n, program := way(ctx, root, model); program != "" {
			return n, program
		}
	}
	return 0, kind
}

// loadedByOllama asks for the models that are loaded.
func loadedByOllama(ctx context.Context, root, model string) (int, string) {
	const kind = "ollama"
	var loaded struct {
		Models *[]struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if Get(ctx, root+"/api/ps", "", &loaded) != nil || loaded.Models == nil {
		return 0, ""
	}
	for _, m := range *loaded.Models {
		if m.Name == model || m.Name == model+":latest" {
			return sized(m.Context), kind
		}
	}
	return 0, kind
}

// loadedByLMStudio asks for the size with which the model is loaded.
func loadedByLMStudio(ctx context.Context, root, model string) (int, string) {
	var known struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if Get(ctx, root+"/api/v0/models", "", &known) != nil {
		return 0, ""
	}
	for _, m := range known.Data {
		if m.ID == model {
			return sized(m.Loaded), "lmstudio"
		}
	}
	return 0, ""
}

// loadedByLlama asks llama.cpp for the size of one chat's part of its context.
func loadedByLlama(ctx context.Context, root, _ string) (int, string) {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if Get(ctx, root+"/props", "", &props) != nil || props.Settings.Context == 0 {
		return 0, ""
	}
	return sized(props.Settings.Context), "llamacpp"
}
