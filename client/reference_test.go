package client_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// With a memory, results are those without one, of every operation about reference data, and 304 says what was not sent again.
func TestReferenceDataIsRemembered(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	checked := client.WithHTTPClient(s.HTTP)
	forgetful, c := connect(t, s.URL, checked), connect(t, s.URL, checked, client.WithReferenceMemory(1<<20))
	for name, read := range map[string]func(*client.Client, ...client.CallOption) (any, error){
		"payers": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.ListPayers(t.Context(), &api.ListPayersParams{Country: new("NP")}, o...)
		},
		"payer": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.GetPayer(t.Context(), 1003, o...)
		},
		"banks": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.ListBanks(t.Context(), nil, o...)
		},
		"bank": func(c *client.Client, o ...client.CallOption) (any, error) { return c.GetBank(t.Context(), 2001, o...) },
		"states": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.ListCountryStates(t.Context(), "US", o...)
		},
		"state": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.GetCountryState(t.Context(), "US", "CA", o...)
		},
		"statesV2": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.ListStatesV2(t.Context(), nil, o...)
		},
		"stateV2": func(c *client.Client, o ...client.CallOption) (any, error) {
			return c.GetStateV2(t.Context(), 840002, o...)
		},
	} {
		for _, reader := range []struct {
			client *client.Client
			want   bool
		}{{c, false}, {c, true}, {forgetful, false}, {forgetful, false}} {
			var info client.Info
			got := must(read(reader.client, client.CaptureInfo(&info)))(t)
			if want := must(read(forgetful))(t); info.NotModified != reader.want || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: not modified %t, want %t, with %v", name, info.NotModified, reader.want, got)
			}
		}
	}
	servertest.Exec(t, s.Beside(t), `update payers set name = 'Renamed' where id = 1003`)
	for i, want := range []bool{false, true} {
		var info client.Info
		if p := must(c.GetPayer(t.Context(), 1003, client.CaptureInfo(&info)))(t); p.Name != "Renamed" || info.NotModified != want {
			t.Errorf("call %d after a change: %s, not modified %t", i, p.Name, info.NotModified)
		}
	}
}

const aState, anotherState = `{"code":"CA","country":"US","name":"California"}`, `{"code":"CA","country":"US","name":"Calif"}`

