package payout

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"code.dny.dev/ssrf"
)

// long returns a host name of n characters.
func long(n int) string {
	const end = "example.com"
	label := strings.Repeat("a", 63) + "."
	host := strings.Repeat(label, (n-len(end))/64)
	rest := n - len(end) - len(host)
	if rest > 0 {
		host += strings.Repeat("b", rest-1) + "."
	}
	return host + end
}

func TestAddressesOfWebhooks(t *testing.T) {
	t.Parallel()
	type rules struct{ production, sandbox bool } // whether each accepts
	both, sandbox, neither := rules{true, true}, rules{false, true}, rules{false, false}
	for want, texts := range map[rules][]string{
		both: {
			"https://example.com", "https://example.com/", "https://example.com/webhooks?tenant=1&x=%2F", "https://Example.COM/A",
			"https://example.com:443/", "https://example.com:1024", "https://example.com:65535/x", "https://xn--bcher-kva.example/",
			"https://8.8.8.8/", "https://93.184.216.34:8443/x", "https://[2606:4700:4700::1111]/", "https://[2606:4700::1111]:443/x",
			"https://a-b.c1.example.com/", "https://" + long(253) + "/", "https://example.com/" + strings.Repeat("p", 2028),
			"https://0x7f000001.example.com/", "https://1.example.com/", "https://example.com//x@y:z",
		},
		sandbox: {
			"http://example.com/", "http://localhost:8080/", "https://localhost/", "https://api.localhost/", "https://intranet/",
			"https://127.0.0.1/", "https://127.255.255.254:9/", "http://[::1]:8080/x", "https://10.0.0.1/", "https://172.16.0.1/",
			"https://172.31.255.255/", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/", "https://169.254.0.1/",
			"https://100.64.0.1/", "https://100.127.255.254/", "https://0.0.0.0/", "https://0.1.2.3/", "https://192.0.0.8/",
			"https://192.0.2.1/", "https://198.51.100.1/", "https://203.0.113.1/", "https://198.18.0.1/", "https://224.0.0.1/",
			"https://240.0.0.1/", "https://255.255.255.255/", "https://[::]/", "https://[fe80::1]/", "https://[fc00::1]/",
			"https://[fd12:3456::1]/", "https://[fd00:ec2::254]/", "https://[ff02::1]/", "https://[fec0::1]/", "https://[2001:db8::1]/",
			"https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::ffff:8.8.8.8]/", "https://[::127.0.0.1]/",
			"https://[64:ff9b::7f00:1]/", "https://[64:ff9b::10.0.0.1]/", "https://[64:ff9b:1::a00:1]/", "https://[2002:7f00:1::]/",
			"https://[2002:a00:1::1]/", "https://[2001:0:7f00:1::1]/", "https://[100::1]/", "https://[5f00::1]/",
			"https://[2606:4700::5efe:10.0.0.1]/", "https://[2606:4700::200:5efe:7f00:1]/",
			"https://example.com:80/", "https://example.com:22/", "https://example.com:1023/", "https://example.com:1/",
		},
		neither: {
			"", "https://", "https:///path", "https://:443/", "https:example.com", "//example.com/", "example.com", "/webhooks",
			"ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)", "data:,x", "ws://example.com/", "unix:///run/x",
			"https://user@example.com/", "https://user:password@example.com/", "https://@example.com/", "https://:@example.com/",
			"https://example.com@127.0.0.1/", "https://example.com/#fragment", "https://example.com#", "https://example.com/x#",
			"https://example.com:0/", "https://example.com:65536/", "https://example.com:99999/", "https://example.com:-1/",
			"https://example.com:/", "https://example.com:0443/", "https://example.com:443x/", "https://example.com:+443/",
			"https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://017700000001/", "https://0177.0.0.1/", "https://127.1/",
			"https://127.0.1/", "https://127.0.0.01/", "https://010.0.0.1/", "https://0x7f.0.0.1/", "https://127.0.0.0x1/", "https://256.1.1.1/",
			"https://1.2.3.4.5/", "https://8.8.8.8./", "https://0/", "https://00000000010/", "https://127.0.0.1./", "https://localhost./",
			"https://[::1%25lo]/", "https://[fe80::1%25eth0]/", "https://[::1/", "https://::1/", "https://[127.0.0.1]/", "https://[]/",
			"https://" + long(254) + "/", "https://" + long(255) + "/", "https://" + long(300) + "/", "https://" + strings.Repeat("a", 64) + ".com/",
			"https://example..com/", "https://.example.com/", "https://example.com./", "https://-a.example.com/", "https://a-.example.com/",
			"https://exa_mple.com/", "https://exämple.com/", "https://example。com/", "https://①②⑦.0.0.1/", "https://exam%70le.com/",
			"https://127.0.0.1%2f@example.com/", "https://example.com\\@127.0.0.1/", "https://exa mple.com/", "https://example.com/a b",
			"https://example.com/\u00e9", "https://example.com/\n", "https://example.com/\x00", " https://example.com/", "https://example.com/ ",
			"https://example.com/" + strings.Repeat("p", 2029), "https://*.example.com/", "https://example.com,example.org/",
		},
	} {
		for _, text := range texts {
			for private, accepts := range map[bool]bool{false: want.production, true: want.sandbox} {
				if reason := webhookURL(text, private); (reason == "") != accepts {
					t.Errorf("sandbox %t: %q is accepted %t: %s", private, text, !accepts, reason)
				}
			}
		}
	}
}

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
		if err := CheckWebhookAddress(netip.MustParseAddr(address)); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450:4001::200e"} {
		if err := CheckWebhookAddress(netip.MustParseAddr(address)); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Whatever is accepted leads to a name or to a public address, also for programs that read addresses generously.
func FuzzAddressesOfWebhooks(f *testing.F) {
	for _, text := range []string{
		"https://example.com/", "https://127.0.0.1/", "https://[::1]:8080/", "https://2130706433/", "https://0x7f.1/", "https://user@example.com#x",
		"https://[64:ff9b::7f00:1]/", "https://example.com:99999/", "https://[::ffff:10.0.0.1]/", "https://1.1.1.1:443/x?y",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if webhookURL(text, false) != "" {
			return
		}
		if reason := webhookURL(text, true); reason != "" {
			t.Errorf("%q is refused in the sandbox alone: %s", text, reason)
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Host == "" || strings.ContainsAny(u.Host, `@\ %`) {
			t.Fatalf("accepted %q: %v, %v", text, u, err)
		}
		host := u.Hostname()
		address, err := netip.ParseAddr(host)
		if err == nil {
			if CheckWebhookAddress(address) != nil || !address.IsGlobalUnicast() || address.IsPrivate() || address.Zone() != "" {
				t.Errorf("accepted %q, which is %s", text, address)
			}
			return
		}
		labels := strings.Split(strings.ToLower(host), ".")
		last := labels[len(labels)-1]
		if len(host) > 253 || len(labels) < 2 || last == "localhost" || strings.Trim(last, "0123456789abcdefx") == "" && strings.ContainsAny(last[:1], "0123456789") {
			t.Errorf("accepted %q, whose host is %q", text, host)
		}
	})
}
