package calc

import "fmt"

// ErrorKind is the kind of a mistake in an expression.
type ErrorKind string

// The kinds of [Error].
const (
	// ErrorSyntax: the text is not an expression.
	ErrorSyntax ErrorKind = "syntax"
	// ErrorDomain: an operation has no result, such as a division by zero.
	ErrorDomain ErrorKind = "domain"
	// ErrorLimit: the expression or one of its numbers is too large.
	ErrorLimit ErrorKind = "limit"
)

// Error is a mistake in an expression, with its place.
type Error struct {
	Kind ErrorKind
	// Position counts the characters of the expression from 1.
	Position int
	// Message says it in words.
	Message string
}

// Error gives the message with its position.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (at character %d)", e.Message, e.Position)
}

func syntaxError(pos int, format string, args ...any) error {
	return &Error{Kind: ErrorSyntax, Position: pos, Message: fmt.Sprintf(format, args...)}
}

func domainError(pos int, format string, args ...any) error {
	return &Error{Kind: ErrorDomain, Position: pos, Message: fmt.Sprintf(format, args...)}
}

func limitError(pos int, format string, args ...any) error {
	return &Error{Kind: ErrorLimit, Position: pos, Message: fmt.Sprintf(format, args...)}
}
