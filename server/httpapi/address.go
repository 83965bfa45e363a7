package httpapi

import (
	"net"
	"net/netip"

	"github.com/labstack/echo/v4"
)

// addressFrom returns how the address of a caller is found: it is that of the connection or, behind trusted proxies, the last
// one in X-Forwarded-For that is not theirs. If anything on the way there is no address, the header is ignored.
func addressFrom(trusted []netip.Prefix) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, proxies := range trusted {
		options = append(options, echo.TrustIPRange(&net.IPNet{
			IP: proxies.Addr().AsSlice(), Mask: net.CIDRMask(proxies.Bits(), proxies.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// addressOf returns the address of the caller; the zero one if the connection has none.
func addressOf(c echo.Context) netip.Addr {
	address, err := netip.ParseAddr(c.RealIP())
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
