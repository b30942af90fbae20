// Package rules has the rules of the engine that need a transaction and no more: how chats
// and sessions begin, move and are forgotten, and how their tasks, jobs, approvals and
// spending follow them.
//
// It promises that each function leaves the records in the state that package fsck
// demands, and that a damaged record is set aside or passed over where the rule can do
// without it. Long data is deleted in pieces over several transactions: [RemoveSome] goes
// on where one ended.
package rules
