// Package scrape reads a server's own Prometheus metrics beside a run: queue, batch, key-value cache and counters on the
// clock of the requests, so that the two can be laid over each other and held against each other.
//
//	watched := scrape.Target(server, "http://host:8000/metrics")
//	result := llmbench.Run(t, watched, profile)
//	for _, a := range result.Agreements() {
//		t.Log(a) // counters against records, as assert.RequireAgreement does
//	}
//
// It knows the metrics of vLLM, SGLang, TGI, llama.cpp and Triton with TensorRT-LLM. The servers of package
// fixtures/servers bring it with them. Core and claims do not import it: who does not read metrics does not compile
// Prometheus' parser.
package scrape
