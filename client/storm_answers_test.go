package client_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// falseSuccesses have a status of success.
func falseSuccesses() []fault {
	of := func(name string, status int, contentType, body string) fault {
		return fault{name, either, func(m *meeting) { m.reply(status, contentType, body) }}
	}
	true2xx := func(status int) fault {
		return fault{fmt.Sprintf("%d with the transaction", status), after, func(m *meeting) {
			m.reply(status, "application/json", string(m.original.body))
		}}
	}
	return []fault{
		of("200 that is empty", 200, "application/json", ""),
		of("200 without anything", 200, "", ""),
		of("200 with HTML", 200, isHTML, webPage),
		of("200 with HTML that claims to be JSON", 200, "application/json", webPage),
		of("200 with {}", 200, "application/json", "{}"),
		of("200 with null", 200, "application/json", "null"),
		of("200 with []", 200, "application/json", "[]"),
		of("200 with [{}]", 200, "application/json", "[{}]"),
		of("200 with a string", 200, "application/json", `"ok"`),
		of("200 with true", 200, "application/json", "true"),
		of("200 with a number", 200, "application/json", "1"),
		of("200 of a health check", 200, "application/json", `{"status":"ok"}`),
		of("200 with an error", 200, "application/json", `{"status":404,"code":"NOT_FOUND","message":"There is no such thing.","request_id":"r"}`),
		of("200 with malformed JSON", 200, "application/json", `{"id":"`),
		of("200 with a list of transactions", 200, "application/json", `{"items":[],"next_cursor":null}`),
		true2xx(201), true2xx(202), true2xx(203), true2xx(206), true2xx(226),
		of("201 without a body", 201, "application/json", ""), of("202 without a body", 202, "", ""),
		of("202 of a queue", 202, "application/json", `{"message":"Accepted"}`),
		of("204", 204, "", ""), of("205", 205, "", ""), of("206 without a body", 206, "", ""),
		{"204 with the transaction", after, func(m *meeting) {
			m.raw(head("HTTP/1.1 204 No Content", len(m.original.body)), string(m.original.body))
		}},
		{"200 with text/plain", after, func(m *meeting) { m.reply(200, isText, string(m.original.body)) }},
		{"200 with more than one value", after, func(m *meeting) {
			m.reply(200, "application/json", string(m.original.body)+webPage)
		}},
		{"200 in an envelope", after, func(m *meeting) { m.reply(200, "application/json", `{"data":`+string(m.original.body)+`}`) }},
	}
}

// alteredSuccesses are successes in which one member was changed. If there is no such member, it is the id.
func alteredSuccesses() []fault {
	alter := func(name string, change func(value string) string, members ...string) fault {
		return fault{name, after, func(m *meeting) {
			var all map[string]json.RawMessage
			if json.Unmarshal(m.original.body, &all) != nil || m.original.status != 200 {
				m.raw("")
				return
			}
			member := members[m.random.IntN(len(members))]
			changed := change(string(all[member]))
			if all[member] == nil {
				member, changed = "id", "null"
			}
			if all[member] = json.RawMessage(changed); changed == "" {
				delete(all, member)
			}
			body, err := json.Marshal(all)
			if err != nil { // the change is no JSON
				var text []string
				for _, name := range slices.Sorted(maps.Keys(all)) {
					text = append(text, fmt.Sprintf("%q:%s", name, all[name]))
				}
				body = []byte("{" + strings.Join(text, ",") + "}")
			}
			m.reply(200, "application/json", string(body))
		}}
	}
	to := func(value string) func(string) string { return func(string) string { return value } }
	amounts := []string{"from_amount", "to_amount", "fee_amount", "bonus_amount", "exchange_rate"}
	required := append([]string{
		"id", "user_id", "created_at", "status", "delivery_status", "from_currency", "to_currency", "from_fund_id",
		"funding_source_type", "physical_documents", "to",
	}, amounts...)
	return []fault{
		alter("without an id", to(""), "id"),
		alter("without a member", to(""), required...),
		alter("a member that is null", to("null"), required...),
		alter("an id that is null", to("null"), "id"),
		alter("an id that is no UUID", to(`"4711"`), "id"),
		alter("an id that is a number", to("4711"), "id"),
		alter("an id that is all zeros", to(`"00000000-0000-0000-0000-000000000000"`), "id"),
		alter("a time with a zone", func(v string) string { return strings.TrimSuffix(v, `"`) + `Z"` }, "created_at"),
		alter("a time that is a number", to("1789000000"), "created_at"),
		alter("a number with an exponent", to("1e2"), amounts...),
		alter("an amount as a string", func(v string) string { return `"` + v + `"` }, amounts...),
		alter("an amount that is NaN", to("NaN"), amounts...),
		alter("an object that is a string", to(`"[object Object]"`), "to"),
		alter("an array that is an object", to("{}"), "physical_documents"),
	}
}

// redirects lead to the same address, elsewhere, nowhere and to what is no address.
func redirects() []fault {
	all := []fault{{"304", either, func(m *meeting) { m.reply(304, "", "") }}}
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		for name, location := range map[string]func(*meeting) string{
			"itself":    func(m *meeting) string { return m.r.URL.Path },
			"elsewhere": func(m *meeting) string { return m.stranger + m.r.URL.Path },
			"a login":   func(*meeting) string { return "/login?next=%2Fusers" },
			"''":        func(*meeting) string { return "" },
			"no URL":    func(*meeting) string { return "http://[::1/%zz\x7f" },
		} {
			all = append(all, fault{fmt.Sprintf("%d to %s", status, name), either, func(m *meeting) {
				m.reply(status, isHTML, webPage, "Location", location(m))
			}})
		}
		all = append(all, fault{fmt.Sprintf("%d without a Location", status), either, func(m *meeting) { m.reply(status, isHTML, webPage) }})
	}
	slices.SortFunc(all, func(a, b fault) int { return strings.Compare(a.name, b.name) }) // the seed draws by position
	return all
}

