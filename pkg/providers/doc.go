// Package providers is the model vocabulary: messages, tool calls, definitions,
// answers, stream events and errors that carry a decision. It is a leaf: it
// imports nothing else of Parley, and each subpackage adapts one wire protocol
// to it.
//
// What it promises to its callers:
//
//   - [LLMProvider] has one method, Chat. Streaming is the optional interface
//     [StreamingProvider]; [Stream] uses it where it is there and falls back to
//     Chat where it is not.
//   - Every error of a provider is, or wraps, an [*Error]. Its Kind says what
//     happened, Retryable whether asking again may help, RetryAfter when, and
//     PersonMessage what a person may see.
//   - A response that is returned without an error ended properly; a stream
//     that was cut is an error of [KindCut], never half an answer.
//   - [Retry] and [Failover] are decorators; what they wrap keeps its streaming.
//
// To add a provider: make a subpackage, translate request, response, stream and
// errors in one file each, and pass the suite in providertest.
package providers
