package llmbench

import "fmt"

// A PromptPart says what prompts are made of beside text of their own.
type PromptPart struct {
	// Shared is the length of a system prompt that all requests share, in tokens,
	// after Body.System.
	Shared int `json:"shared,omitempty"`
	// Prefixes is how many different beginnings the prompts have, drawn evenly per
	// session, and PrefixTokens the length of each. They come on top of Input, so
	// that a prefix cache finds Shared + PrefixTokens of each prompt.
	Prefixes     int `json:"prefixes,omitempty"`
	PrefixTokens int `json:"prefix_tokens,omitempty"`
	// Images are pictures in every prompt, for multimodal models.
	Images ImagePart `json:"images,omitzero"`
	// TokensPerWord is how many tokens the server's tokenizer makes of one of the
	// harness's words; 0 is 1, which is true of the large vocabularies.
	TokensPerWord float64 `json:"tokens_per_word,omitempty"`
	// Calibrate asks the server before the run, by two short requests and their
	// usage, and sets TokensPerWord and the tokens that the chat template adds, so
	// that prompts have the length asked for. Result.Environment says what came
	// out.
	Calibrate bool `json:"calibrate,omitempty"`
}

// An ImagePart is a number of pictures of one size, made from the seed as PNG
// and sent as data URLs.
type ImagePart struct {
	Count  int `json:"count,omitempty"`
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

func (p PromptPart) isZero() bool { return p == PromptPart{} }

// String describes the part in one line.
func (p PromptPart) String() string {
	text := fmt.Sprintf("%d tokens shared, %d prefixes of %d", p.Shared, p.Prefixes, p.PrefixTokens)
	if p.Images.Count > 0 {
		text += fmt.Sprintf(", %d images of %dx%d", p.Images.Count, p.Images.Width, p.Images.Height)
	}
	if p.TokensPerWord > 0 {
		text += fmt.Sprintf(", %.6g tokens per word", p.TokensPerWord)
	}
	return text
}

func (p PromptPart) check() error {
	for _, n := range []struct {
		name  string
		value int
	}{
		{"Shared", p.Shared}, {"Prefixes", p.Prefixes}, {"PrefixTokens", p.PrefixTokens}, {"Images.Count", p.Images.Count},
	} {
		if n.value < 0 {
			return fmt.Errorf("%s is %d, want >= 0", "Prompt."+n.name, n.value)
		}
	}
	switch {
	case (p.Prefixes > 0) != (p.PrefixTokens > 0):
		return wrong("Prompt.Prefixes", "is %d and PrefixTokens is %d, want both or neither > 0", p.Prefixes, p.PrefixTokens)
	case p.Images.Count > 0 && (p.Images.Width < 1 || p.Images.Height < 1 || p.Images.Width > 8192 || p.Images.Height > 8192):
		return wrong("Prompt.Images", "is %dx%d pixels, want 1 to 8192 each", p.Images.Width, p.Images.Height)
	case !(p.TokensPerWord >= 0) || p.TokensPerWord > 100:
		return wrong("Prompt.TokensPerWord", "is %v, want 0 to 100", p.TokensPerWord)
	}
	return nil
}
