package approval

// The fixed texts of a question to a person; a translation replaces this file.
const (
	textAllow  = "Allow %s %s%s?"
	textRun    = "to run"
	textAction = "to %s %s"
	textReason = " Reason: %s."
)

// The questions and the decisions on them.
const (
	textAllowOnce        = "Allow once"
	textAllowHere        = "Allow here"
	textDeny             = "Deny"
	textQuestion         = "%s\n\n%s\n\nApproval %s, until %s. Only %s or an owner can decide."
	textOpenQuestion     = "This call still waits for your decision: %#q.\n\n%s\n\nApproval %s, until %s."
	textForTask          = " for task %s"
	textAllowed          = "Allowed %s by %s: %#q."
	textOnce             = "once"
	textHere             = "here, for 24 hours"
	textDenied           = "Denied by %s: %#q was not run."
	textUnknownApproval  = "There is no such approval in this chat."
	textCallChanged      = "The call was not run: it would no longer do what the question showed. Ask for it again."
	textCallUnreadable   = "The stored call cannot be read. It was not run."
	textApprovalDecided  = "Approval %s is already decided: %s."
	textNotYourApproval  = "Only %s or an owner can decide on approval %s."
	textOnlyOnce         = "Calls of %s can only be allowed one at a time."
	textApprovalExpired  = "Approval %s expired at %s. The call was not run; ask for it again."
	textTakenBack        = "This question is closed: it was taken out of the conversation. The call was not run."
	textTaskEnded        = "The task that asked for this approval has ended. The call was not run."
	textRequesterRefused = "The call was not run: %s may no longer use %s here."
	textLostBeforeCall   = "The gateway stopped three times while it worked on approval %s. %#q was not run."
	textLostInCall       = "The gateway stopped three times while it worked on approval %s. It is unknown whether %#q took effect."
	textOperator         = "the operator"
)

// The grants, and the answers to /revoke.
const (
	textGrant        = "Allowed here: %#q for %s, until %s (%s)\n"
	textHowToRevoke  = "%s ID ends one of them."
	textNoGrants     = "No call is allowed in advance in this chat."
	textNoGrant      = "No call is allowed in advance here under the name %s. %s lists those that are."
	textNotYourGrant = "Only %s or an owner can revoke what was allowed for %#q."
	textRevoked      = "Revoked: calls of %#q for %s need a person's answer again."
)

// The question of /forget, and the answers.
const (
	textForgetYes      = "Forget it"
	textForgetNo       = "Keep it"
	textForgetQuestion = "%s\n\nQuestion %s, until %s."
	textForgetText     = "Forget this chat for good? Its conversations, files, schedules, tasks and permissions are deleted, " +
		"with the earlier conversations and all copies that the gateway has. This cannot be undone."
	textForgetShared  = " The files in the folder that the owners share stay."
	textForgetAsked   = "The question whether to forget this chat is above, and waits for your answer."
	textForgetOwners  = "In a group, an owner has the chat forgotten."
	textForgetDenied  = "This chat stays as it is: %s said no."
	textForgetLate    = "The answer came too late: this chat stays as it is. Ask again with /forget."
	textForgetUnasked = "This chat is not forgotten, because the question for it cannot be put here: %v. " +
		"The operator can do it with `parley sessions forget`."
	textForgetProgram = "the program that sent the command takes no questions"
)
