package contract_test

import (
	"strings"
	"testing"
)

func TestBodyFollowsTheSchema(t *testing.T) {
	t.Parallel()
	c := shop(t)
	for _, tc := range []struct{ name, body, want string }{
		{"smallest", least, ""},
		{"missing member", `{"total":1}`, `/delivery: is required`},
		{"unknown member", with(`"colour":1`), `/colour: is not a field of this object`},
		{"unknown member with a difficult name", with(`"a/b~\"\u00e9":1`), `/a~1b~0"é: is not a field of this object`},
		{"member in other case", with(`"MODE":"FAST"`), `/MODE: is not a field of this object`},
		{"null", with(`"mode":null`), `/mode: must not be null`},
		{"nullable null", with(`"note":null`), ""},
		{"whole body null", `null`, `: must not be null`},
		{"whole body a list", `[]`, `: must be an object`},
		{"string for number", strings.Replace(least, "1", `"1"`, 1), `/total: must be a number`},
		{"number for string", with(`"note":1`), `/note: must be a string`},
		{"string for boolean", with(`"gift":"true"`), `/gift: must be true or false`},
		{"object for array", with(`"tags":{}`), `/tags: must be an array`},
		{"enum", with(`"mode":"MEDIUM"`), `/mode: must be one of FAST, SLOW`},
		{"pattern that the document words", with(`"currency":"usd"`), `/currency: must be 3 upper-case letters`},
		{"pattern without words", with(`"coupon":"ABC"`), `/coupon: does not match the expected format`},
		{"too short", with(`"coupon":"a"`), `/coupon: must have at least 2 characters`},
		{"too long", with(`"coupon":"abcde"`), `/coupon: must have at most 4 characters`},
		{"length counts characters", with(`"tags":["ééé😀😀"]`), ""},
		{"too few items", with(`"tags":[]`), `/tags: must have at least 1 item`},
		{"too many items", with(`"tags":["a","b","c","d"]`), `/tags: must have at most 3 items`},
		{"repeated items", with(`"tags":["a","a"]`), `/tags: must not contain an item twice`},
		{"inside an item", with(`"tags":["a","abcdef"]`), `/tags/1: must have at most 5 characters`},
		{"inside an object of a list", with(`"lines":[{"sku":"a"},{"piece":1}]`),
			"/lines/1/piece: is not a field of this object\nbody /lines/1/sku: is required"},
		{"number inside a list", with(`"lines":[{"sku":"a","pieces":1.0}]`), `/lines/0/pieces: must be an integer`},
		{"values of a map", with(`"labels":{"a/b":"abcdef"}`), `/labels/a~1b: must have at most 5 characters`},
		{"too many members of a map", with(`"labels":{"a":"","b":"","c":""}`), `/labels: must have at most 2 members`},
		{"read-only", with(`"created":"x"`), `/created: must not be sent`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := place(c, tc.body)
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, "body "+tc.want)
		})
	}
}

// x-text is enforced in requests wherever the text is; openapi/text has the rule. The value is never repeated.
func TestTextsOfRequestsDoNotDeceive(t *testing.T) {
	t.Parallel()
	const hidden = "must not contain invisible characters or controls of the writing direction"
	c := shop(t)
	for _, tc := range []struct{ name, body, want string }{
		{"a name", with(`"names":["علی\u200cرضا","O’Neil"]`), ""},
		{"an override of the direction", with(`"names":["a","b\u202ec"]`), "body /names/1: " + hidden},
		{"spaces alone", with(`"names":["  "]`), "body /names/0: must have a visible character"},
		{"an escape sequence", with(`"names":["\u001b[31m"]`), "body /names/0: must not contain control characters"},
		{"too long and hidden", with(`"names":["a23456789012345678901\u200b"]`), "body /names/0: must have at most 20 characters\nbody /names/0: " + hidden},
		{"two lines of a note", with(`"remark":"a\nb"`), ""},
		{"two lines of a name", with(`"names":["a\nb"]`), "body /names/0: must not contain control characters"},
		{"a note", with(`"remark":"\u200b"`), "body /remark: " + hidden},
		{"no note", with(`"remark":null`), ""},
		{"a text without a kind", with(`"tags":["\u202e"]`), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := place(c, tc.body)
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, tc.want)
		})
	}
}

