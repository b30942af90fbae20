// Package speech asks models that write down speech, through the route
// /audio/transcriptions of the OpenAI protocol: OpenAI, Groq, vLLM, LocalAI and the server
// of whisper.cpp.
//
// It is a [providers.LLMProvider] whose prompt is a recording, the option
// [providers.OptionRecording]; so retries, further keys, prices and budgets are those of any
// other model. The messages are not sent: they may stand for the request where its tokens
// are estimated.
//
// It promises:
//
//   - A recording is read while the request is sent; no request holds all of its bytes.
//   - A recording above [MaxSize], or that has changed its size, is refused before a byte
//     leaves, with an error of [providers.KindTooLong].
//   - An answer has at most 1 MiB on the wire and a deadline, and its words are valid UTF-8.
//   - Each error is a [providers.Error] with a kind, or the context's.
package speech
