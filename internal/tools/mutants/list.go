package mutants

import "slices"

// List is every mutant.
func List() []Mutant {
	return slices.Concat(
		choiceMutants(),
		engineMutants(), storeMutants(), channelMutants(), questionMutants(), consoleMutants(), fileMutants(), toolMutants(), callMutants(),
		writtenMutants(), auditMutants(), webMutants(), agentMutants(), authorMutants(), stopMutants(),
		edgeMutants(), exchangeMutants(), answerMutants(), endMutants(), kindMutants(), programMutants(), telegramMutants(), telegramRowMutants(),
		scriptMutants(), approvalMutants(), askingMutants(), hostileMutants(), exampleMutants(),
		budgetMutants(), unattendedMutants(), scheduleMutants(), backgroundMutants(), taskMutants(),
		forgettingMutants(), forgettingAllMutants(), forgetAttemptMutants(),
		endingMutants(), jobMutants(), jobTurnMutants(), spawnMutants(), agentRightMutants(), laterMutants(),
		slackMarkupMutants(), slackInMutants(), slackEventMutants(), slackOutMutants(), slackEngineMutants(),
		slackGateMutants(), slackPeopleMutants(), slackSuiteMutants(), slackIntakeMutants(),
		argumentMutants(), memoryMutants(), runMutants(), networkMutants(), httpMutants(), settingMutants(),
		operatorMutants(), damageMutants(), saidMutants(), troubleMutants(), unusableMutants(),
		readerMutants(), drainMutants(), hiddenMutants(), peopleMutants(), newcomerMutants(), limitMutants(), startMutants(),
		chatListMutants(), setupMutants(), doctorMutants(), attachMutants(), screenMutants(), screenEdgeMutants(),
		commandMutants(), revokeMutants(),
		undoMutants(), takenOutMutants(), againMutants(),
		spokenMutants(), geminiMutants(), claudeMutants(), toolModeMutants(),
		eventMutants(), gateMutants(), pieceMutants(), walkMutants(), apiMutants(), specMutants(), lastWordsMutants(),
		aguiMutants(), aguiPictureMutants(),
		credentialMutants(), silenceMutants(), pageMutants(), atOnceMutants(), browserMutants(),
		openaiMutants(), clientMutants(), removalMutants(), forgetMutants(), restoredMutants(),
		workingMutants(), conversationMutants(), anewMutants(),
		socketMutants(), shelfMutants(), formatMutants(), indexMutants(), passageMutants(), documentMutants(),
		senseMutants(),
	)
}

// Counts are the numbers of mutants by the promise that they break.
func Counts() map[string]int {
	counts := map[string]int{}
	for _, m := range List() {
		counts[m.Promise]++
	}
	return counts
}
