package webhooks

import (
	"errors"
	"testing"

	"code.dny.dev/ssrf"
)

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
