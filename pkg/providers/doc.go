// Package providers is the model vocabulary: messages, tool calls, definitions,
// answers, stream events and errors that carry a decision. It imports no other room
// of Parley, and each subpackage adapts one wire protocol to it.
//
// It promises to its callers:
//
//   - [LLMProvider] has one method, Chat. Streaming is the optional interface
//     [StreamingProvider]; [Stream] uses it if it is there and else falls back to
//     Chat.
//   - Every error of a provider is, or wraps, an [*Error]. Its Kind classifies the
//     failure, Retryable says whether asking again may help, RetryAfter when, and
//     PersonMessage is the text for a person.
//   - A response that is returned without an error ended properly; a stream that was
//     cut is an error of [KindCut] and not half an answer.
//   - [Failover] chooses the model and the key of each attempt, and [Retry] is the same
//     for one model. Both are decorators and keep the streaming of their providers.
//
// To add a provider: make a subpackage, translate request, response, stream and
// errors in one file each, and pass the suite in providertest.
package providers
