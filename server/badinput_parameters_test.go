package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-19: missing, unknown and wrong credentials answer the same 401 on every operation, before anything else is judged.
func TestBadInputOfCredentials(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	db := s.Beside(t)
	faultRun(t, db,
		`insert into clients (id, name, profile, disabled, created_at) values ('disabled', 'D', '{}', true, 0)`,
		`insert into clients (id, name, profile, disabled, created_at) values ('expired', 'E', '{}', false, 0)`,
		`insert into client_secrets (client_id, hash, created_at, expires_at) select 'disabled', hash, 0, null from client_secrets where client_id = 'sandbox'`,
		`insert into client_secrets (client_id, hash, created_at, expires_at) select 'expired', hash, 0, 1 from client_secrets where client_id = 'sandbox'`)
	watch := badWatch{db}
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	for _, op := range s.Contract.Operations() {
		for _, c := range []struct{ name, id, secret string }{
			{"none", "-", "-"},
			{"id alone", first.ID, "-"},
			{"secret alone", "-", first.Secret},
			{"empty id", "", first.Secret},
			{"empty secret", first.ID, ""},
			{"wrong secret", first.ID, first.Secret + "x"},
			{"secret in another case", first.ID, strings.ToUpper(first.Secret)},
			{"unknown client", "nobody", first.Secret},
			{"secret of another client", first.ID, second.Secret},
			{"disabled client", "disabled", first.Secret},
			{"expired secret", "expired", first.Secret},
		} {
			t.Run(op.ID+"/"+c.name, func(t *testing.T) {
				h := badHeader("X-Client-Id", c.id, "X-Client-Secret", c.secret, "Content-Type", "text/plain")
				for name, values := range h {
					if values[0] == "-" {
						h.Del(name)
					}
				}
				watch.unchanged(t, func() {
					body := w.body(t, op)
					a := badSend(t, s, op.Method, w.path(t, op), h, bytes.NewReader(body), int64(len(body)))
					e := a.refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
					if got, want := a.header.Get("WWW-Authenticate"), `Client headers="X-Client-Id X-Client-Secret"`; got != want {
						t.Errorf("WWW-Authenticate is %q, want %q", got, want)
					}
					if e.Message != "The headers X-Client-Id and X-Client-Secret do not name an active client." || e.Details != nil {
						t.Errorf("answers %+v, which tells more than the others", e)
					}
				})
			})
		}
	}
}

// D-48: what an operation does not know in its query, and a query that cannot be read, answer 400 on every operation.
func TestBadInputOfEveryQuery(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	watch := badWatch{s.Beside(t)}
	for _, op := range s.Contract.Operations() {
		for _, c := range []struct{ name, query, field string }{
			{"unknown", "contry=NP", "contry"},
			{"unknown and empty", "x", "x"},
			{"known in another case", "COUNTRY=NP", "COUNTRY"},
			{"semicolon", "a;b", ""},
			{"broken escape", "%zz", ""},
		} {
			t.Run(op.ID+"/"+c.name, func(t *testing.T) {
				path := w.path(t, op)
				if strings.Contains(path, "?") {
					path += "&" + c.query
				} else {
					path += "?" + c.query
				}
				watch.unchanged(t, func() {
					e := call(t, s, op.Method, path, w.body(t, op)).refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
					badNamed(t, e, badField{api.ErrorDetailInQuery, c.field})
				})
			})
		}
	}
}

// The parameters of the query hold to their schemas (section 4; D-02, D-18, D-29, D-32).
func TestBadInputOfQueryParameters(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := "/users/" + isolationNew(t, s.Client)["user_id"]
	for _, c := range []struct{ name, path, field string }{
		{"payers of a country in lower case", "/payers?country=np", "country"},
		{"payers of a country of one letter", "/payers?country=N", "country"},
		{"payers of an empty country", "/payers?country=", "country"},
		{"payers of two countries", "/payers?country=NP&country=IN", "country"},
		{"payers of a country with NUL", "/payers?country=N%00", "country"},
		{"payers of a country that is no UTF-8", "/payers?country=%ff", "country"},
		{"payers of an unknown method", "/payers?payout_method=CHEQUE", "payout_method"},
		{"payers of a method in lower case", "/payers?payout_method=wallet", "payout_method"},
		{"payers of an unknown method in the other spelling", "/payers?delivery_method=CHEQUE", "delivery_method"},
		{"payers of two methods", "/payers?payout_method=WALLET&delivery_method=CASH_PICKUP", "delivery_method"},
		{"banks of a country of three letters", "/banks?country=NPL", "country"},
		{"states of a country of three letters", "/v2/states?countryCode=USA", "countryCode"},
		{"limits without a destination", user + "/transaction-limit", "destination"},
		{"limits for a destination of three letters", user + "/transaction-limit?destination=NPL", "destination"},
		{"limits for two destinations", user + "/transaction-limit?destination=NP&destination=IN", "destination"},
		{"page of none", user + "/transactions?limit=0", "limit"},
		{"page of less than none", user + "/transactions?limit=-1", "limit"},
		{"page of too many", user + "/transactions?limit=101", "limit"},
		{"page of a fraction", user + "/transactions?limit=1.0", "limit"},
		{"page of a word", user + "/transactions?limit=all", "limit"},
		{"page of a number with a plus", user + "/transactions?limit=%2B5", "limit"},
		{"page of a huge number", user + "/transactions?limit=99999999999999999999", "limit"},
		{"cursor with other letters", user + "/transactions?cursor=a%2Fb", "cursor"},
		{"cursor of nowhere", user + "/transactions?cursor=abcd", "cursor"},
		{"cursor too long", user + "/transactions?cursor=" + strings.Repeat("a", 201), "cursor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := call(t, s, http.MethodGet, c.path, nil).refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
			badNamed(t, e, badField{api.ErrorDetailInQuery, c.field})
		})
	}
}

