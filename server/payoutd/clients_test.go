package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// acme is a profile with all members. NO is a country here, and two destinations share their tiers.
const acme = `id: acme
name: Acme Remit
corridors:
  - {country: US, currency: USD}
  - {country: NO, currency: KWD}
destinations:
  - country: NP
    tiers: &standard
      - limits:
          - {currency: USD, daily: 1000.00, monthly: 3000, annual: "10000"}
          - {currency: KWD, daily: 0.001, monthly: 3000, annual: 100000.5}
      - limits:
          - {currency: USD, daily: 2000.50, monthly: 3000, annual: 1000000000000}
          - {currency: KWD, daily: 10, monthly: 3000, annual: 100000.500}
        required_tags:
          individual: [EMAIL, ID_DOC]
          business: [EIN_DOC]
  - country: JP
    tiers: *standard
exchange_rates:
  - {from: USD, to: NPR, min: 100, max: "200.50"}
  - {from: KWD, to: JPY, min: 0.30, max: 1000000000}
`

// file writes a profile, each pair of texts replaced.
func file(t *testing.T, text string, replace ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "client.yaml")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(replace...).Replace(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	nothingChanges = "No change: client acme is already as in the file.\n"
	dryRun         = "Dry run: nothing was changed.\n"
	acmeIsNew      = "+ client acme\n+ corridor US/USD\n+ corridor NO/KWD\n+ destination NP\n+ destination JP\n" +
		"+ exchange rate USD/NPR from 100 to 200.5\n+ exchange rate KWD/JPY from 0.3 to 1000000000\n"
)

func TestApplyIsIdempotent(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		path := file(t, acme)
		if got := o.done(t, "clients", "apply", "-f", path, "--dry-run"); got != acmeIsNew+dryRun {
			t.Errorf("the dry run prints\n%s", got)
		}
		o.prints(t, "clients_none.txt", "clients", "list") // nothing was written
		out := o.done(t, "clients", "apply", "-f", path)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		secret := lines[len(lines)-1]
		if !strings.HasPrefix(out, acmeIsNew+"The new secret of client acme") || len(secret) != 43 {
			t.Errorf("apply prints\n%s", out)
		}
		shown := o.done(t, "clients", "show", "acme")
		json := o.done(t, "clients", "show", "acme", "--json")
		fingerprint := payout.HashSecret(secret)[:12]
		for _, text := range []string{shown, json} {
			if strings.Contains(text, secret) || !strings.Contains(text, fingerprint) || strings.Contains(text, payout.HashSecret(secret)) {
				t.Errorf("show prints\n%s", text)
			}
		}
		for range 2 {
			if got := o.done(t, "clients", "apply", "-f", path); got != nothingChanges {
				t.Errorf("the second apply prints\n%s", got)
			}
		}
		if got := o.done(t, "clients", "apply", "-f", file(t, shown)); got != nothingChanges {
			t.Errorf("to apply what show prints is\n%s", got)
		}
		if after := o.done(t, "clients", "show", "acme"); after != shown {
			t.Errorf("then it is\n%s\nafter\n%s", after, shown)
		}
	})
}

