// Package offer chooses which tools a request offers to a model.
//
// It promises:
//
//   - The same tools are the same list, which requests share.
//   - Where one tool finds the others, a request offers that tool, and behind it those that
//     the conversation of the request has found or called, in the order of their first
//     mention: the list grows at its end, and whatever a model server keeps of it stays.
//   - The conversation alone decides. So a found tool stays as long as the conversation
//     shows it, over turns, crashes and restarts, and no state beside it can be lost.
//   - A name that is not among the tools of the caller is never offered.
package offer
