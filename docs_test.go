package parley_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/pkg/config"
)

// TestConfigurationIsDocumented finds keys that docs/configuration.md leaves out.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	text := strings.Join(yamlBlocks(t, "docs/configuration.md"), "\n")
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	properties(schema, keys)
	if !keys["state_dir"] || !keys["max_parallel"] {
		t.Fatalf("the schema's keys were not found: %v", keys)
	}
	for key := range keys {
		if !regexp.MustCompile(`(?m)(^\s*|[{,] ?)` + key + `:`).MatchString(text) {
			t.Errorf("docs/configuration.md does not know %s", key)
		}
	}
}

// properties collects the names of all properties of a JSON Schema.
func properties(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if names, ok := v["properties"].(map[string]any); ok {
			for name := range names {
				into[name] = true
			}
		}
		for _, e := range v {
			properties(e, into)
		}
	case []any:
		for _, e := range v {
			properties(e, into)
		}
	}
}

func yamlBlocks(t *testing.T, doc string) []string {
	t.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)\n```yaml\n(.*?\n)```\n").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestThePicturesOfTheReadme are there, and small; make docs makes them anew.
func TestThePicturesOfTheReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`).FindAllStringSubmatch(string(text), -1)
	if len(named) == 0 {
		t.Fatal("README.md shows no picture")
	}
	for _, m := range named {
		picture, err := os.ReadFile(m[1])
		if err != nil {
			t.Error(err)
			continue
		}
		if width, err := pictureWidth(picture); err != nil || width < 600 {
			t.Errorf("%s: %d wide, %v", m[1], width, err)
		}
		if len(picture) > 150_000 {
			t.Errorf("%s has more than 150 kB", m[1])
		}
	}
}

// pictureWidth is the width of a picture, SVG or PNG.
func pictureWidth(picture []byte) (int, error) {
	if bytes.HasPrefix(picture, []byte("<svg")) {
		var head struct {
			Width int `xml:"width,attr"`
		}
		err := xml.Unmarshal(picture, &head)
		return head.Width, err
	}
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	return size.Width, err
}
