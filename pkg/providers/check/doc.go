// Package check asks a model one prompt with tools and gives a verdict of each of its
// abilities, as gateway models test prints them.
//
// It promises:
//
//   - [Model] judges by the answers alone, through the very provider that the chats
//     use. It asks at most six small questions, and none after one that shows the model
//     unreachable or the key wrong.
//   - A verdict is a fact of this run. A model that could call a tool and did not has
//     the verdict no.
//   - No text of an answer is printed, and no error holds a key.
package check
