package config

import "strings"

const (
	slackPath       = "channels.slack"
	slackBotToken   = slackPath + ".bot_token"
	slackAppToken   = slackPath + ".app_token"
	slackSigning    = slackPath + ".events.signing_secret"
	slackEventsPath = slackPath + ".events"
)

// uses says whether the secret at path is of use: over HTTP the app-level token is not.
func (s *Slack) uses(path string) bool {
	return s.Enabled && (path != slackAppToken || s.Events.Listen == "")
}

func (c channelChecker) slack() {
	s := &c.cfg.Channels.Slack
	c.built(slackPath, "slack", s.Enabled)
	c.server(slackPath+".api_url", s.APIURL, true)
	c.ids(slackPath+".allow", "slack", s.Allow, c.options.User)
	c.ids(slackPath+".channels.allow", "slack", s.Channels.Allow, c.options.Group)
	c.proxy(slackPath+".proxy", s.Proxy)
	if s.Enabled && !s.BotToken.set {
		c.at(slackBotToken, "is missing: write env:SLACK_BOT_TOKEN, file:PATH or credential:NAME")
	}
	if s.Events.Listen == "" {
		if s.Enabled && !s.AppToken.set {
			c.at(slackAppToken, "is missing: Socket Mode needs it; write env:SLACK_APP_TOKEN, or set events.listen")
		}
		if s.Events.SigningSecret.set || len(s.Events.TrustedProxies) > 0 {
			c.at(slackEventsPath, "has no listen: write HOST:PORT where Slack's requests arrive, or take events out for Socket Mode")
		}
		return
	}
	c.listen(slackEventsPath+".listen", s.Events.Listen)
	c.proxies(slackEventsPath+".trusted_proxies", s.Events.TrustedProxies)
	if !s.Events.SigningSecret.set {
		c.at(slackSigning, "is missing: whoever reaches the address could speak as Slack; write env:NAME, file:PATH or credential:NAME")
	}
}

// slackTokens are the kinds of tokens that Slack gives, by how they begin.
func slackTokens() map[string]string {
	return map[string]string{
		"xoxb-": "a bot token", "xapp-": "an app-level token", "xoxp-": "a user token", "xoxa-": "a legacy token", "xoxs-": "a legacy token",
		"xoxc-": "a browser's token", "xoxe.": "a token that expires", "xoxe-": "a refresh token",
	}
}

// slackSecrets finds secrets that are of another kind than the one that is meant:
// Slack would refuse them later. No problem repeats any of a secret but how its
// kind begins.
func (w *walker) slackSecrets(s *Slack) {
	w.slackToken(slackBotToken, s.BotToken, "xoxb-", "the Bot User OAuth Token, which begins with xoxb- (the app's page, OAuth & Permissions)")
	w.slackToken(slackAppToken, s.AppToken, "xapp-",
		"the App-Level Token with connections:write, which begins with xapp- (the app's page, Basic Information)")
	const signing = "write the Signing Secret (the app's page, Basic Information)"
	switch secret := s.Events.SigningSecret; {
	case secret.value == "":
	case strings.TrimSpace(secret.value) == "":
		w.at(slackSigning, "is empty, so that whoever reaches the address could speak as Slack: %s", signing)
	default:
		if kind := slackKind(secret.value); kind != "" {
			w.at(slackSigning, "is %s: %s", kind, signing)
		}
	}
}

func (w *walker) slackToken(path string, token Secret, begins, cure string) {
	if token.value == "" || strings.HasPrefix(token.value, begins) {
		return
	}
	kind := slackKind(token.value)
	switch {
	case strings.HasPrefix(token.value, "xoxe"):
		w.at(path, "is %s: switch token rotation off for the app, and write %s", kind, cure)
	case kind != "":
		w.at(path, "is %s: write %s", kind, cure)
	default:
		w.at(path, "is no token of Slack's: write %s", cure)
	}
}

// slackKind names the kind of a token, with its first letters, or "".
func slackKind(value string) string {
	for begins, kind := range slackTokens() {
		if strings.HasPrefix(value, begins) {
			return kind + " (" + begins + "…)"
		}
	}
	return ""
}