func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	c := shop(t)
	const plain = "must be a plain decimal number with at most 19 significant digits"
	for _, tc := range []struct{ name, member, want string }{
		{"negative zero", `"serial":-0`, ""},
		{"nineteen digits", `"discount":0.1234567890123456789`, ""},
		{"twenty digits", `"discount":0.12345678901234567890`, `/discount: ` + plain},
		{"twenty digits before the point", `"serial":12345678901234567890`, `/serial: ` + plain},
		{"zeros at the end are digits", `"serial":1.0000000000000000000`, `/serial: ` + plain},
		{"exponent", `"discount":1e-1`, `/discount: ` + plain},
		{"exponent of an integer", `"serial":3e0`, `/serial: ` + plain},
		{"exponent that no float holds", `"discount":1e400`, `/discount: ` + plain},
		{"fraction in an integer", `"serial":3.5`, `/serial: must be an integer`},
		{"zero fraction in an integer", `"serial":3.0`, `/serial: must be an integer`},
		{"largest integer", `"serial":9223372036854775807`, ""},
		{"smallest integer", `"serial":-9223372036854775808`, ""},
		{"integer beyond 64 bits", `"serial":9223372036854775808`,
			`/serial: must be an integer between -9223372036854775808 and 9223372036854775807`},
		{"largest 32 bits", `"pieces":2147483647`, ""},
		{"integer beyond 32 bits", `"pieces":2147483648`, `/pieces: must be an integer between -2147483648 and 2147483647`},
		{"minimum", `"pieces":0`, `/pieces: must be at least 1`},
		{"inclusive minimum", `"discount":-1`, ""},
		{"exclusive maximum", `"discount":0.5`, `/discount: must be less than 0.5`},
		{"just below an exclusive maximum", `"discount":0.4999999999999999999`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := place(c, with(tc.member))
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, "body "+tc.want)
		})
	}
	for total, want := range map[string]string{
		"9999999999999.99":   "",
		"9999999999999.9901": "body /total: must be at most 9999999999999.99", // one float with the number above
		"0.000":              "body /total: must be greater than 0",
		"0.0000000000000001": "",
	} {
		t.Run("bound "+total, func(t *testing.T) {
			t.Parallel()
			_, err := place(c, strings.Replace(least, "1", total, 1))
			if want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, want)
		})
	}
}

