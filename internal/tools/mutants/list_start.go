package mutants

// startMutants break the promises of the section "Start and stop".
func startMutants() []Mutant {
	return []Mutant{
		{
			Promise: "exit code of Ctrl-C", Defect: "the console ends by itself before the signal is named as the cause",
			File: "pkg/channels/console/console.go", Old: "if second || !busy {\n",
			New: "if second || !busy {\n\t\tif f, ok := c.opt.In.(io.Closer); ok {\n\t\t\t_ = f.Close()\n\t\t}\n",
			Dir: "pkg/channels/console", Test: "^TestInterruptLeavesTheEndOfRunToItsCaller$",
		},
		{
			Promise: "hang-up", Defect: "ends a running gateway at SIGHUP",
			File: "cmd/gateway/runverbs.go", Old: "case number == syscall.SIGHUP && act.hangup != nil:",
			New: "case number == syscall.SIGHUP && act.hangup != nil && stopping:",
			Dir: "cmd/gateway", Test: "^TestRunIgnoresHangUp$",
		},
		{
			Promise: "hang-up", Defect: "leaves SIGHUP to the system, which ends chat without its stop",
			File: "cmd/gateway/runverbs.go", Old: "syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)", New: "syscall.SIGINT, syscall.SIGTERM)",
			Dir: "cmd/gateway", Test: "^TestStopBySignal$/^hang_up$",
		},
	}
}
