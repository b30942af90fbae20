package console

import "testing"

// TestCommandsThatComeLate: a person types a command before the gateway has told its own. The open menu has them
// when they come, unless the person has chosen from it.
func TestCommandsThatComeLate(t *testing.T) {
	t.Parallel()
	for name, moved := range map[string]bool{"typed": false, "chosen": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e composer
			e.line.Insert("/co")
			e.changed()
			if len(e.menu.items) != 1 {
				t.Fatalf("before there are %v", e.menu.items)
			}
			if moved {
				e.menu.move(1)
			}
			e.learn([]Command{{Name: "compact"}, {Name: "new"}})
			if n := len(e.menu.items); (n == 2) == moved {
				t.Errorf("the menu is %v", e.menu.items)
			}
		})
	}
}
