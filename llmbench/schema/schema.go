// Package schema holds the JSON Schemas of llmbench's files, for editors and
// for programs in any language that read them.
package schema

import _ "embed"

// Record describes one line of records.jsonl, schema llmbench.record/v1. Fields
// beyond it are allowed, as every version keeps those it does not know.
//
//go:embed record.v1.schema.json
var Record []byte

// Result describes result.json, schema llmbench.result/v1.
//
//go:embed result.v1.schema.json
var Result []byte
