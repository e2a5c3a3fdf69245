// Package prompt writes prompts of a given length. A word is one short common
// English noun, which is one token with its leading space in the vocabularies
// of the large model families; where it is not, the server's usage says so.
package prompt

import (
	"strings"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// words are plain nouns of three to six letters.
var words = strings.Fields(`
	air arm art ball band bank bar base bear bed bell belt bird blade block blood
	board boat body bone book border bottle bowl box boy brain branch bread bridge
	brother brush bucket bus cable cake camera camp card case castle cat cause cell
	center chain chair chance chest child church circle city class cloud club coal
	coast coat coffee coin color copper corn corner cost cotton country court cover
	cow cross crowd crown cup dance danger data date day deal death debt degree desk
	detail dish doctor dog door dream dress drink driver dust duty ear earth east
	edge effect egg engine event eye face fact family farm father field figure
	finger fire fish flag floor flower food foot force forest form frame friend
	fruit game garden gas gate gift girl glass goal gold grain grass ground group
	guide hair half hall hand hat head health heart heat hill history hole home hope
	horse hotel hour house ice idea inch iron island job judge juice key kind king
	kitchen knife lake land law leader leaf league leg letter level library light
	line lip list lock love lunch machine mail man map mark market master match
	matter meal meat medal member metal middle mile milk mind mine minute mirror
	model moment money month moon mother motor mouth music nail name nation neck
	needle night noise north nose note number ocean office oil orange order owner
	page paint pair palace paper parent park part party path pattern peace pen
	people period piano picture piece pilot pipe place plan plant plate player point
	police pool port post potato power price prince prize profit queen race radio
	rain range reason record region rest result rice ring river road rock role roof
	room root rose rule sail salt sand scale school science sea season seat second
	seed shape sheep ship shirt shoe shop shore side sign silver sister size skin
	sky smile smoke snow soil soldier song sound south space sport spring square
	stage star state station steel step stone store storm story stream street string
	sugar summer sun surface table tail team test theory thing title tool top touch
	tower town track trade train travel tree trip truck truth tube uncle unit valley
	value vessel view village voice wall war watch water wave way week weight west
	wheel wind window wine winter woman wood word work world yard year youth`)

// Words returns a prompt of n words for a request under the seed. Prompts of
// different requests differ from their first words on, so that a prefix cache
// finds nothing in them.
func Words(seed, request uint64, n int) string {
	return text(draw.New(seed, draw.Words+request), n)
}
