package faketelegram

// ServerWords are the words that the Bot API server itself is known to speak.
func ServerWords() []string {
	return []string{
		wordNoMethod, wordChatEmpty, wordChatNotFound, wordTextEmpty, wordNoThread, wordNoMessageID, wordMigrated,
		wordCantDelete, wordQueryOld, wordBadAction, wordParseMode, wordFileID, wordFileBig, wordFileWrong,
		wordNoPhoto, wordNoDocument, wordSecretChars, wordSecretLong, wordMarkupJSON, wordMarkupObject, wordMarkupRows,
		wordMarkupText, wordMarkupLong, wordReplyJSON, wordReplyObject, wordPreviewJSON, wordPreviewObject,
		wordCommandsJSON, wordCommandsArray, wordMediaJSON, wordMediaArray, wordMediaTooMany, wordBlocked, wordDeactivated,
		expelled(wordKicked, typeGroup).Description, expelled(wordKicked, typeSupergroup).Description,
		expelled(wordKicked, typeChannel).Description, expelled(wordNotMember, typeGroup).Description,
	}
}
