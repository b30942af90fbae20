package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/modelset"
)

// maxShown is how many models of a server are offered by their numbers.
const maxShown = 20

// askModel asks which model shall answer: the server, its address where it is none that was
// found, and its model where it has several.
func (s *setup) askModel(ctx context.Context, found []modelset.Candidate) (*entry, error) {
	options := make([]string, 0, len(found)+2)
	for i := range found {
		options = append(options, describe(&found[i]))
	}
	options = append(options, textOtherServer, textOfflineChoice)
	usual := 0
	if len(found) == 0 {
		usual = len(options) - 1
		if err := s.say(textNoKeys, admin.Program()); err != nil {
			return nil, err
		}
	}
	i, err := s.choose(textAskModel, options, usual)
	switch {
	case err != nil:
		return nil, err
	case i == len(options)-1:
		return &entry{name: modelset.Offline}, nil
	case i == len(found):
		return s.askOther(ctx)
	}
	return s.askOne(&found[i])
}

func describe(c *modelset.Candidate) string {
	switch {
	case c.Variable == "":
		address := strings.TrimSuffix(c.BaseURL, "/v1")
		return fmt.Sprintf(textLocalChoice, c.Title, c.Models[0].ID, more(len(c.Models)-1), address)
	case c.Moved != "":
		return fmt.Sprintf(textMovedChoice, c.Title, c.Models[0].ID, c.Variable, c.Moved)
	}
	return fmt.Sprintf(textKeyChoice, c.Title, c.Models[0].ID, c.Variable)
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(textMore, n)
}

// askOther asks for the address of a server.
func (s *setup) askOther(ctx context.Context) (*entry, error) {
	for range attempts {
		address, err := s.Ask(textAskAddress)
		if err != nil {
			return nil, err
		}
		c, err := s.other(ctx, address)
		if err == nil {
			return s.askOne(c)
		}
		if err := s.say(textNoServer, err); err != nil {
			return nil, err
		}
	}
	return nil, usage(errors.New(textGaveUp))
}

// askOne asks which of the models of a server is meant, if it has several.
func (s *setup) askOne(c *modelset.Candidate) (*entry, error) {
	if len(c.Models) == 1 {
		return entryOf(c, c.Models[0]), nil
	}
	shown := c.Models[:min(len(c.Models), maxShown)]
	options := make([]string, len(shown))
	for i, m := range shown {
		options[i] = m.ID
	}
	i, err := s.choose(textAskWhich, options, 0)
	if err != nil {
		return nil, err
	}
	return entryOf(c, c.Models[i]), nil
}

// choose asks for one of some options by its number; an empty line is the usual one.
func (s *setup) choose(question string, options []string, usual int) (int, error) {
	var b strings.Builder
	fmt.Fprintln(&b, question)
	for i, option := range options {
		fmt.Fprintf(&b, "  %2d  %s\n", i+1, option)
	}
	if err := s.say("%s", b.String()); err != nil {
		return 0, err
	}
	for range attempts {
		line, err := s.Ask(fmt.Sprintf(textAskNumber, usual+1))
		if err != nil {
			return 0, err
		}
		if line = strings.TrimSpace(line); line == "" {
			return usual, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
		if err := s.say(textNoNumber, len(options)); err != nil {
			return 0, err
		}
	}
	return 0, usage(errors.New(textGaveUp))
}

// choosePlatforms has the platforms chosen beside the console.
func (s *setup) choosePlatforms(p *plan) error {
	chosen := s.Flags.Channels
	if s.Ask != nil && len(chosen) == 0 && !s.Flags.None {
		choices := [][]string{nil, {telegram}, {slack}, {telegram, slack}}
		usual := 0
		for i, names := range choices {
			if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return len(s.lacking(name)) > 0 }) {
				usual = i
			}
		}
		i, err := s.choose(textAskChannels, []string{textOnlyConsole, textTelegram, textSlack, textBoth}, usual)
		if err != nil {
			return err
		}
		chosen = choices[i]
	}
	for _, name := range platforms() {
		if slices.Contains(chosen, name) {
			lacking := s.lacking(name)
			p.platforms = append(p.platforms, platform{name: name, on: len(lacking) == 0, lacking: lacking})
		}
	}
	return nil
}

// lacking are the variables of a platform's tokens that are not set.
func (s *setup) lacking(name string) []string {
	return slices.DeleteFunc(tokens()[name], func(variable string) bool {
		value, _ := s.LookupEnv(variable)
		return strings.TrimSpace(value) != ""
	})
}
