// Package files keeps the files of a running gateway: [Attachments] that people
// send, [Uploads] that wait to be sent, the chats' folders of the workspace
// ([Spaces]), the operator's AGENT.md and HEARTBEAT.md, and [DeadLetters], the
// updates that no channel could use.
//
// A file is stored whole or not at all, and it is on the disk before its name is told
// to a model or a person. Each folder is bounded. A program of a chat may put links and
// pipes in the place of these files: links are not followed and pipes are not waited
// for.
//
// The operator's texts come back as they are at the moment of the call, so that a
// change needs no restart.
package files
