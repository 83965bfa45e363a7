package mutants_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

func httpMutants() []mutant {
	return slices.Concat(routeMutants(), contentMutants(), headerMutants())
}

// at returns the request for another path.
func (r request) at(path string) request {
	r.Request = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = path, ""
	return r
}

// routeMutants take paths and methods that are not those of the contract, or refuse those that are.
func routeMutants() []mutant {
	// mistaking takes a path that leads nowhere for another one, if instead returns one.
	mistaking := func(instead func(path string) string) func() fault {
		return stateless(func(op string, r request, next ask) answer {
			a := next(r)
			if path := instead(r.URL.Path); op == "" && a.status == http.StatusNotFound && path != "" && path != r.URL.Path {
				return next(r.at(path))
			}
			return a
		})
	}
	shorter := func(path string) string {
		if segments := strings.Split(path, "/"); len(segments) == 4 && segments[3] != "" {
			return strings.Join(segments[:3], "/")
		}
		return ""
	}
	return []mutant{
		broken("A method that a path does not have is taken for a path that does not exist", "http.methods",
			after(func(_ string, _ request, a answer, _ ask) answer {
				if a.status == http.StatusMethodNotAllowed {
					a = a.failure(http.StatusNotFound, "NOT_FOUND")
				}
				return a
			})),
		broken("A 405 names one method only", "http.allow", after(func(_ string, _ request, a answer, _ ask) answer {
			if a.status == http.StatusMethodNotAllowed {
				a = a.with("Allow", http.MethodGet)
			}
			return a
		})),
		broken("A 405 names the method that it refuses", "http.allow", after(func(_ string, _ request, a answer, _ ask) answer {
			if a.status == http.StatusMethodNotAllowed {
				a = a.with("Allow", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
			}
			return a
		})),
		broken("All paths are there with a version before them too", "http.unknown-path", mistaking(func(path string) string {
			rest, _ := strings.CutPrefix(path, "/v1")
			return rest
		})),
		broken("A path that goes on behind an identifier is that of the identifier", "http.longer-path", mistaking(shorter)),
		broken("An identifier takes the rest of the path, which is then malformed", "http.longer-path",
			after(func(op string, r request, a answer, _ ask) answer {
				if op == "" && a.status == http.StatusNotFound && strings.HasPrefix(r.URL.Path, "/banks/") {
					a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
				}
				return a
			})),
		broken("Identifiers are not percent-decoded", "http.percent-encoding", after(func(_ string, r request, a answer, _ ask) answer {
			if a.status == http.StatusOK && strings.Contains(r.RequestURI, "%") {
				a = a.failure(http.StatusNotFound, "NOT_FOUND")
			}
			return a
		})),
		broken("Paths may be written in capitals", "http.path-spelling", mistaking(strings.ToLower)),
		broken("Paths may end with a slash", "http.path-spelling", mistaking(func(path string) string { return strings.TrimSuffix(path, "/") })),
		broken("HEAD answers another content type than GET", "http.head", after(func(_ string, r request, a answer, _ ask) answer {
			if r.Method == http.MethodHead {
				a = a.with("Content-Type", "application/json; charset=utf-8")
			}
			return a
		})),
		broken("HEAD finds no payer", "http.head", then("getPayer", func(r request, a answer, _ ask) answer {
			if r.Method == http.MethodHead {
				a = a.failure(http.StatusNotFound, "NOT_FOUND")
			}
			return a
		})),
		broken("OPTIONS does what GET does", "http.options", stateless(func(_ string, r request, next ask) answer {
			if r.Method == http.MethodOptions {
				return next(r.to(http.MethodGet, r.URL.Path))
			}
			return next(r)
		})),
	}
}

func contentMutants() []mutant {
	const name, right = "Content-Type", "application/json"
	typed := func(wrong func(r request, contentType string) bool) func() fault {
		return stateless(func(_ string, r request, next ask) answer {
			a := next(r)
			if contentType := r.Header.Get(name); a.status == http.StatusUnsupportedMediaType && wrong(r, contentType) {
				return next(r.header(name, right))
			}
			return a
		})
	}
	refusing := func(such func(op string, r request) bool, status int, code string) func() fault {
		return stateless(func(op string, r request, next ask) answer {
			a := next(r)
			if such(op, r) {
				a = a.failure(status, code)
			}
			return a
		})
	}
	return []mutant{
		broken("Every content type that begins like that of JSON is taken", "http.content-type.other",
			typed(func(_ request, contentType string) bool { return strings.HasPrefix(contentType, right) })),
		broken("A body that looks like JSON may come as plain text", "http.content-type.other", typed(func(r request, contentType string) bool {
			return contentType == "text/plain" && bytes.HasPrefix(r.body, []byte("{"))
		})),
		broken("A body without a content type is taken for JSON", "http.content-type.missing",
			typed(func(_ request, contentType string) bool { return contentType == "" })),
		broken("A content type with a charset is refused", "http.content-type.charset",
			refusing(func(_ string, r request) bool { return strings.Contains(r.Header.Get(name), ";") }, 415, "UNSUPPORTED_MEDIA_TYPE")),
		broken("JSON may come in any charset", "http.content-type.other-charset",
			typed(func(_ request, contentType string) bool { return strings.HasPrefix(contentType, right+"; charset=") })),
		broken("The content type is judged where there is no body", "http.content-type.no-body", refusing(func(op string, r request) bool {
			contentType := r.Header.Get(name)
			return op == "listBanks" && len(r.body) == 0 && contentType != "" && contentType != right
		}, 400, "BAD_REQUEST")),
		broken("A registration without a body and a content type is 415", "http.content-type.no-body",
			answering("createUser", http.StatusBadRequest, func(r request, a answer) answer {
				if len(r.body) == 0 && r.Header.Get(name) == "" {
					a = a.failure(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
				}
				return a
			})),
		broken("A registration without a body and with another content type is 415", "http.content-type.no-body",
			answering("createUser", http.StatusBadRequest, func(r request, a answer) answer {
				if contentType := r.Header.Get(name); len(r.body) == 0 && contentType != "" && contentType != right {
					a = a.failure(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
				}
				return a
			})),
		broken("A body of more than 1 MiB is too large", "http.size.most",
			refusing(func(_ string, r request) bool { return r.ContentLength > 1<<20 }, 413, "PAYLOAD_TOO_LARGE")),
		broken("A body that is announced as too long is a bad request", "http.size.announced",
			refusing(func(_ string, r request) bool { return r.ContentLength > mostBytes }, 400, "BAD_REQUEST")),
		broken("A body may be as long as it likes if it does not tell its length", "http.size.chunked",
			stateless(func(_ string, r request, next ask) answer {
				if r.ContentLength < 0 {
					r.body = bytes.TrimSpace(r.body)
				}
				return next(r)
			})),
	}
}

func headerMutants() []mutant {
	return []mutant{
		broken("A request that wants no JSON is refused", "http.unknown-headers", after(func(_ string, r request, a answer, _ ask) answer {
			if accept := r.Header.Get("Accept"); accept != "" && !strings.Contains(accept, "json") && !strings.Contains(accept, "*") {
				a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
			}
			return a
		})),
		broken("The length of a key is judged in every operation", "http.unknown-headers", after(func(_ string, r request, a answer, _ ask) answer {
			if a.status == http.StatusOK && len([]rune(r.key())) > 255 {
				a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
			}
			return a
		})),
		broken("What a caller says to have already is not sent", "http.unknown-headers", after(func(_ string, r request, a answer, _ ask) answer {
			if a.status == http.StatusOK && r.Method == http.MethodGet && r.Header.Get("If-None-Match") != "" {
				a.status, a.body = http.StatusNotModified, nil
			}
			return a
		})),
		broken("The parameters of a list may be in its body", "http.body-on-get", asking("listPayers", func(r request) request {
			if country := text(r.member("country")); country != "" {
				r = r.query("country", country)
			}
			return r
		})),
		broken("The request id is that of the caller where he sends one", "http.request-id", after(func(_ string, r request, a answer, _ ask) answer {
			if id := r.Header.Get("X-Request-Id"); id != "" {
				a = a.with("X-Request-Id", id)
			}
			return a
		})),
	}
}
