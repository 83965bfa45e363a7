package story

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	_ "modernc.org/sqlite" // the driver

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Values that can be searched for.
const (
	canaryName    = "Canaryname"
	canaryMail    = "canary@example.com"
	canaryAccount = "8675309867"
	canaryNumber  = "CANARY1234567" // of a document
	canaryText    = "Canary document content"
	canaryQuery   = "canaryquery" // of the URL of an endpoint
)

var canaryContent = base64.StdEncoding.EncodeToString([]byte(canaryText))

// seen keeps what a client gets: the errors, and all answers.
type seen struct {
	mu             sync.Mutex
	errors, others strings.Builder
}

// RoundTrip implements http.RoundTripper.
func (s *seen) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	if response.StatusCode >= http.StatusBadRequest {
		s.errors.Write(body)
		fmt.Fprint(&s.errors, response.Header)
	} else {
		s.others.Write(body)
	}
	return response, err
}

// told is what the story has made.
type told struct {
	secret            string // of the endpoint
	endpoint          uuid.UUID
	user, transaction uuid.UUID
}

// keepsWhatIsSecret looks for secrets and personal data in every place where others than the client may read.
func (s *service) keepsWhatIsSecret(t *testing.T, of told) {
	t.Helper()
	ctx := t.Context()
	// Further deliveries, of which some fail, and further secrets.
	rotated := got(s.RotateWebhookSecret(ctx, of.endpoint))(t)
	p := s.place
	p.names.set("nowhere.example.com", "10.0.0.1")
	failing := got(s.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{URL: "https://nowhere.example.com/?token=" + canaryQuery}))(t)
	for _, id := range []uuid.UUID{of.endpoint, failing.ID} {
		s.attempted(t, id, s.test(t, id))
	}
	// Requests that are refused.
	for _, url := range []string{
		"http://example.com/?token=" + canaryQuery, "https://" + canaryQuery + ":pass@example.com/", "https://" + canaryQuery, "https://10.0.0.1/" + canaryQuery,
	} {
		if _, err := s.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{URL: url}); err == nil {
			t.Errorf("%s is accepted", url)
		} else if strings.Contains(err.Error(), canaryQuery) {
			t.Errorf("%s is quoted: %v", url, err)
		}
	}
	given := s.seen.others.String() // until here: all that showed a secret
	if n := strings.Count(given, "whsec_"); n != 3 || !strings.Contains(given, of.secret) {
		t.Errorf("%d secrets were shown, want those of two creations and a rotation", n)
	}
	s.seen.others.Reset()

	got(s.GetWebhookEndpoint(ctx, of.endpoint))(t)
	got(s.UpdateWebhookEndpoint(ctx, failing.ID, api.WebhookEndpointChange{Description: new("still failing")}))(t)
	for _, err := range s.WebhookEndpoints(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.attempted(t, failing.ID, s.test(t, failing.ID))
	for _, text := range []string{canaryName, canaryMail, of.user.String(), of.transaction.String(), of.endpoint.String()} {
		for _, form := range []string{"", "--json"} {
			args := []string{"find", text}
			if form != "" {
				args = append(args, form)
			}
			s.payoutd(t, args...)
		}
	}
	user, transaction := of.user.String(), of.transaction.String()
	s.payoutd(t, "users", "show", user)
	s.payoutd(t, "users", "show", user, "--json")
	s.forget(canaryName)
	for _, command := range []string{
		"clients list", "clients show wide", "users list --client=wide", "users documents list " + user,
		"funding-accounts list --client=wide --user=" + user, "transactions list --client=wide", "transactions show " + transaction,
		"limits show " + user, "audit list", "migrate status",
	} {
		args := strings.Fields(command)
		s.payoutd(t, args...)
		if command != "clients show wide" { // it is YAML
			s.payoutd(t, append(args, "--json")...)
		}
	}

	secrets := map[string]string{"the secret of the client": s.secret, "the query of a URL": canaryQuery}
	for what, secret := range map[string]string{
		"the first secret of a webhook": of.secret, "the second secret of a webhook": rotated.Secret, "the secret of another webhook": *failing.Secret,
	} {
		plain := strings.TrimPrefix(secret, "whsec_")
		raw, err := base64.StdEncoding.DecodeString(plain)
		if err != nil {
			t.Fatal(err)
		}
		secrets[what], secrets[what+", decoded"] = plain, string(raw)
	}
	for i, key := range keysOf(t, s.keyset) {
		secrets[fmt.Sprintf("key %d of secrets", i)] = key
	}
	personal := map[string]string{
		"a name": canaryName, "an email address": canaryMail, "an account": canaryAccount, "the number of a document": canaryNumber,
		"a document": canaryText, "an encoded document": canaryContent,
	}
	tables := s.tables(t)
	response := got(http.Get(s.metrics))(t)
	metrics, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Contains(metrics, []byte("payoutd_webhook_attempts_total")) {
		t.Fatalf("%s: %v", metrics, err)
	}
	_ = response.Body.Close()
	s.end()
	for range s.logged { // until the last line is in the log
	}

	for place, in := range map[string]string{
		"the log": s.wholeLog(), "the metrics": string(metrics), "an error": s.seen.errors.String(), "the output of a command": s.output.String(),
		"the table river_job": tables["river_job"], "the table audit_log": tables["audit_log"],
	} {
		if len(in) < 100 {
			t.Errorf("there is nothing in %s: %s", place, in)
		}
		for _, values := range []map[string]string{secrets, personal} {
			for what, value := range values {
				if i := strings.Index(in, value); i >= 0 {
					t.Errorf("%s turns up in %s: %s", what, place, in[max(0, i-200):min(len(in), i+200)])
				}
			}
		}
	}
	delete(secrets, "the query of a URL")
	tables["an answer of the API"] = s.seen.others.String()
	for place, in := range tables {
		for what, value := range secrets {
			if strings.Contains(in, value) {
				t.Errorf("%s turns up in %s", what, place)
			}
		}
	}
	if !strings.Contains(tables["users"], canaryName) || !strings.Contains(tables["webhook_endpoints"], canaryQuery) {
		t.Error("the tables are not read as they are")
	}
}

// keysOf returns the keys of a keyset, as they are in its file.
func keysOf(t *testing.T, file string) (keys []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var keyset struct {
		Key []struct{ KeyData struct{ Value string } }
	}
	if err := json.Unmarshal(text, &keyset); err != nil || len(keyset.Key) != 2 {
		t.Fatalf("%d keys: %v", len(keyset.Key), err)
	}
	for _, k := range keyset.Key {
		keys = append(keys, k.KeyData.Value)
	}
	return keys
}

// tables returns all that is in the database, by table.
func (s *service) tables(t *testing.T) map[string]string {
	t.Helper()
	driver, source, names := "pgx", s.database, `select table_name from information_schema.tables where table_schema = 'public'`
	if file, ok := strings.CutPrefix(s.database, "sqlite:"); ok {
		driver, source, names = "sqlite", "file:"+filepath.ToSlash(file), `select name from sqlite_master where type = 'table'`
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := func(query string) (text string) {
		t.Helper()
		found, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		columns, err := found.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for found.Next() {
			if err := found.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				text += fmt.Sprint(v) + "\n"
			}
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return text
	}
	all := map[string]string{}
	for name := range strings.FieldsSeq(rows(names)) {
		all[name] = rows(`select * from ` + name)
	}
	return all
}
