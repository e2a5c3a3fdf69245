module github.com/llmbench/go

go 1.26
