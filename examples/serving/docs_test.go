package serving

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
)

const docs = "../../llmbench/docs"

// Every relative link in README and the pages of llmbench/docs leads somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)\)`)
	pages, err := filepath.Glob(docs + "/*.md")
	require.NoError(t, err)
	require.Greater(t, len(pages), 5)
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(filepath.Dir(page), found[1]))
			require.NoError(t, err, "%s links to %s", page, found[1])
		}
	}
}

// The contract that the docs show is one.
func TestContractOfTheDocsIsRead(t *testing.T) {
	text, err := os.ReadFile(docs + "/contracts.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```yaml\n")
	require.True(t, found)
	yaml, _, _ := strings.Cut(rest, "```")
	contract, err := assert.ParseContract("contracts.md", []byte(yaml))
	require.NoError(t, err)
	require.Len(t, contract.Claims, 7)
}
