// Package senses has the tools by which a model hears, sees and translates with the help of
// other models: transcribe_audio, describe_image and translate. The gateway hears and sees with
// the same functions before a turn.
//
// It promises:
//
//   - A tool opens files of its chat alone, by the rules of read_file.
//   - The kind of a file is read from its content, never from its name. Its bytes, the length of
//     its sound and its pixels are bounded before a model is asked, and no picture is decoded.
//   - A model is asked through [Models], which counts its use for the budget of the chat.
//   - The words of a file are content from outside. The request marks a picture or a text as
//     material, in which the model must follow no instruction.
//   - Each failure is one sentence.
//
// To add a tool of this kind: a question in questions.go, and its row in [New].
package senses
