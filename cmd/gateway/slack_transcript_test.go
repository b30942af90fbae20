package main_test

import (
	"context"
	"testing"

	"parley/internal/test/fakeslack"
)

// TestSlackInReadme follows the steps in README.md on a server of our own.
func TestSlackInReadme(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ann"))
	steps{
		heading: "Slack", env: []string{"SLACK_BOT_TOKEN=" + srv.BotToken(), "SLACK_APP_TOKEN=" + srv.AppToken()}, url: srv.URL(),
		say: func(text string) { chat.Say(text) },
		hear: func(ctx context.Context, n int) (string, error) {
			messages, err := chat.Await(ctx, n)
			if err != nil {
				return "", err
			}
			return messages[n-1].Text, nil
		},
	}.follow(t)
}
