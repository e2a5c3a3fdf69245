package serving

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const docs = "../../llmbench/docs"

// Every example has its paragraph, and there are no others.
func TestEveryExampleHasItsParagraph(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	var told, there []string
	for _, section := range regexp.MustCompile(`(?m)^## \[(\w+)\]\((\w+)\)\n\n\S`).FindAllStringSubmatch(string(text), -1) {
		require.Equal(t, section[1], section[2])
		told = append(told, section[1])
	}
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			there = append(there, e.Name())
		}
	}
	require.ElementsMatch(t, there, told)
}

// Every link within the repository in README and the pages of llmbench/docs leads
// to a file, and one with an anchor to a heading of it.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]+))?\)`)
	anchors := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			target := page
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(page), found[1])
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", page, found[1])
			if found[2] != "" {
				anchors++
				require.Contains(t, headings(t, target), found[2], "%s links to %s", page, found[0])
			}
		}
	}
	require.Greater(t, anchors, 20)
}

// headings are the anchors that GitHub gives a page's headings.
func headings(t *testing.T, page string) (anchors []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(string(found[1])), "")
		anchors = append(anchors, strings.ReplaceAll(plain, " ", "-"))
	}
	return anchors
}
