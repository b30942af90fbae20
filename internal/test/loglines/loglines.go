package loglines

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Check gives one error for each line of log that is no JSON object, or that has a key
// twice.
func Check(log []byte) []error {
	var all []error
	for line := range bytes.Lines(log) {
		if err := check(line); err != nil {
			all = append(all, fmt.Errorf("a line of the log: %w: %s", err, line))
		}
	}
	return all
}

// Objects gives the lines of log that begin as JSON objects: the output of a process
// may hold a console's own lines, or the stack of a panic, beside its log.
func Objects(log []byte) []byte {
	var objects []byte
	for line := range bytes.Lines(log) {
		if bytes.HasPrefix(line, []byte("{")) {
			objects = append(objects, line...)
		}
	}
	return objects
}

func check(line []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		return fmt.Errorf("no JSON object: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name := fmt.Sprint(key)
		if seen[name] {
			return fmt.Errorf("the key %s is there twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}
