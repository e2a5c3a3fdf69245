package llmbench

import "strings"

// hidden stands where a secret was.
const hidden = "[redacted]"

// secretWords are the names of fields that hold a secret, in lower case without
// dash or underscore. Whole names only: max_tokens holds none.
var secretWords = map[string]bool{
	"apikey": true, "key": true, "token": true, "accesstoken": true, "authtoken": true, "bearertoken": true,
	"refreshtoken": true, "secret": true, "clientsecret": true, "secretkey": true, "accesskey": true, "privatekey": true,
	"password": true, "passwd": true, "passphrase": true, "authorization": true, "credential": true, "credentials": true, "cookie": true,
}

// withoutSecrets is a copy of a request's extra fields that files may show.
func withoutSecrets(fields map[string]any) map[string]any {
	if fields == nil {
		return nil
	}
	clean := make(map[string]any, len(fields))
	for name, value := range fields {
		clean[name] = withoutSecretsIn(value)
		if secretWords[strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))] {
			clean[name] = hidden
		}
	}
	return clean
}

func withoutSecretsIn(value any) any {
	switch nested := value.(type) {
	case map[string]any:
		return withoutSecrets(nested)
	case []any:
		clean := make([]any, len(nested))
		for i := range nested {
			clean[i] = withoutSecretsIn(nested[i])
		}
		return clean
	}
	return value
}