func TestDiscriminatorSelectsTheSchema(t *testing.T) {
	t.Parallel()
	c := shop(t)
	for _, tc := range []struct{ name, delivery, want string }{
		{"courier", `{"kind":"COURIER","address":{"street":"a"}}`, ""},
		{"missing", `{"locker":1}`, `/delivery/kind: is required`},
		{"unknown", `{"kind":"PIGEON","x":1}`, `/delivery/kind: must be one of COURIER, LOCKER`},
		{"of another type", `{"kind":1}`, `/delivery/kind: must be one of COURIER, LOCKER`},
		{"null", `{"kind":null}`, `/delivery/kind: must be one of COURIER, LOCKER`},
		{"not an object", `7`, `/delivery: must be an object`},
		{"null in its place", `null`, `/delivery: must not be null`},
		{"only the selected variant speaks", `{"kind":"COURIER","locker":1}`,
			"/delivery/address: is required\nbody /delivery/locker: is not a field of this object"},
		{"deep below", `{"kind":"COURIER","address":{"street":1,"floor":1.0}}`,
			"/delivery/address/floor: must be an integer\nbody /delivery/address/street: must be a string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := place(c, `{"total":1,"delivery":`+tc.delivery+`}`)
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, "body "+tc.want)
		})
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	c := shop(t)
	const (
		uuid   = "must be a UUID such as 123e4567-e89b-12d3-a456-426614174000"
		mail   = "must be an email address"
		site   = "must be an absolute http or https address"
		host   = "must be an IPv4 or IPv6 address"
		day    = "must be a date such as 2026-01-31"
		scan   = "must be a base64 data URI of an image or PDF"
		b64    = "must contain valid base64"
		markup = "must not be SVG, HTML or XML"
	)
	for _, tc := range []struct{ field, value, want string }{
		{"ref", account, ""},
		{"ref", strings.ToUpper(account), ""},
		{"ref", "urn:uuid:" + account, uuid},
		{"ref", "{" + account + "}", uuid},
		{"ref", strings.ReplaceAll(account, "-", ""), uuid},
		{"ref", strings.ReplaceAll(account, "-", "0"), uuid},
		{"ref", "g" + account[1:], uuid},
		{"mail", "ann@mail.example", ""},
		{"mail", "ann@example", mail},
		{"mail", "ann@b@mail.example", mail},
		{"mail", "a nn@mail.example", mail},
		{"mail", "@mail.example", mail},
		{"mail", "ann@.example", mail},
		{"mail", "ann@mail.", mail},
		{"mail", "ann@mail..example", mail},
		{"mail", strings.Repeat("a", 250) + "@b.example", mail},
		{"site", "https://shop.example/a?b=c", ""},
		{"site", "/a", site},
		{"site", "ftp://shop.example", site},
		{"site", "https://", site},
		{"site", "https://shop.example/a b", site},
		{"host", "192.0.2.1", ""},
		{"host", "2001:db8::1", ""},
		{"host", "fe80::1%eth0", host},
		{"host", "192.0.2.256", host},
		{"day", "2024-02-29", ""},
		{"day", "2023-02-29", day},
		{"day", "2024-2-9", day},
		{"day", "2024-02-09T00:00:00Z", day},
		{"scan", "data:image/png;base64,QUI=", ""},
		{"scan", "data:image/heic;base64,AAAAPGZ0eXBoZWlj", ""},
		{"scan", "data:image/svg+xml;base64,QUJD", markup},
		{"scan", "data:IMAGE/SVG+XML;base64,QUJD", markup},
		{"scan", "data:image/svg;base64,QUJD", markup},
		{"scan", "data:image/xml;base64,QUJD", markup},
		{"scan", "data:image/png;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxzY3JpcHQ+YWxlcnQoMSk8L3NjcmlwdD48L3N2Zz4=", markup},
		{"scan", "data:image/png;base64,ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIA0KCTw/eG1sPz4=", markup},
		{"scan", "data:application/pdf;base64,PCFET0NUWVBFIGh0bWw+JVBERi0xLjc=", markup},
		{"scan", "data:image/png;base64,77u/PGE+", markup},
		{"scan", "data:image/png;base64,//48AHMAdgBnAD4A", markup},
		{"scan", "data:image/png;base64,ADwAcwB2AGcAPg==", markup},
		{"scan", "data:image/png;base64,PABzAHYAZwA+AA==", markup},
		{"scan", "data:image/png;base64,AAAAPAAAAHMAAAB2AAAAZwAAAD4=", markup},
		{"scan", "data:image/png;base64,ICA=", ""},
		{"scan", "data:application/pdf;base64,QQ==", ""},
		{"scan", "data:text/plain;base64,QUI=", scan},
		{"scan", "data:image/;base64,QUI=", scan},
		{"scan", "data:image/png,QUI=", scan},
		{"scan", "image/png;base64,QUI=", scan},
		{"scan", "", scan},
		{"scan", "data:image/png;base64,", b64},
		{"scan", "data:image/png;base64,QUI", b64},
		{"scan", "data:image/png;base64,QU-_", b64},
		{"scan", "data:image/png;base64,Q===", b64},
		{"scan", "data:image/png;base64,====", b64},
		{"scan", "data:image/png;base64,QU=I", b64},
		{"scan", "data:image/png;base64,QQ==QUI=", b64},
		{"scan", `data:image/png;base64,QUI=\n`, b64},
	} {
		t.Run(tc.field+" "+tc.value[:min(len(tc.value), 40)], func(t *testing.T) {
			t.Parallel()
			_, err := place(c, with(`"`+tc.field+`":"`+tc.value+`"`))
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, "body /"+tc.field+": "+tc.want)
		})
	}
}
