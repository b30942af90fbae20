package mutants

// shelfMutants break the files of the chats of the web.
func shelfMutants() []Mutant {
	const api, dir = "pkg/api/native", "pkg/shelf"
	return []Mutant{
		{
			Promise: "api: files", Defect: "takes another file under the same key",
			File: dir + "/add.go", Old: "if !bytes.Equal(got[:n], have[:m]) {", New: "if !bytes.Equal(got[:n], have[:m]) && n < 0 {",
			Dir: api, Test: "^TestAnUploadCountsOnce$",
		},
		{
			Promise: "api: files", Defect: "keeps half of an upload",
			File: dir + "/add.go", Old: "defer func() { err = errors.Join(err, ignoreMissing(os.Remove(part.Name()))) }()", New: "",
			Dir: dir, Test: "^TestABrokenUploadLeavesNothing$",
		},
		{
			Promise: "api: files", Defect: "shows people the words for the model",
			File: api + "/reading/message.go", Old: "if o := e.Message.Original; o != nil {",
			New: "if o := e.Message.Original; o != nil && o.Text == \"\" {",
			Dir: api, Test: "^TestAFileComesWithItsMessage$",
		},
		{
			Promise: "api: files are safe", Defect: "shows every file in the browser",
			File: api + "/files.go", Old: `r.URL.Query().Has("show") && shelf.Shows(file.Type)`, New: `r.URL.Query().Has("show")`,
			Dir: api, Test: "^TestFilesAreServedSafely$",
		},
		{
			Promise: "api: files are safe", Defect: "lets a file run scripts",
			File: "pkg/httpd/bytes.go", Old: `	h.Set("Content-Security-Policy", filePolicy)` + "\n", New: "",
			Dir: api, Test: "^TestFilesAreServedSafely$",
		},
		{
			Promise: "api: files are safe", Defect: "fetches a file of one chat for all",
			File: api + "/files.go", Old: `h.api.o.Files.Open(p.at.Chat, `, New: `h.api.o.Files.Open("web:ada.main", `,
			Dir: api, Test: "^TestFilesOfOthersAreUnknown$",
		},
		{
			Promise: "api: files are bounded", Defect: "takes uploads without end",
			File: dir + "/room.go", Old: "loose >= MaxLoose {", New: "loose >= 10*MaxLoose {",
			Dir: api, Test: "^TestUploadsAreBounded$",
		},
		{
			Promise: "api: files are bounded", Defect: "lets the file of a waiting message go",
			File: dir + "/room.go", Old: "&& !s.awaited(ctx, e) {", New: "{",
			Dir: dir, Test: "^TestOldFilesGiveWay$",
		},
		{
			Promise: "api: files are bounded", Defect: "keeps uploads without a message",
			File: dir + "/room.go", Old: "(!e.loose || !old)", New: "true",
			Dir: dir, Test: "^TestUploadsWithoutAMessageAreRemoved$",
		},
	}
}
