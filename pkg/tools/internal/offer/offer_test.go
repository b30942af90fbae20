package offer_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools/internal/offer"
)

// many are n tools by name, and one that finds the others.
func many(n int) []providers.ToolDefinition {
	all := []providers.ToolDefinition{{Function: providers.FunctionDefinition{Name: "find", Description: "Find tools."}}}
	for i := range n {
		all = append(all, providers.ToolDefinition{Function: providers.FunctionDefinition{Name: fmt.Sprintf("tool_%04d", i)}})
	}
	return all
}

// TestNamesInTheDescription are all of a few, and of many as many as have room.
func TestNamesInTheDescription(t *testing.T) {
	t.Parallel()
	var lists offer.Lists
	f := offer.Finding{All: many(2), Finder: "find"}
	if got, want := f.Tools(&lists)[0].Function.Description, "Find tools. Tools: tool_0000, tool_0001."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := f.All[0].Function.Description; got != "Find tools." {
		t.Errorf("the definition that all share is changed: %q", got)
	}
	f.All = many(1000)
	got := f.Tools(&lists)[0].Function.Description
	named := strings.Count(got, "tool_")
	if want := fmt.Sprintf(" and %d more.", 1000-named); len(got) > 1540 || named < 100 || !strings.HasSuffix(got, want) {
		t.Errorf("%d bytes, %d names: %q", len(got), named, got)
	}
	for _, all := range [][]providers.ToolDefinition{many(0), nil} {
		f.All = all
		if got := f.Tools(&lists); got != nil {
			t.Errorf("with none to find: %v", got)
		}
	}
}

// TestListsAreShared: requests with the same tools have the same list, also where more kinds
// of lists were made than are kept.
func TestListsAreShared(t *testing.T) {
	t.Parallel()
	var lists offer.Lists
	all := many(600)
	ask := func(name string) []providers.ToolDefinition {
		f := offer.Finding{All: all, Finder: "find", Also: name}
		list := f.Tools(&lists)
		if len(list) != 2 || list[0].Function.Name != "find" || list[1].Function.Name != name {
			t.Fatalf("got %v for %s", list, name)
		}
		return list
	}
	first := ask("tool_0000")
	for i := range 600 {
		ask(fmt.Sprintf("tool_%04d", i))
	}
	if again := ask("tool_0000"); &first[0] != &again[0] {
		t.Error("the list is another one")
	}
}
