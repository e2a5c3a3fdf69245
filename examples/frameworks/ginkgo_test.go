package frameworks

import (
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

var _ = ginkgo.Describe("the server", ginkgo.Ordered, func() {
	var result *llmbench.Result

	ginkgo.BeforeAll(func() {
		t := ginkgo.GinkgoT()
		result = llmbench.Run(t, mock.Listen(t, script), profile)
	})

	ginkgo.It("answers everybody", func() {
		assert.RequireNoErrors(ginkgo.GinkgoT(), result)
		assert.RequireComplete(ginkgo.GinkgoT(), result)
	})

	ginkgo.It("counts its tokens", func() {
		assert.RequireTokenCounts(ginkgo.GinkgoT(), result)
	})
})

func TestServingSpecs(t *testing.T) { ginkgo.RunSpecs(t, "serving") }
