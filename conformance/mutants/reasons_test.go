package mutants_test

import "maps"

// neverAlone lists the checks that no fault can fail without failing another, with the reason.
var neverAlone = merged(transactionsNeverAlone)

func merged(all ...map[string]string) map[string]string {
	reasons := map[string]string{}
	for _, some := range all {
		maps.Copy(reasons, some)
	}
	return reasons
}
