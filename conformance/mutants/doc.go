// Package mutants proves the conformance suite: broken servers, each of which must be found out, and checks, each of which
// must be the only one to find out some server. A broken server is the real one behind a layer that changes requests or
// answers; all of it is test code, so that no program can be built with a fault in it.
package mutants
