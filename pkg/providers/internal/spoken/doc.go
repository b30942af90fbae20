// Package spoken reads the markup that models write into the text of an answer:
// reasoning between tags, and tool calls that a server passed on as text.
//
// It promises to an adapter:
//
//   - Reasoning counts at the beginning of an answer only, and a call only as its
//     whole rest, outside code and quotations. All other text is shown as it came, an
//     unclosed tag too.
//   - A call is read in the [Forms] that the model is known to write. A call whose text
//     occurs in a message of the request stays text: a web page cannot speak as the model.
//   - The pieces in which an answer arrives do not change the outcome. The emitted text is
//     the content of the answer, and time and memory grow with its length alone.
//
// To support one more family: add its tags to the table in reasoning.go, or its calls to the
// table in forms.go with a parser, and an answer of it to the tables of the tests.
package spoken
