// Package openai asks model servers that speak the OpenAI chat completions
// protocol: OpenAI itself, OpenRouter, Gemini's and Groq's compatible endpoints,
// Ollama, llama.cpp, vLLM and many more.
//
// What it promises:
//
//   - One call of Chat or ChatStream is one answer. It asks again by itself only
//     where a server refused a parameter as such (temperature, max_tokens,
//     stream_options, missing reasoning), before anything was answered, and
//     remembers the refusal per model. Every other retry is [providers.Retry]'s.
//   - An answer counts only when it ended properly: with a finish reason, or with
//     [DONE]. Anything else is an error of KindCut.
//   - Time and memory are bounded whatever the server does: an idle limit, a total
//     limit, and a cap on what is read of one answer.
//   - No error holds the key or the credentials of a base URL.
//
// The work is done by go-openai behind an HTTP client of our own (doer.go) that
// keeps what the library drops. The other files, request.go, response.go, stream.go
// and errors.go among them, are one translation each.
//
// To support one more deviation of a server: add its recorded shape to the table
// of the file that translates it, then the code.
package openai
