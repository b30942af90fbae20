package api

import (
	"errors"
	"strconv"
	"strings"
)

// accountOf is the part of a token before its colon: the bot's id, known without a
// request. The error does not show the token.
func accountOf(token string) (string, error) {
	account, secret, _ := strings.Cut(token, ":")
	id, err := strconv.ParseInt(account, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != account || !IsWord(secret) {
		return "", errors.New("telegram: the token is not of the form 123456:ABC…")
	}
	return account, nil
}

// IsWord says that s is made of letters, digits, _ and -, and not empty.
func IsWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}
