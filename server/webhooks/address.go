package webhooks

import (
	"fmt"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// guardian denies what the IANA registries of special addresses list, and all of IPv6 but global unicast: private, loopback,
// link-local and shared addresses, metadata services, IPv4-mapped addresses, NAT64, 6to4 and Teredo.
var guardian = ssrf.New(ssrf.WithAnyPort())

// CheckAddress returns an error that wraps ssrf.ErrProhibitedIP unless an address is a public one, which alone may receive
// webhooks outside of sandbox mode.
func CheckAddress(address netip.Addr) error {
	if embedded, ok := isatap(address); ok { // not in the registries, because any network may have such hosts
		return fmt.Errorf("%w: %s leads to %s", ssrf.ErrProhibitedIP, address, embedded)
	}
	return guardian.SafeAddr(address)
}

// isatap returns the IPv4 address that the interface identifier of an ISATAP address has (RFC 5214, section 6.1).
func isatap(address netip.Addr) (netip.Addr, bool) {
	if !address.Is6() || address.Is4In6() {
		return netip.Addr{}, false
	}
	b := address.As16()
	if b[8]&^3 != 0 || b[9] != 0 || b[10] != 0x5e || b[11] != 0xfe {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte(b[12:])), true
}

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
	return CheckAddress(to.Addr())
}
