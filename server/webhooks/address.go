package webhooks

import (
	"fmt"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// control is the Control function of the dialer. It sees the address that is about to be connected to, so that a name which
// resolves to another address at each look-up cannot get around it.
func control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: %s", ssrf.ErrProhibitedNetwork, network)
	}
	if port := to.Port(); port != 443 && port < 1024 {
		return fmt.Errorf("%w: %d", ssrf.ErrProhibitedPort, port)
	}
	return payout.CheckWebhookAddress(to.Addr())
}