// pages are failures of proxies, with a page of theirs or without anything.
func pages() (all []fault) {
	for _, status := range []int{
		400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 418, 421, 422, 423, 425, 426, 428, 429, 431, 451, 499,
		500, 501, 502, 503, 504, 505, 507, 511, 520, 522, 525, 529, 599,
	} {
		all = append(all, fault{fmt.Sprint(status, " with HTML"), either, func(m *meeting) {
			if status == 407 || status == 401 {
				m.w.Header().Set("WWW-Authenticate", "Basic")
				m.w.Header().Set("Proxy-Authenticate", "Basic")
			}
			m.reply(status, isHTML, webPage)
		}})
	}
	for _, status := range []int{400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 502, 503} {
		all = append(all, fault{fmt.Sprint(status, " without a body"), either, func(m *meeting) { m.reply(status, "", "") }})
	}
	return all
}

// gateways answer in JSON of their own. What looks like an error of the contract lacks a part of it.
func gateways() []fault {
	of := func(name string, status int, contentType, body string, headers ...string) fault {
		return fault{name, either, func(m *meeting) { m.reply(status, contentType, body, headers...) }}
	}
	ours := func(status int, code string) string {
		return fmt.Sprintf(`{"status":%d,"code":%q,"message":"No.","request_id":"0b4f2f5c"}`, status, code)
	}
	return []fault{
		of("401 of a gateway", 401, "application/json", `{"message":"Unauthorized"}`),
		of("403 of a gateway", 403, "application/json", `{"message":"Forbidden"}`),
		of("404 of a gateway", 404, "application/json", `{"code":"NOT_FOUND","message":"no route"}`),
		of("404 of another API", 404, "application/json", `{"error":{"code":404,"message":"Not found","status":"NOT_FOUND"}}`),
		of("409 of a gateway", 409, "application/json", `{"status":409,"code":"CONFLICT","message":"Try again"}`),
		of("422 of a gateway", 422, "application/json", `{"code":"LIMIT_EXCEEDED","message":"too many calls","request_id":"r-1"}`),
		of("400 with a problem of RFC 9457", 400, isProblem, `{"type":"about:blank","title":"Bad Request","status":400,"detail":"No."}`),
		of("404 with a problem of RFC 9457", 404, isProblem, `{"type":"about:blank","title":"Not Found","status":404,"code":"NOT_FOUND","message":"no"}`),
		of("409 with a problem of RFC 9457", 409, isProblem, `{"type":"about:blank","title":"Conflict","status":409,"instance":"/users"}`),
		of("422 with a problem of RFC 9457", 422, isProblem, `{"type":"about:blank","title":"Unprocessable","status":422}`),
		of("an error for another status", 404, "application/json", ours(422, "LIMIT_EXCEEDED")),
		of("an error whose code is a word", 422, "application/json", ours(422, "no")),
		of("an error without a code", 422, "application/json", `{"status":422,"code":"","message":"No.","request_id":"0b4f2f5c"}`),
		of("an error that was cut", 422, "application/json", ours(422, "LIMIT_EXCEEDED")[:50]),
		of("an error in a list", 422, "application/json", "["+ours(422, "LIMIT_EXCEEDED")+"]"),
		of("302 with an error", 302, "application/json", ours(302, "NOT_FOUND"), "Location", "/"),
		of("502 with a page of 1 MiB", 502, isHTML, strings.Repeat(webPage, 1<<20/len(webPage))),
		of("500 of ours", 500, "application/json", ours(500, "INTERNAL_ERROR")),
		of("502 of ours", 502, "application/json", ours(502, "INTERNAL_ERROR")),
		of("503 of ours", 503, "application/json", ours(503, "SERVICE_UNAVAILABLE"), "Retry-After", "1"),
		of("408 like ours", 408, "application/json", ours(408, "REQUEST_TIMEOUT")),
		of("425 like ours", 425, "application/json", ours(425, "TOO_EARLY")),
		of("503 with Retry-After in the past", 503, isHTML, webPage, "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"),
		of("429 with Retry-After", 429, isHTML, webPage, "Retry-After", "1"),
		{"429 of ours", before, func(m *meeting) { m.reply(429, "application/json", ours(429, "RATE_LIMITED"), "Retry-After", "1") }},
		{"an echo in HTML", either, func(m *meeting) { m.reply(400, isHTML, m.echo()) }},
		{"an echo in JSON", either, func(m *meeting) {
			text, _ := json.Marshal(m.r.Header.Get("X-Client-Secret"))
			m.reply(502, "application/json", fmt.Sprintf(`{"status":502,"code":"X","message":%s,"request_id":%s,"details":[{"in":%s}]}`, text, text, text),
				"X-Request-Id", m.r.Header.Get("X-Client-Secret"))
		}},
	}
}

func (m *meeting) echo() string {
	var b strings.Builder
	_ = m.r.Header.Write(&b)
	return "<pre>" + m.r.URL.Path + b.String() + string(m.body) + "</pre>"
}
