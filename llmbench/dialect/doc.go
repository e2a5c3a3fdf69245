// Package dialect shows one run under the rules and names of other tools, and
// reads other tools' result files as records, so that two reports of one
// system can be reconciled.
//
//	*Result     --AIPerf, AISBench, VLLM, GuideLLM--> Table --Text, JSON
//	result file --ReadAIPerf, ReadVLLM, ReadGuideLLM--> []Record
//
// Do not use it to judge a run: the names are the tools', and so are the
// oddities that go with them. [Reconcile] prints each quantity under every
// tool's name, with the rule that makes the difference.
package dialect
