package httpapi

import (
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// Section 2.7: the contract lists the CIP tags that the service reports.
func TestTheContractListsTheCIPTags(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	keys, _ := document.Components.Schemas["CipInfo"].Value.Properties["cip_info"].Value.Extensions["x-known-keys"].([]any)
	for _, key := range keys {
		listed = append(listed, key.(string))
	}
	want := slices.Concat(payout.CIPTags(true), payout.CIPTags(false))
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(listed, want) {
		t.Errorf("the contract lists %v\nthe service has %v", listed, want)
	}
}
