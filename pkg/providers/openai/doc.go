// Package openai asks model servers that speak the OpenAI chat completions protocol:
// OpenAI itself, OpenRouter, Gemini's and Groq's compatible endpoints, Ollama,
// llama.cpp, vLLM and many more.
//
// It promises:
//
//   - One call of Chat or ChatStream is one answer. It asks again by itself only if a
//     server refused a parameter as such (temperature, max_tokens, stream_options,
//     missing reasoning), before any part of an answer, and remembers the refusal per
//     model. Every other retry is [providers.Retry]'s.
//   - An answer counts only if it ended properly: with a finish reason, or with
//     [DONE]. Any other end is an error of KindCut.
//   - Time and memory are bounded whatever the server does: an idle limit, a total
//     limit, and a cap on the size of one answer.
//   - Errors contain neither the key nor the credentials of a base URL.
//
// go-openai writes the requests without their conversations, once for each form of
// settings (form.go), and the room exchange sends them and reads the answers. The other
// files, request.go, messages.go, response.go and stream.go among them, are one translation
// each.
//
// To support one more deviation of a server: add its recorded shape to the table of
// the file that translates it, then the code.
package openai
