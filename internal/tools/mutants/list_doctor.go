package mutants

// doctorMutants break the promises about the faults of a set-up.
func doctorMutants() []Mutant {
	const gateway, dir = "cmd/gateway", "pkg/gateway/doctor/"
	const faults, looks = "doctor: faults", "doctor: looks"
	return []Mutant{
		{
			Promise: faults, Defect: "takes a store of a newer release for a damaged one",
			File: dir + "store.go", Old: "case errors.Is(err, bolt.ErrNewer):", New: "case errors.Is(err, bolt.ErrNewer) && false:",
			Dir: gateway, Test: "^TestDoctorOfBotsAndWindows$",
		},
		{
			Promise: faults, Defect: "does not see that the conversations are with another bot",
			File: dir + "bots.go", Old: "err != nil || mine || len(others) == 0", New: "err != nil || mine || len(others) >= 0",
			Dir: gateway, Test: "^TestDoctorOfBotsAndWindows$",
		},
		{
			Promise: faults, Defect: "takes a name that no DNS knows for a server that is down",
			File: dir + "reach.go", Old: "	return ok\n", New: "	return ok && false\n",
			Dir: gateway, Test: "^TestDoctorOfUnknownNames$",
		},
		{
			Promise: faults, Defect: "does not warn of a page that other machines reach unencrypted",
			File: dir + "ports.go", Old: "err != nil || local ||", New: "err == nil || local ||",
			Dir: gateway, Test: "^TestDoctorOfRefusedSettings$",
		},
		{
			Promise: faults, Defect: "a failure ends with 0",
			File: gateway + "/doctor.go", Old: "case sum.Fail > 0:", New: "case sum.Fail < 0:",
			Dir: gateway, Test: "^TestDoctorOfBrokenFolders$",
		},
		{
			Promise: looks, Defect: "waits for a check that does not end",
			File: dir + "check.go", Old: "	case <-last.C:\n", New: "	case <-make(chan struct{}):\n",
			Dir: "pkg/gateway/doctor", Test: "^TestEachCheckEndsInTime$",
		},
		{
			Promise: looks, Defect: "prints the key that a server repeats",
			File: dir + "check.go", Old: "redact(*s)", New: "*s",
			Dir: "pkg/gateway/doctor", Test: "^TestAFindingIsClean$",
		},
	}
}
