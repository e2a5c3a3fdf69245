package llmbench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// full is the word in LLMBENCH_REPORT that asks for the long console form.
const full = "full"

// keep shows a run's result in the test's log and keeps it as files, where the
// environment asks for them:
//
//   - LLMBENCH_REPORT is a list, split at commas. The word full asks for the long
//     console form; anything else is a folder, in which each test has its own.
//   - go test -artifacts asks for the files in the test's artifact folder.
//   - GITHUB_STEP_SUMMARY is a file of GitHub's that gets the short report, and
//     GITHUB_ACTIONS=true asks for an annotation per claim that does not hold.
//
// Files are written at once, so that they are there whatever the test does next,
// and those that show claims again when the test ends. A file that cannot be
// written is a line in the log and never the verdict's business.
func (r *Result) keep(t T) {
	t.Helper()
	r.Test = t.Name()
	long, folder := reportSettings(os.Getenv("LLMBENCH_REPORT"))
	if long {
		t.Logf("%s", r.String())
	} else {
		t.Logf("%s", r.Summary())
	}
	folders := r.folders(t, folder)
	r.writeTo(t, folders, false)
	if test, ok := t.(interface{ Cleanup(func()) }); ok {
		test.Cleanup(func() {
			if len(r.Judgements()) > 0 {
				r.writeTo(t, folders, true)
			}
			r.tellGitHub(t)
		})
		return
	}
	r.tellGitHub(t)
}

// keepJudgements shows what claims said of one of several runs when the test ends:
// in its files, and to GitHub as annotations. A test without Cleanup shows nothing.
func (r *Result) keepJudgements(t T, folders []string) {
	t.Helper()
	if test, ok := t.(interface{ Cleanup(func()) }); ok {
		test.Cleanup(func() {
			if len(r.Judgements()) > 0 {
				r.writeTo(t, folders, true)
				r.annotate()
			}
		})
	}
}

func reportSettings(value string) (long bool, folder string) {
	for part := range strings.SplitSeq(value, ",") {
		switch part = strings.TrimSpace(part); part {
		case "":
		case full:
			long = true
		default:
			folder = fromModule(part)
		}
	}
	return long, folder
}

func (r *Result) writeTo(t T, folders []string, judged bool) {
	t.Helper()
	for _, folder := range folders {
		if err := r.writeArtifacts(folder, judged); err != nil {
			t.Logf("warning: the result was not kept in %s: %v", folder, err)
		} else if !judged {
			t.Logf("kept in %s", folder)
		}
	}
}

// folders are where this run's files go: its own folder under LLMBENCH_REPORT,
// and the test's artifact folder where go test keeps it (without -artifacts it is
// deleted after the test, so nothing is written there).
func (r *Result) folders(t T, folder string) []string {
	var all []string
	if folder != "" {
		all = append(all, filepath.Join(folder, testPath(r.Test)))
	}
	asked := flag.Lookup("test.artifacts")
	if test, ok := t.(interface{ ArtifactDir() string }); ok && asked != nil && asked.Value.String() == "true" {
		all = append(all, test.ArtifactDir())
	}
	for i := range all {
		all[i] = taken.next(all[i])
	}
	return all
}

// testPath is a test's folder: where its package lies in the module, as two
// packages may have tests of one name, then the test and its sub-tests. A part
// that a file system or a shell could take for more than a name loses those
// characters.
func testPath(test string) string {
	_, below := moduleRoot()
	parts := []string{below}
	for part := range strings.SplitSeq(test, "/") {
		parts = append(parts, fileName(part))
	}
	return filepath.Join(parts...)
}

func fileName(part string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) || r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, part)
	if strings.Trim(name, ". ") == "" {
		name = "_" + name
	}
	return name
}

// runs counts the runs that went to one folder in this process.
type runs struct {
	mu sync.Mutex
	n  map[string]int
}

var taken = runs{n: map[string]int{}}

// next is the folder for its first run, and run-2, run-3 and so on in it for the
// others: a test may run twice, and -count repeats it.
func (r *runs) next(folder string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n[folder]++
	if n := r.n[folder]; n > 1 {
		return filepath.Join(folder, fmt.Sprintf("run-%d", n))
	}
	return folder
}
