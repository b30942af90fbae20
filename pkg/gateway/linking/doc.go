// Package linking shows chats of other channels on the page of a person.
//
// /link in a chat answers with a code, and who types the code on the page has the chat there, to
// read: nothing is written or decided from the page in a chat of another channel. A code is good
// for [CodeTime] and once, memory has its hash alone, and a wrong one costs its sender
// [httpd.Delay]. A group is shown to owners only. /unlink in the chat and the page's own button
// end a link, and with it the streams that follow the chat.
package linking