// D-10: malformed identifiers in the path answer 400 on every operation, and name the parameter.
func TestBadInputOfIdentifiersInThePath(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	watch := badWatch{s.Beside(t)}
	uuids := map[string]string{
		"word": "asha", "urn": "urn:uuid:" + w["user_id"], "braces": "%7B" + w["user_id"] + "%7D",
		"without hyphens": strings.ReplaceAll(w["user_id"], "-", ""), "one digit more": w["user_id"] + "0",
		"NUL": "%00", "no UTF-8": "%ff", "slash": w["user_id"] + "%2F",
	}
	integers := map[string]string{
		"word": "first", "zero": "0", "negative": "-1", "plus": "%2B1", "leading zero": "01", "fraction": "1.0",
		"exponent": "1e3", "hexadecimal": "0x1", "2^63": "9223372036854775808", "space": "1%20",
	}
	kinds := map[string]map[string]string{
		"payerId": integers, "bankId": integers, "stateId": integers,
		"countryCode": {"lower case": "us", "three letters": "USA", "digit": "U1"},
		"stateCode":   {"lower case": "ca", "four letters": "CALI", "hyphen": "C-A"},
	}
	for _, op := range s.Contract.Operations() {
		for _, name := range isolationParameters(op) {
			values, ok := kinds[name]
			if !ok {
				values = uuids
			}
			for kind, value := range values {
				t.Run(op.ID+"/"+name+"/"+kind, func(t *testing.T) {
					watch.unchanged(t, func() {
						a := w.with(isolationWorld{name: value}, name).send(t, s, op)
						e := a.refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
						badNamed(t, e, badField{api.ErrorDetailInPath, name})
					})
				})
			}
		}
	}
}

// D-08: the parameters and the body of one request are judged together.
func TestBadInputInSeveralPlaces(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	h := badHeader("X-Idempotency-Key", strings.Repeat("k", 256))
	body := `{"from_amount":"1"}`
	a := badSend(t, s, http.MethodPost, "/users/asha/transactions?x=1", h, strings.NewReader(body), int64(len(body)))
	e := a.refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
	badNamed(t, e, append(
		badBody("/from_amount", "/exchange_rate", "/from_currency", "/to_currency", "/from_fund_id", "/to"),
		badField{api.ErrorDetailInPath, "user_id"}, badField{api.ErrorDetailInQuery, "x"},
		badField{api.ErrorDetailInHeader, "X-Idempotency-Key"},
	)...)
}

// D-48: a body that breaks off, or is framed wrongly, is the caller's fault: 400 that says so, and nothing written.
func TestBadInputThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	watch := badWatch{s.Beside(t)}
	user := badUser.with()
	for name, framing := range map[string]string{
		"shorter than announced": "Content-Length: 1000\r\n\r\n" + user,
		"chunk cut off":          "Transfer-Encoding: chunked\r\n\r\nff\r\n" + user,
		"no chunk at all":        "Transfer-Encoding: chunked\r\n\r\n" + user,
	} {
		t.Run(name, func(t *testing.T) {
			watch.unchanged(t, func() {
				conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				var head bytes.Buffer
				if err := badHeader("Host", "payouts").Write(&head); err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Write([]byte("POST /users HTTP/1.1\r\n" + head.String() + framing)); err != nil {
					t.Fatal(err)
				}
				if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				e := answer{resp.StatusCode, resp.Header, text}.refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
				badNamed(t, e, badField{api.ErrorDetailInBody, ""})
			})
		})
	}
}

// An identifier in the path is the same however it is percent-encoded (RFC 3986, section 2.3), in every operation.
func TestBadInputIsNotWhatIsPercentEncoded(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	for _, op := range s.Contract.Operations() {
		for _, name := range isolationParameters(op) {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				encoded := isolationWorld{name: fmt.Sprintf("%%%02X%s", w[name][0], w[name][1:])}
				if a := w.with(encoded, name).send(t, s, op); a.status != http.StatusOK {
					t.Errorf("status %d: %s", a.status, a.body)
				}
			})
		}
	}
}
