package checks

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// textChecks returns two checks for each operation with names, addresses or notes in its body (D-60).
func textChecks() []probe.Check {
	var all []probe.Check
	for _, op := range operationsWhere(func(op operation) bool { return op.takesBody() && hasTexts(op.body) }) {
		all = append(all,
			probe.Check{
				ID: "validation." + op.id + ".texts", Title: op.name() + " refuses each text that is blank or has characters that deceive a reader, and names it",
				Clauses: []string{"D-57", "D-60"}, Operations: []string{op.id}, Needs: op.needs(),
				Fix: "Where a schema has x-text, answer 400 BAD_REQUEST with a JSON pointer to each text that has nothing visible, or has control, invisible, bidirectional or private-use characters, or joiners and variation selectors where they mean nothing.",
				Run: func(t *probe.T) { namesEach(t, op, existing(t, op), deceptiveTexts) },
			},
			probe.Check{
				ID: "validation." + op.id + ".names", Title: op.name() + " accepts names of any script, and keeps them as they are",
				Clauses: []string{"D-57", "D-60"}, Operations: []string{op.id}, Needs: op.needs(),
				Fix: "Accept letters and marks of every script, joiners where a script or an emoji joins, and variants; do not normalize.",
				Run: func(t *probe.T) { acceptsNames(t, op) },
			},
		)
	}
	return all
}

// kindOfText returns line or prose, "" where a schema is of no such text.
func kindOfText(schema *openapi3.Schema) string {
	kind, _ := schema.Extensions["x-text"].(string)
	return kind
}

func hasTexts(schema *openapi3.Schema) bool {
	if kindOfText(schema) != "" {
		return true
	}
	for _, member := range schema.Properties {
		if hasTexts(member.Value) {
			return true
		}
	}
	return schema.Items != nil && hasTexts(schema.Items.Value)
}

// Texts that are refused where x-text is: whole ones, and what must not be within one.
var (
	blankTexts = map[string]string{
		"spaces": "   ", "no-break spaces": "\u00a0\u00a0", "ideographic spaces": "\u3000", "other spaces": "\u2003\u205f", "blank Braille": "\u2800",
		"marks alone": "\u0301\u0302", "a Hangul filler": "\u3164", "a halfwidth Hangul filler": "\uffa0", "zero-width spaces": "\u200b\u200b",
	}
	hiddenTexts = map[string]string{
		"an escape sequence": "\x1b[31m", "a C1 control": "\u009b", "a zero-width space": "\u200b", "a word joiner": "\u2060", "a byte order mark": "\ufeff",
		"a soft hyphen": "\u00ad", "a grapheme joiner": "\u034f", "an Arabic letter mark": "\u061c", "a left-to-right mark": "\u200e",
		"a right-to-left mark": "\u200f", "an embedding": "\u202a", "an embedding from the right": "\u202b", "the end of an embedding": "\u202c",
		"an override": "\u202d", "an override from the right": "\u202e", "an isolate": "\u2066", "an isolate from the right": "\u2067",
		"an isolate of either direction": "\u2068", "the end of an isolate": "\u2069", "a deprecated control": "\u206a", "an invisible operator": "\u2062",
		"an annotation": "\ufff9", "a tag": "\U000E0041", "the tag of a language": "\U000E0001", "a line separator": "\u2028", "a paragraph separator": "\u2029",
		"a private-use character": "\ue000", "a private-use character of plane 15": "\U000F0000", "a noncharacter": "\ufdd0", "the last noncharacter": "\U0010FFFF",
		"a joiner between Latin letters": "\u200d", "a non-joiner between Latin letters": "\u200c", "two joiners": "क्\u200d\u200dष",
		"a Mongolian vowel separator": "\u180e", "a variation selector after a letter": "\ufe0f", "a supplementary variation selector": "\U000E0100",
		"a Mongolian variation selector": "\u180b", "joined Han": "王\u200d王", "a non-joiner before Latin": "آ\u200c",
	}
)

// deceptiveTexts has each of them for a text that x-text is of.
func deceptiveTexts(path []string, schema *openapi3.Schema, sample any) (all []damage) {
	text, ok := sample.(string)
	if !ok || kindOfText(schema) == "" {
		return nil
	}
	for _, what := range slices.Sorted(maps.Keys(blankTexts)) {
		all = append(all, damage{path: path, what: "of " + what, value: blankTexts[what]})
	}
	_, first := utf8.DecodeRuneInString(text)
	for _, what := range slices.Sorted(maps.Keys(hiddenTexts)) {
		all = append(all, damage{path: path, what: "with " + what, value: text[:first] + hiddenTexts[what] + text[first:]})
	}
	all = append(all, damage{path: path, what: "with a joiner at the beginning", value: "\u200d" + text},
		damage{path: path, what: "with a non-joiner at the end", value: text + "\u200c"})
	if kindOfText(schema) == "line" {
		all = append(all, damage{path: path, what: "with a line break", value: text[:first] + "\n" + text[first:]})
	}
	return all
}

