package payoutfiles

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	utf16units "unicode/utf16"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const id = "01990000-0000-7000-8000-00000000000c"

// read returns a text for each line, and the error that ended the file.
func read(text string, direction payout.FileDirection, client payout.ClientID) (lines []payout.FileLine, err error) {
	for line, failed := range Lines(strings.NewReader(text), direction, client) {
		if failed != nil {
			return lines, failed
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func TestLinesOfASettlement(t *testing.T) {
	t.Parallel()
	operator := payout.ActorOperator
	npr := &payout.FileAmount{Minor: 4500050, Currency: "NPR"}
	for name, text := range map[string]string{
		"CSV": "\uFEFFtransaction_id,status,ignored,status_reason,client_id,to_amount,to_currency\r\n" +
			id + ",COMPLETED,=1,,acme,45000.50,NPR\r\n" +
			strings.ToUpper(id) + ",FAILED,\"two\nlines\",ACCOUNT_INVALID,acme,,\r\n" +
			"\r\n" +
			id + ",READY_FOR_PICKUP,,,acme,,\r\n" +
			id + ",RETURNED,,PAYOUT_RETURNED,acme,,\r\n",
		"JSON lines": "\uFEFF" + `{"transaction_id":"` + id + `","status":"COMPLETED","client_id":"acme","to_amount":"45000.50","to_currency":"NPR","ignored":{}}` + "\n" +
			`{"transaction_id":"` + strings.ToUpper(id) + `","status":"FAILED","status_reason":"ACCOUNT_INVALID","client_id":"acme"}` + "\n\n\n\n" +
			`{"transaction_id":"` + id + `","status":"READY_FOR_PICKUP","client_id":"acme"}` + "\n" +
			`{"transaction_id":"` + id + `","status":"RETURNED","status_reason":"PAYOUT_RETURNED","client_id":"acme"}`,
	} {
		got, err := read(text, payout.FileSettle, "")
		want := []payout.FileLine{
			{Number: 2, ClientID: "acme", TransactionID: id, Amount: npr, Move: payout.Move{Status: payout.StatusCompleted, By: operator}},
			{Number: 3, ClientID: "acme", TransactionID: id, Move: payout.Move{Status: payout.StatusFailed, Reason: payout.ReasonAccountInvalid, By: operator}},
			{Number: 6, ClientID: "acme", TransactionID: id, Move: payout.Move{Status: payout.StatusProcessing, Delivery: payout.DeliveryReadyForPickup, By: operator}},
			{Number: 7, ClientID: "acme", TransactionID: id, Move: payout.Move{Status: payout.StatusReturned, Reason: payout.ReasonPayoutReturned, By: operator}},
		}
		if name == "JSON lines" {
			want[0].Number, want[1].Number = 1, 2
		}
		same := func(a, b payout.FileLine) bool {
			amounts := a.Amount == nil && b.Amount == nil || a.Amount != nil && b.Amount != nil && *a.Amount == *b.Amount
			a.Amount, b.Amount = nil, nil
			return amounts && a == b
		}
		if err != nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: read %+v, %v", name, got, err)
		}
	}
}

// A spreadsheet saves empty rows as commas, after the last row or between.
func TestRowsOfEmptyCellsAreSkipped(t *testing.T) {
	t.Parallel()
	got, err := read("transaction_id,client_id,status\n,,\n"+id+",acme,COMPLETED\n,,\n,,,,\n\"\",,\r\n,\n", payout.FileSettle, "acme")
	if err != nil || len(got) != 1 || got[0].Number != 3 || got[0].Problem != "" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := read("transaction_id,client_id,status\n,acme,\n , ,\n", payout.FileSettle, ""); err != nil || len(got) != 2 || got[0].Problem == "" || got[1].Problem == "" {
		t.Errorf("rows that are not empty: %+v, %v", got, err)
	}
}

// What a spreadsheet saves instead of CSV with commas is rejected by its name.
func TestFilesOfAnotherForm(t *testing.T) {
	t.Parallel()
	const utf16 = "the file is in UTF-16; save it as CSV with commas (UTF-8)"
	const semicolons, tabs = "the file is separated by semicolons; save it as CSV with commas (UTF-8)", "the file is separated by tabs; save it as CSV with commas (UTF-8)"
	wide := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, unit := range utf16units.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	const header = "client_id,transaction_id,status\r\n"
	for text, want := range map[string]string{
		wide(binary.LittleEndian, "\uFEFF"+header): utf16, wide(binary.BigEndian, "\uFEFF"+header): utf16,
		wide(binary.LittleEndian, header): utf16, wide(binary.BigEndian, header): utf16, wide(binary.LittleEndian, `{"transaction_id":""}`): utf16,
		"client_id;transaction_id;status\r\nacme;" + id + ";COMPLETED\r\n": semicolons,
		"\uFEFF\"client_id\";\"transaction_id\"\n":                         semicolons,
		"\n\r\ntransaction_id;client_id;note, with comma":                  semicolons,
		"client_id\ttransaction_id\tstatus\nacme\t" + id + "\tCOMPLETED\n": tabs,
	} {
		if got, err := read(text, payout.FileSettle, "acme"); !errors.Is(err, ErrForm) || err.Error() != want || got != nil {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
	// Semicolons elsewhere are texts.
	if got, err := read("transaction_id,a;transaction_id;b,status\n"+id+",;;,COMPLETED\n", payout.FileSettle, "acme"); err != nil || len(got) != 1 || got[0].Problem != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestProblemsOfLines(t *testing.T) {
	t.Parallel()
	const header = "transaction_id,client_id,status,status_reason,to_amount,to_currency\n"
	for line, want := range map[string]string{
		"1,acme,COMPLETED,,,":                            "transaction_id must be a UUID",
		"{" + id + "},acme,COMPLETED,,,":                 "transaction_id must be a UUID",
		id + ",,COMPLETED,,,":                            "client_id is missing; name the client there or in --client",
		id + ",Acme,COMPLETED,,,":                        "client_id must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen",
		id + ",acme,PROCESSING,,,":                       "status must be COMPLETED, FAILED, RETURNED or READY_FOR_PICKUP",
		id + ",acme,completed,,,":                        "status must be COMPLETED, FAILED, RETURNED or READY_FOR_PICKUP",
		id + ",acme,FAILED,,,":                           "status_reason is required with this status",
		id + ",acme,FAILED,LOST,,":                       "status_reason must be one of ACCOUNT_INVALID, ACCOUNT_CANNOT_RECEIVE, NOT_COLLECTED, PAYOUT_RETURNED, COMPLIANCE_REJECTED, OTHER",
		id + ",acme,COMPLETED,OTHER,,":                   "status_reason must not be sent with this status",
		id + ",acme,COMPLETED,,10,":                      "to_amount and to_currency must both be there, or neither",
		id + ",acme,COMPLETED,,10,XYZ":                   "to_currency must be a currency of ISO 4217",
		id + ",acme,COMPLETED,,10.001,USD":               "to_amount must have at most 2 decimals in USD",
		id + ",acme,COMPLETED,,1e3,USD":                  "to_amount must be a plain amount, such as 1000.00",
		id + ",acme,COMPLETED":                           "wrong number of fields",
		id + `,acme,"COMP"LETED,,,`:                      `extraneous or missing " in quoted-field`,
		"'" + id + ",acme,COMPLETED,,,":                  "transaction_id must be a UUID",
		strings.Repeat("9", 36) + ",acme,COMPLETED,,,":   "transaction_id must be a UUID",
		id[:35] + "\x00,acme,COMPLETED,,,":               "transaction_id must be a UUID",
		id + ",acme\x1b[2J,COMPLETED,,,":                 "client_id must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen",
		id + ",acme,COMPLETED,,99999999999999999999,USD": "to_amount must be at most 1000000000000",
	} {
		got, err := read(header+line+"\n"+id+",acme,COMPLETED,,,\n", payout.FileSettle, "")
		if err != nil || len(got) != 2 || got[0].Number != 2 || got[0].Problem != want || got[1].Problem != "" {
			t.Errorf("%q: %+v, %v; want %q", line, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                             "the header is missing",
		"\n\n":                         "the header is missing",
		"id,status\n":                  "the header has no column transaction_id",
		"transaction_id,status,status": `the header has "status" twice`,
		`transaction_id,"sta"tus`:      `the header: extraneous or missing " in quoted-field`,
	} {
		if got, err := read(text, payout.FileSettle, "acme"); !errors.Is(err, ErrHeader) || err.Error() != want || got != nil {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"transaction_id":"` + id + `"`:                  "is not a JSON object with texts as members",
		`{"transaction_id":7}`:                            "is not a JSON object with texts as members",
		`{"transaction_id":"` + id + `","to_amount":"x"}`: "is not a JSON object with texts as members",
		`{}`: "transaction_id must be a UUID",
	} {
		if got, err := read(text, payout.FileRelease, "acme"); err != nil || len(got) != 1 || got[0].Problem != want {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
	if got, err := read(header+id+",beta,,,,\n"+id+",,,,,\n", payout.FileRelease, "acme"); err != nil || got[0].Problem != "client_id is not the client of --client" ||
		got[1].ClientID != "acme" || got[1].Move != (payout.Move{Status: payout.StatusProcessing, By: payout.ActorOperator}) {
		t.Errorf("with a client: %+v, %v", got, err)
	}
	if _, err := read("{"+strings.Repeat(" ", maxLine)+"}", payout.FileRelease, "acme"); err == nil {
		t.Error("a line of more than 1 MiB is read")
	}
}
