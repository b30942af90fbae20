package telemetry

// The fixed texts that clients read; a translation replaces this file.
const (
	textNoRight = "this token may not read the telemetry of the tools: it lacks the right telemetry"
	textDays    = "days is 1 to 90"
)
