// Package telemetry keeps how often each tool was offered, called and refused, for each model
// and day, over restarts.
//
// It promises that a count is written within a minute and at the stop, and never twice: a
// process that is killed loses at most its last minute; that a file which cannot be read costs
// its own day alone; and that names of tools and models, and numbers, are all that it keeps.
//
// A day is one of UTC, with a file of its own, DAY.json, which lies in the state folder for 90
// days. The counts themselves are those of the registry of tools.
package telemetry
