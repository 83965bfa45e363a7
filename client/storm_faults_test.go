package client_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// when says whether the service has handled a request that meets a fault.
type when int

const (
	either when = iota // drawn
	before             // it has not: the answer says that it was not handled
	after              // it has: the fault changes its answer
)

// fault is one kind of what happens on the way to the service and back.
//
// What the SDK cannot tell from a true answer is not among them: an error body of the contract to a request that the service
// has accepted, a whole success of another request, or one with another id. These are lies, and only TLS keeps them out.
type fault struct {
	name string
	when when
	do   func(*meeting)
}

func allFaults() []fault {
	return slices.Concat(lostAnswers(), cutAnswers(), oddities(), falseSuccesses(), alteredSuccesses(), redirects(), pages(), gateways(), detours())
}

const webPage = "<!DOCTYPE html><html><head><title>Something went wrong</title></head><body><h1>Try again</h1></body></html>"

const isHTML, isText, isProblem = "text/html; charset=utf-8", "text/plain", "application/problem+json"

// head is the head of a response with a body of this length.
func head(status string, length int, headers ...string) string {
	return status + "\r\nContent-Type: application/json\r\n" + fmt.Sprintf("Content-Length: %d\r\n", length) +
		strings.Join(append(headers, "\r\n"), "\r\n")
}

const okay = "HTTP/1.1 200 OK"

// endOfMember is where some member of an object ends: what comes before is complete, but for the brace.
func (m *meeting) endOfMember() int {
	var ends []int
	for i := range m.original.body {
		if bytes.HasPrefix(m.original.body[i:], []byte(`,"`)) {
			ends = append(ends, i)
		}
	}
	return ends[m.random.IntN(len(ends))]
}

// lostAnswers are those of which nothing usable arrives.
func lostAnswers() []fault {
	return []fault{
		{"closed", either, func(m *meeting) { m.raw("") }},
		{"reset", either, func(m *meeting) {
			conn := m.take()
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			conn.Close()
		}},
		{"cut in the status line", either, func(m *meeting) { m.raw("HTTP/1.") }},
		{"cut in the headers", either, func(m *meeting) { m.raw(okay, "\r\nContent-Ty") }},
		{"cut after the headers", either, func(m *meeting) { m.raw(head(okay, 900)) }},
		{"silence", either, func(m *meeting) { m.hang("") }},
		{"silence in the headers", either, func(m *meeting) { m.hang(okay, "\r\nDate: ") }},
		{"silence in the body", after, func(m *meeting) { m.hang(head(okay, len(m.original.body)), string(m.original.body[:20])) }},
		{"a trickle", either, func(m *meeting) {
			conn := m.take()
			defer conn.Close()
			turns := time.NewTicker(20 * time.Millisecond)
			defer turns.Stop()
			text := head(okay, 1000) + strings.Repeat(" ", 1000)
			for i := range len(text) {
				if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
					return // the caller left
				}
				<-turns.C
			}
		}},
		{"no HTTP", either, func(m *meeting) {
			m.raw([]string{
				"SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x03\x00\x02\x02\x28", "220 mail.test ESMTP\r\n", webPage, `{"id":1}`, strings.Repeat("\x00", 99),
				"\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 2OO OK\r\n\r\n", "HTTP/3.7 200 OK\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n",
			}[m.random.IntN(12)])
		}},
	}
}

// cutAnswers are a part of the answer of the service.
func cutAnswers() []fault {
	half := func(m *meeting) string { return string(m.original.body[:len(m.original.body)/2]) }
	member := func(m *meeting) string { return string(m.original.body[:m.endOfMember()]) }
	chunk := func(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }
	const chunked = okay + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	const endless = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
	return []fault{
		{"cut in the body", after, func(m *meeting) { m.raw(head(okay, len(m.original.body)), half(m)) }},
		{"cut at the end of a member", after, func(m *meeting) { m.raw(head(okay, len(m.original.body)), member(m)) }},
		{"cut before the last byte", after, func(m *meeting) {
			m.raw(head(okay, len(m.original.body)), strings.TrimSuffix(strings.TrimSpace(string(m.original.body)), "}"))
		}},
		{"cut, with a length that fits", after, func(m *meeting) { m.reply(200, "application/json", half(m)) }},
		{"cut at the end of a member, with a length that fits", after, func(m *meeting) { m.reply(200, "application/json", member(m)) }},
		{"cut in a chunk", after, func(m *meeting) { m.raw(chunked, chunk(half(m))[:len(half(m))]) }},
		{"cut between chunks", after, func(m *meeting) { m.raw(chunked, chunk(member(m))) }},
		{"last chunk without its end", after, func(m *meeting) { m.raw(chunked, chunk(string(m.original.body)), "0\r\n") }},
		{"HTTP/1.0, cut in the body", after, func(m *meeting) { m.raw(endless, half(m)) }},
		{"HTTP/1.0, cut at the end of a member", after, func(m *meeting) { m.raw(endless, member(m)) }},
		{"HTTP/1.0, cut after the headers", after, func(m *meeting) { m.raw(endless) }},
		{"HTTP/1.1 without a length, cut", after, func(m *meeting) {
			m.raw(okay, "\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n", half(m))
		}},
		{"a length that is too long", after, func(m *meeting) { m.raw(head(okay, len(m.original.body)+7), string(m.original.body)) }},
		{"a length that is too short", after, func(m *meeting) { m.raw(head(okay, len(m.original.body)-7), string(m.original.body)) }},
	}
}

