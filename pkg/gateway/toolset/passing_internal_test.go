package toolset

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/tools"
)

// TestAChatOfOneRequestHasNoToolThatNeedsALastingOne: no files, nothing that comes later,
// and no past to search. Other chats of the person have all tools.
func TestAChatOfOneRequestHasNoToolThatNeedsALastingOne(t *testing.T) {
	t.Parallel()
	s := describe(config.Default(t.TempDir()), func(string) (string, bool) { return "", false })
	offered := func(chat string) []string {
		at := channels.Address{Channel: "web", Chat: chat}
		return s.Registry.Filter(func(name string, _ tools.Annotations) bool { return s.Offered(at, name) }).List()
	}
	all := offered("web:ada.main")
	lacks := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(offered("web:ada."+channels.PassingID+"1"), name)
	})
	want := []string{
		"append_file", "delete_file", "describe_image", "edit_file", "file_info", "list_dir", "read_file", "remember", "schedule",
		"search_files", "search_history", "send_file", "spawn", "subagent", "tasks", "transcribe_audio", "translate", "write_file",
	}
	if d := cmp.Diff(want, lacks); d != "" {
		t.Errorf("a chat of one request lacks (-want +got):\n%s\nof %q", d, all)
	}
}
