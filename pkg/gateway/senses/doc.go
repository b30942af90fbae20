// Package senses lets a gateway hear, see and translate: it puts the words of other models in the
// place of recordings and pictures before a turn, and gives the tools of pkg/tools/senses their
// models.
//
// It promises:
//
//   - Each recording and each set of pictures is asked about once for a turn, in its ledger, and
//     paid once, also over a crash.
//   - A file that cannot be used, and a model that fails, end in one sentence to the chat, and the
//     turn goes on with this sentence as its input.
//   - A picture above the bounds of pkg/tools/senses reaches no model.
package senses
