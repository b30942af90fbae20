package httpd

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// tokenPrefix tells people, and programs that look for leaked secrets, where a token belongs.
const tokenPrefix = "parley_"

// NewToken returns the secret of a token, with 256 random bits, and its hash.
func NewToken() (secret string, hash [sha256.Size]byte) {
	secret = tokenPrefix + random()
	return secret, sha256.Sum256([]byte(secret))
}

// NewSession returns the secret of a browser's session, with 256 random bits, and its hash.
func NewSession() (secret string, hash [sha256.Size]byte) {
	secret = random()
	return secret, sha256.Sum256([]byte(secret))
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// SessionHash is the hash under which a session is kept. Ok says that the text can be the
// secret of one: none is that of a token.
func SessionHash(secret string) (hash [sha256.Size]byte, ok bool) {
	if len(secret) != base64.RawURLEncoding.EncodedLen(32) {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// TokenHash is the hash under which a token is kept. Ok says that the text can be one: other
// texts, of any length, are not looked up.
func TokenHash(secret string) (hash [sha256.Size]byte, ok bool) {
	rest, ok := strings.CutPrefix(secret, tokenPrefix)
	if !ok || len(rest) != base64.RawURLEncoding.EncodedLen(32) {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}
