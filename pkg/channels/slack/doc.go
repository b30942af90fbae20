// Package slack is the channel of a Slack workspace.
package slack
