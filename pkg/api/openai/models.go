package openai

import (
	"fmt"
	"net/http"
	"slices"

	"parley/pkg/httpd"
)

// ownModel stands for the model that the gateway gives a chat by itself: the one that a token
// without a list of models has.
const ownModel = "parley"

// model is a model on the wire.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (a *API) model(id string) model {
	return model{ID: id, Object: "model", Created: a.began.Unix(), OwnedBy: "parley"}
}

// modelsOf are the ids of a token's models: those of its list that the gateway has.
func (a *API) modelsOf(c *httpd.Caller) []string {
	if len(c.Models) == 0 {
		return []string{ownModel}
	}
	known := a.o.Models()
	var ids []string
	for _, id := range c.Models {
		if slices.Contains(known, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (a *API) listModels(w http.ResponseWriter, _ *http.Request, c *httpd.Caller) *httpd.Refusal {
	all := []model{}
	for _, id := range a.modelsOf(c) {
		all = append(all, a.model(id))
	}
	return a.answer(w, map[string]any{"object": "list", "data": all})
}

func (a *API) oneModel(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	id := r.PathValue("id")
	if !slices.Contains(a.modelsOf(c), id) {
		return unknownModel(id)
	}
	return a.answer(w, a.model(id))
}

// choose is the choice of a model that a request makes: "" is the chat's own.
func (a *API) choose(c *httpd.Caller, id string) (string, *httpd.Refusal) {
	switch {
	case id == "":
		return "", bad("model", textNoModel)
	case !slices.Contains(a.modelsOf(c), id):
		return "", unknownModel(id)
	case id == ownModel && len(c.Models) == 0:
		return "", nil
	}
	return id, nil
}

func unknownModel(id string) *httpd.Refusal {
	return &httpd.Refusal{
		Status: http.StatusNotFound, Code: "model_not_found", Message: fmt.Sprintf(textUnknownModel, id), Param: "model",
	}
}
