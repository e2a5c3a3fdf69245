package wire

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Protocol is one API that servers speak. Implementations hold no state and are
// safe for concurrent use. Only this package has them.
type Protocol interface {
	// Name is the word that ByName takes.
	Name() string
	// Path is the endpoint below the API's root, for JoinURL.
	Path() string
	// Encode builds the request's body. It fails only on what JSON cannot hold,
	// as NaN.
	Encode(Request) ([]byte, error)
	// Authorize puts an API key into a header, where this protocol's servers
	// look for it. An empty key changes nothing.
	Authorize(h http.Header, key string)

	framing() framing
	// decode reads one data event, or the whole body of a reply that was not
	// streamed, into ev. name is the SSE event type, empty for none. ev has
	// been reset. It must not keep data.
	decode(name, data []byte, ev *event) error
	// models tells where the server lists its models and under which path of
	// the listing their names stand.
	models() listing
}

// Some protocols do more; they have these methods beside the interface's.
type (
	// headerSetter sets headers that the API wants on every request.
	headerSetter interface{ setHeader(h http.Header) }
	// headerReader finds usage or timings in the response's header.
	headerReader interface {
		readHeader(h http.Header, ev *event)
	}
	// divider has one endpoint for streams and another for whole replies.
	divider interface {
		endpoint(url string, stream bool) string
	}
)

// framing is how a protocol's stream is cut into events.
type framing uint8

const (
	framingSSE framing = iota
	framingNDJSON
	framingWhole // never streamed
)

// protocols in the order in which they are listed to people.
func protocols() []Protocol {
	return []Protocol{
		OpenAIChat(), OpenAICompletions(), OpenAIResponses(), OpenAIEmbeddings(),
		OllamaChat(), OllamaGenerate(), AnthropicMessages(), TGI(),
	}
}

// ByName finds a protocol; "" is OpenAI chat. An unknown name is an error that
// lists the known ones.
func ByName(name string) (Protocol, error) {
	if name == "" {
		return OpenAIChat(), nil
	}
	known := protocols()
	i := slices.IndexFunc(known, func(p Protocol) bool { return p.Name() == name })
	if i < 0 {
		return nil, fmt.Errorf("wire: API is %q, want one of %s", printable(name, 60), strings.Join(Names(), ", "))
	}
	return known[i], nil
}

// Names lists what ByName takes.
func Names() []string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.Name())
	}
	return names
}

// bearer is the key's place in most APIs.
func bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}
