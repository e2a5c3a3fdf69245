package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// listing is where a server lists its models.
type listing struct {
	path string // below the API's root; empty where the API has none
	list string // the field that holds the list; empty where the answer itself describes one model
	name string // the field of an entry that is the model's name
}

var openAIModels = listing{path: "v1/models", list: "data", name: "id"}

// Models asks the server at an API base which models it has, in its own order.
// header may hold the API key. An API without a listing is an error, and so is
// an answer without a model.
func Models(ctx context.Context, client *http.Client, p Protocol, base string, header http.Header) ([]string, error) {
	l := p.models()
	if l.path == "" {
		return nil, fmt.Errorf("wire: models: the %s API has no list of models; name the model", p.Name())
	}
	address, _, err := JoinURL(base, l.path)
	if err != nil {
		return nil, err
	}
	root, err := get(ctx, client, address, header)
	if err != nil {
		return nil, fmt.Errorf("wire: models: GET %s: %w", bareURL(address), err)
	}
	names := l.names(root)
	if len(names) == 0 {
		return nil, fmt.Errorf("wire: models: GET %s lists no model", bareURL(address))
	}
	return names, nil
}

func (l listing) names(root tree) []string {
	if l.list == "" {
		return nonEmpty(nil, root.text(l.name))
	}
	var names []string
	for _, entry := range root.list(l.list) {
		names = nonEmpty(names, asObject(entry).text(l.name))
	}
	return names
}

func nonEmpty(names []string, name string) []string {
	if name == "" {
		return names
	}
	return append(names, name)
}

// get asks once and reads a bounded answer. It is set-up, not load: nothing of
// it is measured.
func get(ctx context.Context, client *http.Client, address string, header http.Header) (tree, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, bare(err)
	}
	for name, values := range header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, bare(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d: %s", response.StatusCode, newRedactor(header, address).text(printable(plainText(body), 140)))
	}
	return object(body)
}
