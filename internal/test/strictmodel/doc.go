// Package strictmodel serves models of four wires with real HTTP: OpenAI's, Anthropic's,
// Gemini's and llama.cpp's form of OpenAI's. Its scripts are those of package fakemodel,
// so one script answers on each of them.
//
// It promises to be as strict as the real servers about a conversation: fields that the
// wire does not know, a call without its one result, a result in another place, ids and
// names of another form, a signature that this server did not give to these very thoughts
// or to this call, or the lack of a signature that it wants back, are HTTP 400 and counted
// as violations. A server gives ids in its own wire's form.
//
// To add a wire: a file with the form of its requests and a function that translates one,
// a file with its answers, and a case in [Server.Handler].
package strictmodel