// oddities are answers of programs that handle HTTP badly. Some of them can be read all the same.
func oddities() []fault {
	zip := func(body []byte) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body)
		_ = z.Close()
		return b.String()
	}
	large := func(mebibytes int) string { return "X-Large: " + strings.Repeat("x", mebibytes<<20) }
	return []fault{
		{"headers of 2 MiB", after, func(m *meeting) { m.raw(head(okay, len(m.original.body), large(2)), string(m.original.body)) }},
		{"headers of 12 MiB", after, func(m *meeting) { m.raw(head(okay, len(m.original.body), large(12)), string(m.original.body)) }},
		{"1xx, then the answer", after, func(m *meeting) {
			m.raw("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
				head(okay, len(m.original.body)), string(m.original.body))
		}},
		{"1xx, then nothing", either, func(m *meeting) { m.raw("HTTP/1.1 103 Early Hints\r\n\r\n") }},
		{"101", either, func(m *meeting) {
			m.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
		}},
		{"status 999", either, func(m *meeting) { m.raw(head("HTTP/1.1 999 Request denied", 0)) }},
		{"the same length twice", after, func(m *meeting) {
			m.raw(head(okay, len(m.original.body), fmt.Sprint("Content-Length: ", len(m.original.body))), string(m.original.body))
		}},
		{"two lengths", after, func(m *meeting) {
			m.raw(head(okay, len(m.original.body), "Content-Length: 7"), string(m.original.body))
		}},
		{"a negative length", after, func(m *meeting) { m.raw(head(okay, -1), string(m.original.body)) }},
		{"two content types", after, func(m *meeting) {
			m.raw(okay, "\r\nContent-Type: text/html\r\n", strings.TrimPrefix(head("", len(m.original.body)), "\r\n"), string(m.original.body))
		}},
		{"gzip", after, func(m *meeting) { m.reply(200, "application/json", zip(m.original.body), "Content-Encoding", "gzip") }},
		{"gzip, cut", after, func(m *meeting) {
			m.reply(200, "application/json", zip(m.original.body)[:len(m.original.body)/3], "Content-Encoding", "gzip")
		}},
		{"gzip that is none", after, func(m *meeting) {
			m.reply(200, "application/json", string(m.original.body), "Content-Encoding", "gzip")
		}},
		{"gzip without a word", after, func(m *meeting) { m.reply(200, "application/json", zip(m.original.body)) }},
		{"brotli", after, func(m *meeting) { m.reply(200, "application/json", "\x0b\x02\x80{}\x03", "Content-Encoding", "br") }},
		{"UTF-16", after, func(m *meeting) {
			m.reply(200, "application/json; charset=utf-16le", strings.Join(strings.Split(string(m.original.body), ""), "\x00")+"\x00")
		}},
	}
}

// detours change what happens to the request.
func detours() []fault {
	return []fault{
		{"late", before, func(m *meeting) {
			// The caller sees a lost connection, and may repeat the request before the service gets this one.
			m.background.Go(func() { m.ask() })
			m.raw("")
		}},
		{"sent twice", after, func(m *meeting) {
			if again := m.ask(); again != nil {
				m.answer(again)
			}
		}},
		{"sent twice, then 504", after, func(m *meeting) {
			m.background.Go(func() { m.ask() })
			m.reply(504, isHTML, webPage)
		}},
		{"the request is cut on its way", before, func(m *meeting) {
			// The service gets a half, and its 400 comes back.
			if o := m.cut(); o != nil {
				m.answer(o)
			}
		}},
		{"the request is cut, and its answer lost", before, func(m *meeting) {
			m.cut()
			m.raw("")
		}},
	}
}

// cut sends the service half of the body, and returns what it answers.
func (m *meeting) cut() *original {
	conn, err := (&net.Dialer{}).DialContext(m.r.Context(), "tcp", m.server.Host)
	if err != nil {
		return nil
	}
	defer conn.Close()
	var whole bytes.Buffer
	if m.request().Write(&whole) != nil {
		return nil
	}
	if _, err := conn.Write(whole.Bytes()[:whole.Len()-len(m.body)/2]); err != nil {
		return nil
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), m.r)
	if err != nil {
		return nil
	}
	return read(resp)
}
