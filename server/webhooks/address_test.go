package webhooks

import (
	"errors"
	"net/netip"
	"testing"

	"code.dny.dev/ssrf"
)

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1", "127.1.2.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", // the metadata of clouds
		"100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		"192.88.99.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "fe80::1", "fe80::1%lo", "fc00::1", "fd00:ec2::254",
		"fec0::1", "ff02::1", "100::1",
		"64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::7f00:1", // NAT64
		"2002:7f00:1::1", "2002:a00:1::1", // 6to4
		"2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::1", // Teredo
		"2001:db8::1", "3fff::1", "5f00::1", "2001:10::1", "2001:20::1",
		"2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:10.0.0.1", // ISATAP
	} {
		if err := CheckAddress(netip.MustParseAddr(address)); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450:4001::200e"} {
		if err := CheckAddress(netip.MustParseAddr(address)); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPortsAndNetworksAreChecked(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]error{
		"8.8.8.8:443": nil, "8.8.8.8:1024": nil, "8.8.8.8:65535": nil, "[2606:4700:4700::1111]:8443": nil,
		"8.8.8.8:22": ssrf.ErrProhibitedPort, "8.8.8.8:80": ssrf.ErrProhibitedPort, "8.8.8.8:1023": ssrf.ErrProhibitedPort,
		"127.0.0.1:443": ssrf.ErrProhibitedIP, "[::1]:443": ssrf.ErrProhibitedIP,
	} {
		network := "tcp4"
		if address[0] == '[' {
			network = "tcp6"
		}
		if err := control(network, address, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	if err := control("udp4", "8.8.8.8:443", nil); !errors.Is(err, ssrf.ErrProhibitedNetwork) {
		t.Errorf("udp4: %v", err)
	}
}