// namesOfScripts are common names in many scripts, with all that looks like what is refused: joiners, marks, rare characters.
var namesOfScripts = []string{
	"Nguyễn Phượng", "Nguye\u0302\u0303n Phu\u031bo\u031b\u0323ng", "Þórður Æsa", "İbrahim Yıldız", "Ọlá Adébáyọ̀", "O'Brien-Łukasz", "D’Angelo (3)",
	"Фёдор Щукин", "Їжакевич", "Γιώργος Ἀθηνᾶ", "Արամ Գևորգյան", "ნინო ბერიძე", "רָחֵל בן־דוד", "עבד׳ רש״י", "عبد الرحمن مُحَمَّد", "علی\u200cرضا",
	"مه\u200cلقا حسین\u200cزاده", "نُور\u200cجہاں", "राजेन्द्र", "श्री क्\u200dषेत्री", "लक्\u200cष्मी", "চট্টোপাধ্যায়", "র\u200d্যাচেল", "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "જ્યોત્સ્ના",
	"ପ୍ରଫୁଲ୍ଲ", "ஸ்ரீநிவாசன்", "రామ్\u200c కిరణ్\u200cకుమార్", "ರಾಜ್\u200cಕುಮಾರ್", "രമേശന്\u200d", "ശ്രീജ നായർ", "ශ්\u200dරී චන්ද්\u200dරිකා", "ณัฐพล ศรีสุข",
	"ສົມສັກ ນ້ຳຝົນ", "សុភ័ក្ត្រ", "ကျော်ဝင်း", "བསྟན་འཛིན", "ገብረ፡መድኅን", "김민준 남궁", "王伟 欧阳", "買買提·艾力", "𠮷田 葛\U000E0100城", "ジョン・スミス", "みすゞ ゐのうえ",
	"ᠨᠠᠷ\u180Eᠠ ᠭ\u180Bᠠ", "ᏎᏉᏯ", "ߞߊ߲ߕߍ", "𞤀𞤥𞤢𞤣𞤵", "ܝܘܚܢܢ", "ފާޠިމަތު", "ᐃᓅᒃ", "ⵜⵉⵍⵍⵉ", "3/4 № 7 «B»", "❤️ 👩🏽\u200d💻 🇳🇵 1️⃣",
}

// acceptsNames puts one name after the other into all texts of a body that have no other format.
func acceptsNames(t *probe.T, op operation) {
	r := op.request(t, existing(t, op))
	bodies := op.ordinary(t)
	if op.id == "createTransaction" { // its ordinary body is refused, so that nothing would come back
		s := t.Sender()
		r.Path = probe.UserPath(s.UserID, "transactions")
		body := probe.Object(t, t.Payout(s, t.Receiver(s, deposit), "0.01"))
		for _, name := range []string{"note", "custom_purpose", "remittance_purpose"} {
			body[name] = "Conformance"
		}
		bodies = []map[string]any{body}
	}
	if op.id == "updateUser" {
		bodies = append(bodies, op.ofBusiness(t))
	}
	for i, body := range bodies {
		if op.id == "updateUser" && i > 0 {
			r.Path = probe.UserPath(t.NewUser(asBusiness(t)).ID)
		}
		r.Body = body
		want := t.Send(r)
		if want.Status >= 500 {
			t.Brokenf("set-up: %s answered %d to ordinary texts", op.id, want.Status)
		}
		for _, name := range namesOfScripts {
			r.Body = atEdge(op.body, body, false, func(schema *openapi3.Schema, v any, _ bool) any {
				_, isText := v.(string)
				tooLong := schema.MaxLength != nil && utf8.RuneCountInString(name) > int(*schema.MaxLength)
				if !isText || tooLong || kindOfText(schema) == "" || schema.Format != "" {
					return v
				}
				return name
			})
			if op.id == "createDocuments" { // of which a user has a bounded number
				r.Path = probe.UserPath(t.NewUser().ID, "documents")
			}
			got := t.Send(r)
			if op.id == "createWebhookEndpoint" { // of which a client has a bounded number
				deleteEndpoint(t, createdID(got))
			}
			t.Expect(got.Status == want.Status, "a name in another script was answered %d (%s), other texts %d", got.Status, strings.Join(named(got), ", "), want.Status)
			if got.Status == http.StatusOK {
				for _, pointer := range changedTexts("", r.Body, jsonValue(t, got)) {
					t.Failf("%s was sent in another script and did not come back the same", pointer)
				}
			}
		}
	}
}
