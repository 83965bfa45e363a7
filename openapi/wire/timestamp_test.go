package wire_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/wire"
)

func TestMarshalTimestamp(t *testing.T) {
	t.Parallel()
	kathmandu := time.FixedZone("", 5*3600+45*60)
	for _, c := range []struct {
		name string
		time time.Time
		want string
	}{
		{"UTC", time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC), `"2026-01-31T09:30:00.000000"`},
		{"east, the day before", time.Date(2026, 1, 1, 5, 44, 59, 0, kathmandu), `"2025-12-31T23:59:59.000000"`},
		{"west, the day after", time.Date(2026, 1, 31, 20, 0, 0, 0, time.FixedZone("", -8*3600)), `"2026-02-01T04:00:00.000000"`},
		{"one microsecond", time.Date(2026, 1, 1, 0, 0, 0, 1000, time.UTC), `"2026-01-01T00:00:00.000001"`},
		{"cut, not rounded", time.Date(2026, 12, 31, 23, 59, 59, 999999999, time.UTC), `"2026-12-31T23:59:59.999999"`},
		{"less than a microsecond", time.Date(2026, 1, 1, 0, 0, 0, 999, time.UTC), `"2026-01-01T00:00:00.000000"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := json.Marshal(wire.Timestamp{Time: c.time})
			if err != nil || string(out) != c.want {
				t.Fatalf("written as %s, %v, want %s", out, err, c.want)
			}
			var read wire.Timestamp
			if err := json.Unmarshal(out, &read); err != nil {
				t.Fatal(err)
			}
			if !read.Equal(c.time.Truncate(time.Microsecond)) || read.Location() != time.UTC {
				t.Errorf("%s was read as %s", out, read)
			}
		})
	}
}

func TestUnmarshalTimestamp(t *testing.T) {
	t.Parallel()
	for text, nanoseconds := range map[string]int{
		`"2026-01-31T09:30:00"`: 0, `"2026-01-31T09:30:00.5"`: 500e6, `"2026-01-31T09:30:00.123456"`: 123456e3,
	} {
		var read wire.Timestamp
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if want := time.Date(2026, 1, 31, 9, 30, 0, nanoseconds, time.UTC); !read.Equal(want) {
			t.Errorf("%s was read as %s", text, read)
		}
	}
}

func TestInvalidTimestamps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", `"`, `""`, "null", "0", "1769851800", "{}", "2026-01-31T09:30:00.000000",
		`"2026-01-31T09:30:00.000000Z"`, `"2026-01-31T09:30:00Z"`, `"2026-01-31T09:30:00.000000+05:45"`,
		`"2026-01-31 09:30:00.000000"`, `"2026-01-31"`, `"09:30:00"`, `"2026-01-31T09:30"`, `"2026-02-30T09:30:00"`,
		`"2026-13-01T09:30:00"`, `"2026-01-31T24:00:00"`, `"2026-01-31T09:30:60"`, `"2026-01-31T9:30:00"`,
		`"2026-01-31T9:30:00.000000"`, `"2026-01-31T9:30:00."`, `"2026-01-31T09:30:00,000000"`, `"2026-01-31T09:30:00."`,
		`"26-01-31T09:30:00"`, `" 2026-01-31T09:30:00"`, `"2026-01-31T09:30:00 "`, `"now"`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			kept := wire.Timestamp{Time: time.Unix(1, 0)}
			if err := kept.UnmarshalJSON([]byte(text)); !errors.Is(err, wire.ErrNotTimestamp) {
				t.Errorf("read as %s, %v", kept, err)
			}
			if kept.Unix() != 1 {
				t.Errorf("a refusal left %s behind", kept)
			}
		})
	}
}

func FuzzTimestamp(f *testing.F) {
	for _, text := range []string{`"2026-01-31T09:30:00.000000"`, `"2026-01-31T09:30:00"`, `null`, `"`, `"0000-01-01T00:00:00.9"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var first, second wire.Timestamp
		if err := first.UnmarshalJSON([]byte(text)); err != nil {
			if !errors.Is(err, wire.ErrNotTimestamp) {
				t.Errorf("%q: %v is not its error", text, err)
			}
			return
		}
		out, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &second); err != nil || !second.Equal(first.Truncate(time.Microsecond)) {
			t.Errorf("%q came back as %s, %v", text, out, err)
		}
	})
}
