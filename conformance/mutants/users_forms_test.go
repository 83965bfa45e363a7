package mutants_test

import (
	"net/http"
	"regexp"
	"strings"
)

// narrow refuses requests that would be accepted, if they are such.
func narrow(id string, such func(r request) bool) func() fault {
	return answering(id, http.StatusOK, func(r request, a answer) answer {
		if such(r) {
			a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
		}
		return a
	})
}

// formMutants know fewer forms than the contract, of users and of receive users.
func formMutants() []mutant {
	without := func(name, sign string) func(r request) bool {
		return func(r request) bool { return strings.Contains(r.text(name), sign) }
	}
	digits := func(least, most int) func(r request) bool {
		return func(r request) bool {
			n := len(r.text("mobile_phone"))
			return n > 0 && (n < least || n > most)
		}
	}
	state := func(form string) func(r request) bool {
		known := regexp.MustCompile("^(" + form + ")?$")
		return func(r request) bool { return !known.MatchString(r.text("state")) }
	}
	var all []mutant
	for _, of := range [][2]string{{"createUser", "users.registration."}, {"createReceiveUser", "accounts.receive-users."}} {
		id, group := of[0], of[1]
		for _, m := range []struct {
			check, name string
			such        func(r request) bool
		}{
			{"emails", "an email address with a plus sign", without("email", "+")},
			{"emails", "an email address with an apostrophe", without("email", "'")},
			{"phones", "a phone number of more than 15 digits", digits(4, 15)},
			{"phones", "a phone number of less than 7 digits", digits(7, 20)},
			{"state-codes", "the code of a state of three characters", state("..?")},
		} {
			all = append(all, mutant{name: id + " refuses " + m.name, by: group + m.check, fault: narrow(id, m.such)})
		}
	}
	return append(all, []mutant{
		{ // the sandbox has no such state in a destination
			name: "createUser refuses the code of a state of one character", by: "users.registration.state-codes",
			fault: narrow("createUser", state("..+")),
		},
		{name: "createUser refuses an IPv6 address", by: "users.registration.ipv6", fault: narrow("createUser", without("ip_address", ":"))},
		{
			name: "createUser refuses a website without a scheme", by: "users.business.any-website",
			fault: narrow("createUser", func(r request) bool {
				site := r.text("company_website")
				return site != "" && !strings.Contains(site, "://")
			}),
		},
		{
			name: "A user has at most 10 copies of documents", by: "users.documents.most",
			fault: narrow("createUser", func(r request) bool { return len(each(r.member("physical_documents"))) > 10 }),
		},
		{
			name: "Of the numbers of documents the first ten are kept", by: "users.documents.most",
			fault: wherever(func(user map[string]any) {
				if numbers := each(user["virtual_documents"]); len(numbers) > 10 {
					user["virtual_documents"] = numbers[:10]
				}
			}),
		},
	}...)
}

// textMembers are the texts of a user that people write as they like.
var textMembers = []string{"first_name", "last_name", "address_line1", "city"}

// tidyMutants keep texts in another form than they were sent.
func tidyMutants() []mutant {
	rewritten := func(tidy func(text string) string, names ...string) func() fault {
		return wherever(func(user map[string]any) {
			for _, name := range names {
				if text, ok := user[name].(string); ok {
					user[name] = tidy(text)
				}
			}
		})
	}
	return []mutant{
		{name: "Email addresses are kept in small letters", by: "users.registration.email-case", fault: rewritten(strings.ToLower, "email")},
		{
			name: "White space at the ends of names and addresses is cut", by: "users.registration.white-space",
			fault: rewritten(strings.TrimSpace, textMembers...),
		},
		{
			name: "Two spaces in a name or an address become one", by: "users.registration.white-space",
			fault: rewritten(func(text string) string { return strings.ReplaceAll(text, "  ", " ") }, textMembers...),
		},
		{
			name: "Zip codes lose their leading zeros", by: "users.registration.zipcode",
			fault: rewritten(func(text string) string { return strings.TrimLeft(text, "0") }, "zipcode"),
		},
	}
}

// shortTextMutants cut what is long.
func shortTextMutants() []mutant {
	cut := func(most int, members ...string) func(object map[string]any) {
		return func(object map[string]any) {
			for _, name := range members {
				if text := []rune(text(object[name])); len(text) > most {
					object[name] = string(text[:most])
				}
			}
		}
	}
	of := func(name string, edit func(user map[string]any)) mutant {
		return mutant{name: name, by: "users.registration.longest", fault: wherever(edit)}
	}
	return []mutant{
		of("Last names are cut after 100 characters", cut(100, "last_name")),
		of("The lines of a mailing address are cut after 100 characters", func(user map[string]any) {
			if address, ok := user["mailing_address"].(map[string]any); ok {
				cut(100, "address_line1", "address_line2")(address)
			}
		}),
		of("The numbers of documents are cut after 50 characters", func(user map[string]any) {
			for _, d := range documentsOf(user) {
				cut(50, "document_value")(d)
			}
		}),
		of("The authorities that issued documents are cut after 100 characters", func(user map[string]any) {
			for _, d := range documentsOf(user) {
				cut(100, "id_issuing_authority")(d)
			}
		}),
	}
}

// The originating corridor and the destination that the suite uses of the sandbox.
const sandboxOrigin, sandboxDestination = "US", "NP"

// corridorMutants take an originating corridor for a destination, or the other way round.
func corridorMutants() []mutant {
	return []mutant{
		{
			name: "A user is registered to send from a destination, and may not", by: "users.registration.destination",
			fault: accepting("createUser", "CORRIDOR_NOT_ENABLED", func(r request, body map[string]any, _ func(path string) any) bool {
				delete(body, "type")
				return r.text("country") == sandboxDestination
			}),
		},
		{
			name: "A receive user may be in an originating country", by: "accounts.receive-users.origin",
			fault: accepting("createReceiveUser", "CORRIDOR_NOT_ENABLED", func(r request, body map[string]any, _ func(path string) any) bool {
				body["country"] = sandboxDestination
				return r.text("country") == sandboxOrigin
			}),
		},
	}
}