func TestApplyPrintsChanges(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.done(t, "clients", "apply", "-f", file(t, acme))
		before := o.done(t, "clients", "show", "acme")
		changed := file(t, before, "Acme Remit", "Acme", "daily: 2000.50", "daily: 2500", "[EMAIL, ID_DOC]", "[CITY, ID_DOC]",
			"  - country: JP\n", "  - country: MX\n", "currency: KWD", "currency: EUR", "0.001", "0.01", "min: 100", "min: 110", "from: KWD", "from: EUR")
		want := `~ name: Acme Remit -> Acme
~ corridors[NO].currency: KWD -> EUR
- destinations[NP].tiers[0].limits[KWD]
+ destinations[NP].tiers[0].limits[EUR]
- destinations[NP].tiers[1].required_tags.individual EMAIL
+ destinations[NP].tiers[1].required_tags.individual CITY
~ destinations[NP].tiers[1].limits[USD].daily: 2000.50 -> 2500.00
- destinations[NP].tiers[1].limits[KWD]
+ destinations[NP].tiers[1].limits[EUR]
- destination JP
+ destination MX
~ exchange_rates[USD/NPR].min: 100 -> 110
- exchange rate KWD/JPY from 0.3 to 1000000000
+ exchange rate EUR/JPY from 0.3 to 1000000000
`
		if got := o.done(t, "clients", "apply", "-f", changed, "--dry-run"); got != want+dryRun {
			t.Errorf("the dry run prints\n%s", got)
		}
		if after := o.done(t, "clients", "show", "acme"); after != before {
			t.Errorf("the dry run wrote\n%s", after)
		}
		o.done(t, "clients", "disable", "acme")
		if got := o.done(t, "clients", "apply", "-f", changed); got != want {
			t.Errorf("apply prints\n%s", got)
		}
		if got := o.done(t, "clients", "apply", "-f", changed); got != nothingChanges {
			t.Errorf("then it prints\n%s", got)
		}
		if after := o.done(t, "clients", "show", "acme"); !strings.Contains(after, ", disabled\n") {
			t.Errorf("to apply is not to enable\n%s", after)
		}
		// The order of destinations means nothing, that of tiers does.
		begin, _, _ := strings.Cut(acme, "      - limits:\n          - {currency: USD, daily: 2000.50")
		one := strings.Replace(begin, "&standard", "", 1)
		want = "~ name: Acme -> Acme Remit\n~ corridors[NO].currency: EUR -> KWD\n"
		if got := o.done(t, "clients", "apply", "-f", file(t, one)); !strings.HasPrefix(got, want) || !strings.Contains(got, "- destinations[NP].tiers[1]\n") {
			t.Errorf("a tier less prints\n%s", got)
		}
	})
}

func TestApplyRejectsInvalidProfiles(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		wrong := file(t, acme, "id: acme", "id: sandbox", "daily: 1000.00", "daily: 1000.001")
		o.refused(t, exitUsage, "--file (or $PAYOUTD_FILE) "+wrong+" is not a client profile:\n"+
			"  line 1: id must not be that of a sandbox client, whose secret everybody knows\n"+
			"  line 10: destinations[0].tiers[0].limits[0].daily must have at most 2 decimals in USD\n"+
			"  line 10: destinations[1].tiers[0].limits[0].daily must have at most 2 decimals in USD",
			"clients", "apply", "-f", wrong)
		long := file(t, strings.Repeat("#", maxProfile+1))
		o.refused(t, exitUsage, "--file (or $PAYOUTD_FILE) "+long+" has more than 1048576 bytes", "clients", "apply", "-f", long)
		o.refused(t, exitUsage, "--file (or $PAYOUTD_FILE) open nowhere.yaml: no such file or directory", "clients", "apply", "-f", "nowhere.yaml")
		o.prints(t, "clients_none.txt", "clients", "list")
	})
}

func TestSandboxAcceptsNoOtherClients(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		s, err := server.New(t.Context(), server.Config{Database: o.url, Sandbox: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		o.refused(t, exitUsage, "--database (or $PAYOUTD_DATABASE) is that of a sandbox, which accepts only the sandbox clients",
			"clients", "apply", "-f", file(t, acme))
	})
}

func TestSecretsAreNamedByTheirFingerprint(t *testing.T) {
	t.Parallel()
	first, second := newSecret(), newSecret()
	if first == second || len(first) != 43 || strings.Trim(first, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		t.Errorf("%q, %q", first, second)
	}
	hash := payout.HashSecret(first)
	if got := store.Fingerprint(hash); !fingerprintPattern.MatchString(got) || !strings.HasPrefix(hash, got) {
		t.Errorf("%q", got)
	}
}

func TestTimesAreUTC(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 1, 0, 0, 5, time.FixedZone("", 5*3600+45*60))
	if got := utc(at); got != "2026-03-13T19:15:00Z" || utc(time.Time{}) != "" {
		t.Errorf("%s", got)
	}
}
