package story

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// The key of webhook secrets is replaced: secrets of before are still read, new ones are not for those who have the file of long
// before. A replica that was started with it says so, delivers nothing and loses nothing (D-68).
func TestTheKeyOfWebhookSecretsIsReplaced(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, p *place) {
		s := p.serve(t)
		p.names.set("hooks.example.com", public)
		endpoint := got(s.CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: "https://hooks.example.com/"}))(t)
		receiver := p.receive(t, *endpoint.Secret)
		arrives := func(event uuid.UUID) {
			t.Helper()
			within(t, "the ping arrives, signed", receiver.lines, func(line string) (none struct{}, ok bool) {
				if strings.Contains(line, "refused") {
					t.Errorf("the receiver says %s", line)
				}
				return none, strings.Contains(line, event.String())
			})
		}
		arrives(s.test(t, endpoint.ID))

		right, rotations := s.keyset, 2
		before := p.file(t, "before.json", string(got(os.ReadFile(right))(t)))
		for range rotations {
			s.payoutd(t, "secrets-key", "rotate", right)
		}
		s.run(t)
		got(s.RotateWebhookSecret(t.Context(), endpoint.ID))(t) // one secret for each key: both sign
		arrives(s.test(t, endpoint.ID))

		s.keyset = before
		s.run(t)
		event := s.test(t, endpoint.ID)
		says := within(t, "the log says that a delivery cannot be made", s.logged, func(line string) (string, bool) {
			return line, strings.Contains(line, event.String())
		})
		if !strings.Contains(says, "open the secret of webhook endpoint "+endpoint.ID.String()) {
			t.Errorf("the log says %s", says)
		}
		response := got(http.Get(s.metrics))(t)
		defer response.Body.Close()
		if metrics := got(io.ReadAll(response.Body))(t); !regexp.MustCompile(`(?m)^payoutd_webhook_troubles_total [1-9]`).Match(metrics) {
			t.Errorf("no trouble is counted: %s", regexp.MustCompile(`(?m)^payoutd_webhook_troubles.*$`).FindAll(metrics, -1))
		}
		for d, err := range s.WebhookDeliveries(t.Context(), endpoint.ID, nil) {
			if err != nil || d.EventID == event && (len(d.Attempts) > 0 || d.Status != "PENDING") {
				t.Errorf("%+v, %v", d, err)
			}
		}

		s.keyset = right
		s.run(t)
		arrives(event)
		if text := string(got(os.ReadFile(right))(t)); strings.Count(text, `"keyId"`) != rotations+2 {
			t.Errorf("the file has %d keys", strings.Count(text, `"keyId"`))
		}
	})
}
