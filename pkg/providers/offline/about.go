package offline

// about is the model's description of itself.
type about struct{ version string }

func (a about) introduction() string {
	name := "Parley's offline model"
	if a.version != "" {
		name += " (" + a.version + ")"
	}
	return "I am " + name + ": a small built-in program, not an AI, that works without a key or a network. " +
		"To connect a real model, set OPENAI_API_KEY or name one under models: in parley.yaml."
}

func (a about) help() string {
	return a.introduction() + `

What I understand:
- arithmetic: what is 17*23?, 15% of 80, square root of 2
- the time: what time is it in Tokyo?
- files of the workspace: list the files, show MEMORY.md, find files named *.md, which files mention milk, how big is MEMORY.md, send MEMORY.md
- reminders: remind me in 2 minutes to drink water, every monday at 9 show MEMORY.md, what is scheduled, cancel reminder ID
- work in the background: in the background: 3*4+5
- any tool: /tool NAME JSON, such as /tool calculator {"expression":"2^200"}`
}

// misunderstood begins each answer to a message that the model did not understand.
const misunderstood = "I did not understand that"

// unknownAgain is the answer where the conversation has the long one already.
const unknownAgain = misunderstood + ". Say help for what I can do."

func (a about) unknown() string {
	return misunderstood +
		": I am Parley's offline model and know only arithmetic, the time, the files of the workspace, reminders and /tool NAME JSON. " +
		"Say help for examples. For everything else connect a real model: set OPENAI_API_KEY or name one under models: in parley.yaml."
}
