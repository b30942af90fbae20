package modelset_test

import (
	"slices"
	"testing"

	"parley/pkg/agent/turn"
	"parley/pkg/config"
)

// TestModelsForSenses: a model that writes down speech does nothing else, descriptions come from a model
// that takes pictures, and translations from the chat's model unless a role says otherwise.
func TestModelsForSenses(t *testing.T) {
	t.Parallel()
	images := func(m *config.Model) { m.Images = true }
	spare := func(m *config.Model) { m.Fallbacks = &[]string{"spare"} }
	models := func() map[string]*config.Model {
		return map[string]*config.Model{
			"main": model("M"), "eyes": model("E", images), "more": model("O", images), "ears": model("W", spare), "spare": model("R"),
		}
	}
	s := makeSet(t, &config.Config{Agent: config.Agent{Model: "main"}, Models: models(), Roles: config.Roles{Transcribe: "ears"}})
	for role, want := range map[turn.Role]string{
		turn.RoleTranscribe: "W", turn.RoleDescribe: "E", turn.RoleTranslate: "M", turn.RoleVision: "M",
	} {
		if got := s.For(role, other(), ""); got.Name != want || got.Provider == nil {
			t.Errorf("%s: %s, want %s", role, got.Name, want)
		}
	}
	if got := s.For(turn.RoleDescribe, other(), "more").Name; got != "O" {
		t.Errorf("in a chat whose own model sees, %s describes", got)
	}
	var names []string
	for _, c := range s.Choices() {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"main", "eyes", "more"}) || !s.Hears() || !s.Sees() {
		t.Errorf("the choices are %q; hears %v, sees %v", names, s.Hears(), s.Sees())
	}
	speech := map[string]bool{}
	for _, r := range s.Reports() {
		speech[r.Name] = r.Speech
	}
	if len(speech) != 5 || !speech["ears"] || !speech["spare"] || speech["main"] {
		t.Errorf("the reports tell of speech: %v", speech)
	}
	blind := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main"}, Models: map[string]*config.Model{"main": model("M")}, Roles: config.Roles{Transcribe: "main"},
	})
	if got := blind.For(turn.RoleDescribe, other(), ""); got.Provider != nil || blind.Sees() {
		t.Errorf("%s describes", got.Name)
	}
	if len(blind.Choices()) != 1 || !blind.Hears() {
		t.Error("a model of two purposes cannot be chosen")
	}
}
