package schema

import "maps"

// Wire is a schema as models see it: without additionalProperties: false. Every request
// of every turn would carry that once for each tool; models fill listed properties only,
// and a call with another one is refused by its name.
func Wire(parameters map[string]any) map[string]any {
	if parameters["additionalProperties"] != false {
		return parameters
	}
	parameters = maps.Clone(parameters)
	delete(parameters, "additionalProperties")
	return parameters
}
