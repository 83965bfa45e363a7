package payout

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"code.dny.dev/ssrf"
)

// guardian denies what the IANA registries of special addresses list, and all of IPv6 but global unicast: private, loopback,
// link-local and shared addresses, metadata services, IPv4-mapped addresses, NAT64, 6to4 and Teredo.
var guardian = ssrf.New(ssrf.WithAnyPort())

// CheckWebhookAddress returns an error that wraps ssrf.ErrProhibitedIP unless an address is a public one, which alone may
// receive webhooks outside of a sandbox. It judges what is registered and, at each delivery, what a name leads to.
func CheckWebhookAddress(address netip.Addr) error {
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

// hostLabel is a part of a host name between dots (RFC 1123).
var hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// webhookURL returns what is wrong with the address of a webhook endpoint, or "" (D-68). private is for a sandbox: http, any
// port and addresses that are not public.
func webhookURL(text string, private bool) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.Host == "":
		return "must be a URL"
	case len(text) > 2048:
		return "must have at most 2048 characters"
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "must be ASCII without spaces"
	case u.Scheme != "https" && (u.Scheme != "http" || !private):
		return "must begin with https://"
	case u.User != nil:
		return "must not have credentials"
	case strings.Contains(text, "#"):
		return "must not have a fragment"
	}
	if reason := webhookPort(u, private); reason != "" {
		return reason
	}
	return webhookHost(u.Hostname(), private)
}

func webhookPort(u *url.URL, private bool) string {
	port := u.Port()
	if port == "" && !strings.HasSuffix(u.Host, ":") {
		return ""
	}
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || n == 0 || port != strconv.FormatUint(n, 10):
		return "must have a port between 1 and 65535"
	case !private && n != 443 && n < 1024:
		return "must have the port 443, or one between 1024 and 65535"
	}
	return ""
}

// webhookHost judges a host without its brackets. Other programs read 127.1, 0x7f000001 and 2130706433 as addresses, which
// this rejects: their last label is a number and they are no address in the usual form.
func webhookHost(host string, private bool) string {
	const public = "must have a host that is public"
	if address, err := netip.ParseAddr(host); err == nil {
		switch {
		case address.Zone() != "":
			return "must not have a zone in its address"
		case !private && CheckWebhookAddress(address) != nil:
			return public
		}
		return ""
	}
	if len(host) > 253 {
		return "must have a host of at most 253 characters"
	}
	labels := strings.Split(strings.ToLower(host), ".")
	last := labels[len(labels)-1]
	for _, label := range labels {
		if !hostLabel.MatchString(label) {
			return "must have a host name, or an address in its usual form"
		}
	}
	switch {
	case last[0] >= '0' && last[0] <= '9':
		return "must have a host name, or an address in its usual form"
	case !private && (len(labels) == 1 || last == "localhost"):
		return public
	}
	return ""
}
