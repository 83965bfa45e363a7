package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A large response is streamed: its beginning arrives before its end exists. It is not judged, and the log says so.
func TestLargeResponsesAreStreamed(t *testing.T) {
	t.Parallel()
	for _, responses := range []string{"log", "header", "refuse", "off"} {
		goOn := make(chan struct{})
		f := before(t, service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Repeat(" ", 2000))
			_ = http.NewResponseController(w).Flush()
			<-goOn
			_, _ = io.WriteString(w, "end")
		}), func(o *options) { o.Responses, o.ResponseLimit = responses, 1000 })
		res, err := http.DefaultTransport.RoundTrip(request(t, f.URL, "GET", "/payers", ""))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadFull(res.Body, make([]byte, 2000))
		close(goOn)
		end, failed := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || failed != nil || string(end) != "end" {
			t.Errorf("%s: %v %v %q", responses, err, failed, end)
		}
		if line := f.lines(t, 1)[0]; (line["not_judged"] == "the body has more than 1000 bytes") != (responses != "off") {
			t.Errorf("%s: logged %v", responses, line)
		}
	}
}

// What the modes do with a response that breaks the contract.
func TestResponsesThatBreakTheContract(t *testing.T) {
	t.Parallel()
	url := service(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "of-the-service")
		_, _ = io.WriteString(w, `[{"name":1}]`)
	})
	for responses, want := range map[string]int{"off": 200, "log": 200, "header": 200, "refuse": 502} {
		f := before(t, url, func(o *options) { o.Responses = responses })
		res, text := send(t, f.URL, "GET", "/payers", "")
		marked := strings.Contains(res.Header.Get("X-Contract-Violations"), `body "/0/name" must be a string`)
		if res.StatusCode != want || marked != (responses == "header") || (text == `[{"name":1}]`) != (want == 200) ||
			res.Header.Get("X-Request-Id") != "of-the-service" {
			t.Errorf("%s: answered %d %v %s", responses, res.StatusCode, res.Header, text)
		}
		line := f.lines(t, 1)[0]
		violations, _ := line["response_violations"].([]any)
		if slices.Contains(violations, "body /*/name must be a string") != (responses != "off") || line["request_id"] != "of-the-service" {
			t.Errorf("%s: logged %v", responses, line)
		}
	}
}

// A connection that is upgraded is a tunnel.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	f := before(t, service(t, func(w http.ResponseWriter, r *http.Request) {
		conn, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+r.Header.Get("Upgrade")+"\r\n\r\n")
		line, _ := in.ReadString('\n')
		_, _ = io.WriteString(conn, "got "+line)
	}))
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n")
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != 101 {
		t.Fatalf("%v, %v", res, err)
	}
	_, _ = io.WriteString(conn, "hello\n")
	if line, err := in.ReadString('\n'); line != "got hello\n" {
		t.Errorf("%q, %v", line, err)
	}
}
