package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxArgumentBytes = 1 << 20
	maxArgumentDepth = 64
	maxNumberBytes   = 1000 // of one number
)

// jsonSpace is JSON's white space.
const jsonSpace = " \t\r\n"

// DecodeArguments decodes the arguments that a model wrote for a tool call.
//
// They must be one JSON object of at most 1 MiB and 64 levels. The empty string
// and null give an empty map, because models write both for "no arguments", and
// a JSON string that holds an object is decoded once more, because some models
// encode twice. Keys are exact; a key that appears twice in one object, text
// after the object, invalid UTF-8 and an escape that is half of a surrogate pair
// are refused.
//
// A number is a float64 where that gives the number's value back unchanged, else a
// json.Number; one that is out of the range of a float64 or longer than 1,000 bytes
// is refused. The error's text is fit to be shown to the model.
func DecodeArguments(raw string) (map[string]any, error) {
	_, args, err := readArguments(raw)
	return args, err
}

// readArguments also gives the text of the object, "" for no arguments.
func readArguments(raw string) (string, map[string]any, error) {
	text, err := objectText(raw)
	if err != nil {
		return "", nil, err
	}
	if text == "" {
		return "", map[string]any{}, nil
	}
	if hasHalfPair(text) {
		return "", nil, errors.New(`the arguments hold half of a surrogate pair: write the letter itself, or both halves such as \ud83d\ude00`)
	}
	args, err := decodeObject(text)
	return text, args, err
}

// decodeAnyLetters decodes arguments of an old history: half of a surrogate pair,
// which DecodeArguments refuses, becomes the replacement character.
func decodeAnyLetters(raw string) (map[string]any, error) {
	text, err := objectText(strings.ToValidUTF8(raw, string(utf8.RuneError)))
	if err != nil || text == "" {
		return map[string]any{}, err
	}
	return decodeObject(text)
}

// objectText finds the text of the object in a model's arguments, "" for no
// arguments.
func objectText(raw string) (string, error) {
	if len(raw) > maxArgumentBytes {
		return "", fmt.Errorf("the arguments are %d bytes long; at most %d are allowed", len(raw), maxArgumentBytes)
	}
	if !utf8.ValidString(raw) {
		return "", errors.New("the arguments are not valid UTF-8")
	}
	text := strings.Trim(raw, jsonSpace)
	if text == "" || text == "null" {
		return "", nil
	}
	if text[0] == '"' {
		var inner string
		if err := json.Unmarshal([]byte(text), &inner); err != nil {
			return "", fmt.Errorf("the arguments are not valid JSON: %w", err)
		}
		text = strings.Trim(inner, jsonSpace)
		if text == "" {
			return "", errors.New("the arguments are not valid JSON: an empty text")
		}
	}
	return text, nil
}

func decodeObject(text string) (map[string]any, error) {
	// The decoder's tokens alone do not tell that every bracket is in place.
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
	}
	if whole[0] != '{' {
		return nil, errors.New("the arguments must be a JSON object")
	}
	d := argumentDecoder{json.NewDecoder(bytes.NewReader(whole))}
	d.UseNumber()
	v, err := d.value(nil)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("the arguments must be a JSON object")
	}
	return m, nil
}

type argumentDecoder struct{ *json.Decoder }

// value decodes the next value; path leads to it.
func (d argumentDecoder) value(path []string) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("the argument at %q cannot be decoded: %w", strings.Join(path, "."), err)
	}
	if n, ok := t.(json.Number); ok {
		v, err := exactNumber(n)
		if err != nil {
			return nil, fmt.Errorf("the argument at %q cannot be decoded: %w", strings.Join(path, "."), err)
		}
		return v, nil
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if len(path) >= maxArgumentDepth {
		return nil, fmt.Errorf("the arguments are nested deeper than %d levels", maxArgumentDepth)
	}
	if delim == '[' {
		return d.list(path)
	}
	return d.object(path)
}

func (d argumentDecoder) object(path []string) (any, error) {
	m := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("the arguments cannot be decoded: %w", err)
		}
		key, ok := t.(string)
		if !ok {
			return nil, errors.New("the arguments hold a key that is no string")
		}
		inner := append(path, key) //nolint:gocritic // each level overwrites its own last element
		if _, twice := m[key]; twice {
			return nil, fmt.Errorf("the key %q appears twice", strings.Join(inner, "."))
		}
		if m[key], err = d.value(inner); err != nil {
			return nil, err
		}
	}
	return m, d.end()
}

func (d argumentDecoder) list(path []string) (any, error) {
	list := []any{}
	for d.More() {
		v, err := d.value(append(path, "[]"))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, d.end()
}

// end takes the closing bracket.
func (d argumentDecoder) end() error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the arguments cannot be decoded: %w", err)
	}
	return nil
}