// What is sent as If-None-Match, and what comes of the answers, call by call; each call is of the state that is named.
func TestWhatIsRemembered(t *testing.T) {
	t.Parallel()
	tagged := func(body, tag string) answer {
		return respond(200, body, "ETag", tag, "Cache-Control", "private, no-cache")
	}
	type call struct{ state, sent, got string } // got: the name, "" for an error
	for name, test := range map[string]struct {
		answers []answer
		calls   []call
	}{
		"confirmed":                     {[]answer{tagged(aState, `"1"`), respond(304, "", "ETag", `"1"`)}, []call{{"CA", "", "California"}, {"CA", `"1"`, "California"}, {"CA", `"1"`, "California"}}},
		"confirmed by a weak tag":       {[]answer{tagged(aState, `"1"`), respond(304, "", "ETag", `W/"1"`)}, []call{{"CA", "", "California"}, {"CA", `"1"`, "California"}}},
		"confirmed without a tag":       {[]answer{tagged(aState, `W/"1"`), respond(304, "")}, []call{{"CA", "", "California"}, {"CA", `W/"1"`, "California"}}},
		"replaced":                      {[]answer{tagged(aState, `"1"`), tagged(anotherState, `"2"`), respond(304, "")}, []call{{"CA", "", "California"}, {"CA", `"1"`, "Calif"}, {"CA", `"2"`, "Calif"}}},
		"another tag is confirmed":      {[]answer{tagged(aState, `"1"`), respond(304, "", "ETag", `"2"`)}, []call{{"CA", "", "California"}, {"CA", `"1"`, ""}}},
		"304 was not asked for":         {[]answer{respond(304, "", "ETag", `"1"`)}, []call{{"CA", "", ""}}},
		"of another path":               {[]answer{tagged(aState, `"1"`)}, []call{{"CA", "", "California"}, {"NY", "", "California"}}},
		"no tag, as an older service":   {[]answer{respond(200, aState)}, []call{{"CA", "", "California"}, {"CA", "", "California"}}},
		"not to be stored":              {[]answer{respond(200, aState, "ETag", `"1"`, "Cache-Control", "no-store")}, []call{{"CA", "", "California"}, {"CA", "", "California"}}},
		"cannot be read":                {[]answer{tagged(`{"code":"CA"}`, `"1"`)}, []call{{"CA", "", ""}, {"CA", "", ""}}},
		"refused, and kept":             {[]answer{tagged(aState, `"1"`), refuse(404, client.NotFound), respond(304, "")}, []call{{"CA", "", "California"}, {"CA", `"1"`, ""}, {"CA", `"1"`, "California"}}},
		"repeated, and confirmed":       {[]answer{tagged(aState, `"1"`), refuse(503, client.ServiceUnavailable), respond(304, "")}, []call{{"CA", "", "California"}, {"CA", `"1"`, "California"}}},
		"longer than the memory":        {[]answer{tagged(strings.Replace(aState, "California", strings.Repeat("x", 200), 1), `"1"`)}, []call{{"CA", "", strings.Repeat("x", 200)}, {"CA", "", strings.Repeat("x", 200)}}},
		"the one used longest ago goes": {[]answer{tagged(aState, `"1"`), tagged(aState, `"2"`), respond(304, ""), tagged(aState, `"3"`), respond(304, ""), tagged(aState, `"2"`)}, []call{{"CA", "", "California"}, {"NY", "", "California"}, {"CA", `"1"`, "California"}, {"WA", "", "California"}, {"CA", `"1"`, "California"}, {"NY", "", "California"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const room = 120 // for two answers
			n, c := dialWith(t, []client.Option{client.WithReferenceMemory(room), client.WithBackoff(time.Millisecond, time.Millisecond)}, test.answers...)
			for i, call := range test.calls {
				got, err := c.GetCountryState(t.Context(), "US", call.state)
				if (err == nil) != (call.got != "") || err == nil && got.Name != call.got {
					t.Errorf("call %d: got %v, %v", i, got, err)
				}
				if sent := n.seen[len(n.seen)-1].header.Get("If-None-Match"); sent != call.sent {
					t.Errorf("call %d: sent %s, want %s", i, sent, call.sent)
				}
			}
		})
	}
}

// Only reference data is remembered: nothing about a user is.
func TestNothingElseIsRemembered(t *testing.T) {
	t.Parallel()
	n, c := dialWith(t, []client.Option{client.WithReferenceMemory(1 << 20)}, respond(200, theUser, "ETag", `"1"`))
	for range 2 {
		if _, err := c.GetUser(t.Context(), userID); err != nil || n.seen[len(n.seen)-1].header.Get("If-None-Match") != "" {
			t.Errorf("%v, sent %v", err, n.seen)
		}
	}
	if _, err := client.New(baseURL, clientID, secret, client.WithReferenceMemory(0)); err == nil {
		t.Error("a memory without room is accepted")
	}
}

// Calls that share a memory do not disturb each other.
func TestTheMemoryIsShared(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := connect(t, s.URL, client.WithHTTPClient(&http.Client{Transport: s.HTTP.Transport}), client.WithReferenceMemory(4<<10))
	concurrently(8, times(400), func() {
		for _, country := range []string{"NP", "IN", "MX"} {
			payers, err := c.ListPayers(t.Context(), &api.ListPayersParams{Country: &country})
			if err != nil || len(payers) == 0 || payers[0].Country != country {
				t.Errorf("%s: %d payers, %v", country, len(payers), err)
			}
		}
	})
}
