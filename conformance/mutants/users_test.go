package mutants_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

func userMutants() []mutant {
	return slices.Concat(registrationMutants(), documentMutants(), formMutants())
}

func registrationMutants() []mutant {
	return []mutant{
		broken("An email address in capitals is that of the user who has it in small letters", "users.registration.new-id", oneSpelling),
		broken("created_at is the local time, said to be UTC", "users.registration.new", wherever(func(user map[string]any) {
			user["created_at"] = inNepal(user["created_at"])
		})),
		broken("A user without sending capability is not registered in a destination", "users.registration.without-corridor",
			answering("createUser", 200, func(r request, a answer) answer {
				if r.member("type") == nil && r.member("country") == sandboxDestination {
					a = a.failure(422, "CORRIDOR_NOT_ENABLED")
				}
				return a
			})),
		broken("A user is registered to send from a destination, and may not", "users.registration.destination",
			accepting("createUser", "CORRIDOR_NOT_ENABLED", func(r request, body map[string]any, _ func(path string) any) bool {
				delete(body, "type")
				return r.text("country") == sandboxDestination
			})),
		broken("The user_scope is ignored where business is left out", "users.registration.kinds", registering(func(user map[string]any) {
			if _, sent := user["business"]; !sent && token.MatchString(text(user["user_scope"])) {
				delete(user, "user_scope")
			}
		})),
		broken("A country is any two letters", "users.registration.impossible", registering(func(user map[string]any) {
			for _, d := range slices.Concat([]any{user, user["mailing_address"]}, each(user["physical_documents"]), each(user["virtual_documents"])) {
				if object, ok := d.(map[string]any); ok && object["country"] == "XX" {
					object["country"] = sandboxOrigin
				}
			}
		})),
		broken("A date of birth may be the day after tomorrow", "users.registration.birth", registering(func(user map[string]any) {
			if born := text(user["date_of_birth"]); born > "2020" && born < "2900" {
				user["date_of_birth"] = "1990-04-12"
			}
		})),
		broken("A date of birth may be before 1900", "users.registration.birth", registering(func(user map[string]any) {
			if born := text(user["date_of_birth"]); born < "1900" && born > "1800" {
				user["date_of_birth"] = "1990-04-12"
			}
		})),
		broken("Nobody is born on the first day of 1900", "users.registration.birth",
			narrow("createUser", func(r request) bool { return r.member("date_of_birth") == "1900-01-01" })),
		broken("Expired documents are refused", "users.registration.birth", narrow("createUser", func(r request) bool {
			return len(each(r.member("virtual_documents"))) > 0 && text(member(each(r.member("virtual_documents"))[0], "expiry_date")) == "1899-12-31"
		})),
		broken("The gender of a business is ignored", "users.registration.kinds", registering(func(user map[string]any) {
			if user["business"] == true && token.MatchString(text(user["gender"])) {
				delete(user, "gender")
			}
		})),
	}
}

// The originating corridor and the destination that the suite uses of the sandbox.
const sandboxOrigin, sandboxDestination = "US", "NP"

// token is the form of the open sets (D-12).
var token = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// oneSpelling remembers each email address as it was first written, and the user that it was registered for.
func oneSpelling() fault {
	type registration struct {
		email any
		user  []byte
	}
	var known sync.Map // by email address in small letters
	return func(op string, r request, next ask) answer {
		a := next(r)
		if op != "createUser" || a.status != 200 {
			return a
		}
		email := a.member("email")
		first, there := known.LoadOrStore(strings.ToLower(fmt.Sprint(email)), registration{email, a.body})
		if there && first.(registration).email != email {
			a.body = first.(registration).user
		}
		return a
	}
}

