package console

import (
	"net/http"
	"net/url"
	"strconv"
)

const requestsOfPage = 25

type requestsView struct {
	Requests    []entry
	Page, Pages int
	Newer       string // address
	Older       string
}

// requests lists what this process was asked by anybody: both clients, and callers without valid credentials.
func requests(v *visit) (*view, error) {
	all := v.seen.newest()
	shown := requestsView{Page: 1, Pages: max(1, (len(all)+requestsOfPage-1)/requestsOfPage)}
	if n, err := strconv.Atoi(v.input("page")); err == nil && n > 1 {
		shown.Page = min(n, shown.Pages)
	}
	if id := v.input("id"); id != "" { // one request
		shown.Requests, shown.Pages = v.seen.find(func(r Request) bool { return r.RequestID == id }), 1
		return &view{"requests.html", "Request", "requests", shown}, nil
	}
	first := (shown.Page - 1) * requestsOfPage
	shown.Requests = all[first:min(len(all), first+requestsOfPage)]
	if shown.Page > 1 {
		shown.Newer = "?page=" + strconv.Itoa(shown.Page-1)
	}
	if shown.Page < shown.Pages {
		shown.Older = "?page=" + strconv.Itoa(shown.Page+1)
	}
	return &view{"requests.html", "Requests", "requests", shown}, nil
}

// Link is the page of what a request was about, if there is one.
func (e entry) Link() string {
	base := "/console/" + url.PathEscape(e.Client)
	switch {
	case e.Client == "" || e.Status >= 400:
		return ""
	case e.Operation == "createTransaction" && e.Created != "":
		return base + "/payouts/" + e.IDs["user_id"] + "/" + e.Created
	case e.IDs["transaction_id"] != "" && e.IDs["user_id"] != "":
		return base + "/payouts/" + e.IDs["user_id"] + "/" + e.IDs["transaction_id"]
	case e.Operation == "createWebhookEndpoint" && e.Created != "":
		return base + "/webhooks/" + e.Created
	case e.IDs["webhook_endpoint_id"] != "":
		return base + "/webhooks/" + e.IDs["webhook_endpoint_id"]
	case e.Operation == "createUser" && e.Created != "":
		return base + "/users/" + e.Created
	case e.IDs["user_id"] != "":
		return base + "/users/" + e.IDs["user_id"]
	}
	return ""
}

// statusText is the status of an answer for people.
func statusText(status int) string { return strconv.Itoa(status) + " " + http.StatusText(status) }
