package offline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/pkg/providers"
	"parley/pkg/text"
)

// maxShown is how much of a tool's result an answer repeats.
const maxShown = 6000

// render tells the result of a call in plain words. A result without the tool's known
// shape is shown as it is.
func render(tc providers.ToolCall, result string) string {
	if _, wants := wantsZone(tc, result); wants {
		return askZone
	}
	if shown, ok := renderError(tc, result); ok {
		return shown
	}
	shown, ok := "", false
	switch tc.Name {
	case "calculator":
		shown, ok = renderNumber(result)
	case "current_time":
		shown, ok = renderTime(result)
	case "list_dir":
		shown, ok = renderListing(result)
	case "read_file":
		shown, ok = renderFile(tc, result)
	case "search_files":
		shown, ok = renderFound(result)
	case "file_info":
		shown, ok = renderInfo(result)
	case "write_file", "edit_file", "append_file", "delete_file":
		shown, ok = renderWritten(tc, result)
	case "send_file":
		shown, ok = result, true
	case scheduleTool:
		shown, ok = renderSchedule(argumentsOf(tc)["action"], result)
	case spawnTool:
		shown, ok = renderSpawn(result)
	}
	if ok {
		return shown
	}
	return tc.Name + ": " + short(result, maxShown)
}

func renderError(tc providers.ToolCall, result string) (string, bool) {
	var e struct {
		Error   bool   `json:"error"`
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(result), &e) != nil || !e.Error || e.Type == "" {
		return "", false
	}
	return fmt.Sprintf(textCallFailed, tc.Name, e.Type, short(e.Message, 1000)), true
}

func renderNumber(result string) (string, bool) {
	var r struct {
		Expression string      `json:"expression"`
		Result     json.Number `json:"result"`
		Rounded    bool        `json:"rounded"`
	}
	if json.Unmarshal([]byte(result), &r) != nil || r.Result == "" {
		return "", false
	}
	sign := "="
	if r.Rounded {
		sign = "≈"
	}
	return r.Expression + " " + sign + " " + r.Result.String(), true
}

func renderTime(result string) (string, bool) {
	var r struct {
		Time, Timezone string
		UTCOffset      string `json:"utc_offset"`
	}
	if json.Unmarshal([]byte(result), &r) != nil {
		return "", false
	}
	t, err := time.Parse(time.RFC3339, r.Time)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("It is %s on %s (%s, UTC%s).", t.Format("15:04:05"), t.Format("Monday, 2 January 2006"), r.Timezone, r.UTCOffset), true
}

type file struct {
	Path, Name, Type, Modified, Text string
	Size                             int64
	Line                             int
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

func renderListing(result string) (string, bool) {
	var r struct {
		Path      string
		Entries   []file
		Truncated bool
	}
	if json.Unmarshal([]byte(result), &r) != nil || r.Path == "" {
		return "", false
	}
	place := "the workspace"
	if r.Path != "." {
		place = r.Path
	}
	if len(r.Entries) == 0 {
		return "There are no files in " + place + ".", true
	}
	lines := []string{"In " + place + ":"}
	for _, f := range r.Entries {
		switch f.Type {
		case "dir":
			lines = append(lines, "- "+f.Name+"/")
		case "file":
			lines = append(lines, "- "+f.Name+" ("+bytesOf(f.Size)+")")
		default:
			lines = append(lines, "- "+f.Name+" ("+f.Type+")")
		}
	}
	if r.Truncated {
		lines = append(lines, textMore)
	}
	return short(strings.Join(lines, "\n"), maxShown), true
}

func renderFile(tc providers.ToolCall, result string) (string, bool) {
	name, _ := argumentsOf(tc)["path"].(string)
	var r struct {
		Encoding  string
		Content   string
		Size      int64
		Truncated bool
	}
	if json.Unmarshal([]byte(result), &r) != nil || r.Encoding == "" {
		return "", false
	}
	switch {
	case r.Size == 0:
		return name + " is empty.", true
	case r.Encoding != "utf-8":
		return name + " is not a text: it is a binary file of " + bytesOf(r.Size) + ".", true
	case r.Truncated:
		return name + " (the beginning; " + bytesOf(r.Size) + " in all):\n" + short(r.Content, maxShown), true
	default:
		return name + ":\n" + short(r.Content, maxShown), true
	}
}

func renderWritten(tc providers.ToolCall, result string) (string, bool) {
	var r struct {
		Success bool
		Path    string
		Size    int64
	}
	if json.Unmarshal([]byte(result), &r) != nil || !r.Success {
		return "", false
	}
	if tc.Name == "delete_file" {
		return r.Path + " is deleted.", true
	}
	return r.Path + " is written (" + bytesOf(r.Size) + ").", true
}

func renderFound(result string) (string, bool) {
	var r struct {
		Results   []file
		Count     *int `json:"result_count"`
		Truncated bool
	}
	if json.Unmarshal([]byte(result), &r) != nil || r.Count == nil {
		return "", false
	}
	if len(r.Results) == 0 {
		return "I found nothing.", true
	}
	lines := []string{"I found:"}
	for _, f := range r.Results {
		if f.Line == 0 {
			lines = append(lines, "- "+f.Path+" ("+bytesOf(f.Size)+")")
			continue
		}
		lines = append(lines, fmt.Sprintf("- %s, line %d: %s", f.Path, f.Line, f.Text))
	}
	if r.Truncated {
		lines = append(lines, textMore)
	}
	return short(strings.Join(lines, "\n"), maxShown), true
}

func renderInfo(result string) (string, bool) {
	var f struct {
		file

		Exists *bool
	}
	switch {
	case json.Unmarshal([]byte(result), &f) != nil, f.Path == "":
		return "", false
	case f.Exists != nil && !*f.Exists:
		return "There is no " + f.Path + ".", true
	case f.Type == "":
		return "", false
	}
	kind := map[string]string{"dir": "a folder", "file": "a file of " + bytesOf(f.Size), "symlink": "a symbolic link"}[f.Type]
	if kind == "" {
		kind = "neither a file nor a folder"
	}
	return fmt.Sprintf("%s is %s, changed at %s.", f.Path, kind, f.Modified), true
}

// short cuts a text to n bytes and says so.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return text.Head(s, n) + fmt.Sprintf("… (cut here; %d bytes in all)", len(s))
}

func itoa(n int) string { return strconv.Itoa(n) }