func documentMutants() []mutant {
	replaced := func(replace func(content string) string) func() fault {
		return registering(func(user map[string]any) {
			for _, d := range each(user["physical_documents"]) {
				if object, ok := d.(map[string]any); ok {
					if content, ok := object["document_value"].(string); ok {
						object["document_value"] = replace(content)
					}
				}
			}
		})
	}
	return []mutant{
		broken("The content of copies is answered as the number of a document", "users.physical-documents.content-hidden",
			returning("createUser", func(r request, user map[string]any) {
				if copies := each(r.member("physical_documents")); len(copies) > 0 && user["virtual_documents"] == nil {
					for _, d := range copies {
						d.(map[string]any)["id"] = uuid.NewString()
					}
					user["virtual_documents"] = copies
				}
			})),
		broken("Icons are refused as copies", "users.physical-documents.accepted",
			narrow("createUser", func(r request) bool { return strings.Contains(string(r.body), "data:image/vnd.") })),
		broken("Drawings that declare PNG are accepted as copies", "users.physical-documents.markup", replaced(func(content string) string {
			return strings.Replace(content, "data:image/png;base64,PHN2", "data:image/png;base64,AHN2", 1)
		})),
		broken("Drawings that declare themselves are accepted as copies", "users.physical-documents.markup", replaced(func(content string) string {
			return strings.Replace(content, "data:image/svg+xml;base64,iVBO", "data:image/png;base64,iVBO", 1)
		})),
		broken("Drawings in UTF-16 are accepted as copies", "users.physical-documents.markup", replaced(func(content string) string {
			return strings.Replace(content, ";base64,//48", ";base64,iVBO", 1)
		})),
		broken("A copy has at most 64 KiB", "users.physical-documents.accepted",
			narrow("createUser", func(r request) bool { return len(r.body) > 64<<10 })),
		broken("Archives are accepted as copies", "users.physical-documents.refused", replaced(func(content string) string {
			return strings.Replace(content, "data:application/zip;", "data:application/pdf;", 1)
		})),
		broken("Characters that base64 does not know are taken for zeros", "users.physical-documents.refused",
			replaced(func(content string) string {
				head, data, found := strings.Cut(content, ";base64,")
				if !found {
					return content
				}
				return head + ";base64," + notBase64.ReplaceAllString(data, "A")
			})),
		broken("Line breaks in base64 are dropped", "users.physical-documents.refused",
			replaced(func(content string) string { return strings.ReplaceAll(content, "\n", "") })),
		broken("Too much padding of base64 is dropped", "users.physical-documents.refused",
			replaced(func(content string) string { return strings.Replace(content, "AAAA=", "AAAA", 1) })),
		broken("Parameters of media types are dropped", "users.physical-documents.refused",
			replaced(func(content string) string { return strings.Replace(content, ";charset=utf-8", "", 1) })),
	}
}

var notBase64 = regexp.MustCompile(`[^A-Za-z0-9+/=]`)

// registering changes the body of registrations.
func registering(edit func(user map[string]any)) func() fault {
	return asking("createUser", func(r request) request { return r.as(edit) })
}

// wherever changes the user in both operations that answer one.
func wherever(edit func(user map[string]any)) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if (op == "createUser" || op == "getUser") && a.status == 200 {
			return a.object(edit)
		}
		return a
	})
}

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
	var all []mutant
	for id, by := range map[string]string{"createUser": "users.registration.forms", "createReceiveUser": "accounts.receive-users.emails"} {
		for _, m := range []struct {
			name string
			such func(r request) bool
		}{
			{"an email address with a plus sign", without("email", "+")},
			{"an email address with an apostrophe", without("email", "'")},
		} {
			all = append(all, broken(id+" refuses "+m.name, by, narrow(id, m.such)))
		}
	}
	return append(all, []mutant{
		broken("Email addresses are kept in small letters", "users.registration.forms", wherever(func(user map[string]any) {
			user["email"] = strings.ToLower(text(user["email"]))
		})),
		broken("Zip codes lose their leading zeros", "users.registration.forms", registering(func(user map[string]any) {
			if code, ok := user["zipcode"].(string); ok {
				user["zipcode"] = strings.TrimLeft(code, "0")
			}
		})),
		broken("createUser refuses an IPv6 address", "users.registration.forms", narrow("createUser", without("ip_address", ":"))),
		broken("createUser refuses a website without a scheme", "users.registration.forms", narrow("createUser", func(r request) bool {
			site := r.text("company_website")
			return site != "" && !strings.Contains(site, "://")
		})),
	}...)
}
