package find

// The texts for the model.
const (
	textQuery = "query must be the names of tools, or words for their purpose: 1 to 500 bytes"
	textFound = "You can call these now:"
	textNone  = "No tool fits these words. Ask for one by its name: "
)
