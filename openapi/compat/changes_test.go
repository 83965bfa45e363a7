package compat

import (
	"slices"
	"strings"
	"testing"
)

// kind is one kind of change, made to the contract of this project.
type kind struct {
	name   string
	before []edit // makes the contract have what is changed
	change []edit
	want   []string // level, side and text of each change, without operations
}

func check(t *testing.T, kinds []kind) {
	t.Helper()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Concat(inline, k.before)
			base, head := published(t, before...), published(t, slices.Concat(before, k.change)...)
			var got []string
			for _, change := range Compare(base, head) {
				change.Operations = nil
				got = append(got, strings.Join(strings.Fields(change.String()), " "))
			}
			if !slices.Equal(got, k.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(k.want, "\n  "))
			}
		})
	}
}

// Places of the contract, each used in one direction only.
const (
	schemas = "components schemas "
	sent    = schemas + "UserRequest"
	name    = sent + " properties first_name"                      // sent
	country = schemas + "CountryCodeAny"                           // sent, a parameter
	rate    = schemas + "PositiveAmount"                           // sent, a number
	user    = schemas + "User"                                     // returned
	city    = user + " properties city"                            // returned
	tier    = schemas + "TransactionLimit properties current_tier" // returned, a number
	payers  = "paths /payers get"
	signUp  = "paths /users post"
)

// inline makes members whose schemas are shared ones of their own.
var inline = []edit{
	set(name, "{type: string, minLength: 1, maxLength: 200, description: First name.}"), set(city, "{type: string, maxLength: 100}"),
}

func TestChangesOfRequests(t *testing.T) {
	t.Parallel()
	const (
		inName  = "request schema UserRequest, member first_name: "
		inSides = "request schema ReceiveSide"
		inUser  = "request schema UserRequest: "
	)
	check(t, []kind{
		{"an upper bound lowered", nil, []edit{set(name+" maxLength", "100")}, []string{"breaking " + inName + "maxLength lowered from 200 to 100"}},
		{"an upper bound raised", nil, []edit{set(name+" maxLength", "300")}, []string{"compatible " + inName + "maxLength raised from 200 to 300"}},
		{"an upper bound added", []edit{drop(name + " maxLength")}, []edit{set(name+" maxLength", "100")}, []string{"breaking " + inName + "maxLength 100 added"}},
		{"an upper bound removed", nil, []edit{drop(name + " maxLength")}, []string{"compatible " + inName + "maxLength 200 removed"}},
		{"a lower bound raised", nil, []edit{set(name+" minLength", "2")}, []string{"breaking " + inName + "minLength raised from 1 to 2"}},
		{"a lower bound removed", nil, []edit{drop(name + " minLength")}, []string{"compatible " + inName + "minLength lowered from 1 to 0"}},
		{"the lowest length 0 written out", []edit{drop(name + " minLength")}, []edit{set(name+" minLength", "0")}, nil},
		{"a number bounded", nil, []edit{set(rate+" maximum", "5")}, []string{"breaking request schema PositiveAmount: maximum lowered from 1000000000000 to 5"}},
		{"the same bound in other digits", nil, []edit{set(rate+" maximum", "1000000000000.00")}, nil},
		{"a bound that no longer excludes itself", nil, []edit{drop(rate + " exclusiveMinimum")}, []string{"compatible request schema PositiveAmount: is no longer exclusiveMinimum"}},
		{"a bound that excludes itself", []edit{drop(rate + " exclusiveMinimum")}, []edit{set(rate+" exclusiveMinimum", "true")}, []string{"breaking request schema PositiveAmount: became exclusiveMinimum"}},
		{"a pattern added", nil, []edit{set(name+" pattern", "^A")}, []string{"breaking " + inName + "pattern ^A added"}},
		{"a pattern removed", nil, []edit{drop(country + " pattern")}, []string{"compatible request schema CountryCodeAny: pattern ^[A-Z]{2,3}$ removed"}},
		{"a pattern changed", nil, []edit{set(country+" pattern", "^[A-Z]{2}$")}, []string{"breaking request schema CountryCodeAny: pattern is ^[A-Z]{2}$ instead of ^[A-Z]{2,3}$"}},
		{"a format added", nil, []edit{set(name+" format", "email")}, []string{"breaking " + inName + "format email added"}},
		{"a number that must be whole", []edit{set(name, "{type: number}")}, []edit{set(name+" type", "integer")}, []string{"breaking " + inName + "the type is integer instead of number"}},
		{"a number that may have a fraction", []edit{set(name, "{type: integer}")}, []edit{set(name+" type", "number")}, []string{"compatible " + inName + "the type is number instead of integer"}},
		{"another type", nil, []edit{set(name+" type", "boolean")}, []string{"breaking " + inName + "the type is boolean instead of string"}},
		{"any type limited to one", []edit{set(name, "{maxLength: 5}")}, []edit{set(name+" type", "string")}, []string{"breaking " + inName + "limited to the type string"}},
		{"a smaller integer", []edit{set(name, "{type: integer, format: int64}")}, []edit{set(name+" format", "int32")}, []string{"breaking " + inName + "the format is int32 instead of int64"}},
		{"items limited to a kind", []edit{drop(sent + " properties physical_documents items")}, []edit{set(sent+" properties physical_documents items", "{type: string}")}, []string{"breaking request schema UserRequest, member physical_documents, items: a schema added"}},
		{"any type", nil, []edit{drop(name + " type")}, []string{"compatible " + inName + "no longer limited to the type string"}},
		{"null allowed", nil, []edit{set(name+" nullable", "true")}, []string{"compatible " + inName + "became nullable"}},
		{"null no longer allowed", []edit{set(name+" nullable", "true")}, []edit{drop(name + " nullable")}, []string{"breaking " + inName + "is no longer nullable"}},
		{"a value removed from a closed set", []edit{set(name+" enum", "[A, B]")}, []edit{drop(name + " enum B")}, []string{"breaking " + inName + "values removed from the closed set: B"}},
		{"a value added to a closed set", []edit{set(name+" enum", "[A, B]")}, []edit{push(name+" enum", "C")}, []string{"compatible " + inName + "values added to the closed set: C"}},
		{"values in another order", []edit{set(name+" enum", "[A, B]")}, []edit{set(name+" enum", "[B, A]")}, nil},
		{"a set closed", nil, []edit{set(name+" enum", "[A]")}, []string{"breaking " + inName + "limited to the values [A]"}},
		{"a set opened", []edit{set(name+" enum", "[A]")}, []edit{drop(name + " enum")}, []string{"compatible " + inName + "no longer limited to the values [A]"}},
		{"a default added", nil, []edit{set(name+" default", "Asha")}, []string{"breaking " + inName + "default Asha added, which changes what a request without it means"}},
		{"a default changed", []edit{set(name+" default", "Asha")}, []edit{set(name+" default", "Bina")}, []string{"breaking " + inName + "default is Bina instead of Asha"}},
		{"a default removed", []edit{set(name+" default", "Asha")}, []edit{drop(name + " default")}, []string{"breaking " + inName + "default Asha removed"}},
		{"a required member added", nil, []edit{set(sent+" properties nick_name", "{type: string}"), push(sent+" required", "nick_name")}, []string{"breaking " + inUser + "required member nick_name added"}},
		{"an optional member added with a default", nil, []edit{set(sent+" properties nick_name", "{type: string, default: A}")}, []string{"breaking " + inUser + "optional member nick_name added with a default, so that repeats of earlier requests are refused"}},
		{"an optional member added", nil, []edit{set(sent+" properties nick_name", "{type: string}")}, []string{"compatible " + inUser + "optional member nick_name added"}},
		{"a member removed", nil, []edit{drop(sent + " properties city")}, []string{"breaking " + inUser + "member city removed"}},
		{"a member that became required", nil, []edit{push(sent+" required", "city")}, []string{"breaking request schema UserRequest, member city: became required"}},
		{"a member that became optional", nil, []edit{drop(sent + " required first_name")}, []string{"compatible " + inName + "became optional"}},
		{"an object closed", []edit{drop(sent + " additionalProperties")}, []edit{set(sent+" additionalProperties", "false")}, []string{"breaking " + inUser + "no further members allowed, until now any further members"}},
		{"an object opened", nil, []edit{drop(sent + " additionalProperties")}, []string{"compatible " + inUser + "any further members allowed, until now no further members"}},
		{"the values of a map narrowed", []edit{set(sent+" additionalProperties", "{type: string}")}, []edit{set(sent+" additionalProperties maxLength", "5")}, []string{"breaking request schema UserRequest, further members: maxLength 5 added"}},
		{"a map closed", []edit{set(sent+" additionalProperties", "{type: string}")}, []edit{set(sent+" additionalProperties", "false")}, []string{"breaking " + inUser + "no further members allowed, until now further members of one schema"}},
		{"fewer items allowed", []edit{set(sent+" properties physical_documents maxItems", "20")}, []edit{set(sent+" properties physical_documents maxItems", "10")}, []string{"breaking request schema UserRequest, member physical_documents: maxItems lowered from 20 to 10"}},
		{"items that must differ", nil, []edit{set(sent+" properties physical_documents uniqueItems", "true")}, []string{"breaking request schema UserRequest, member physical_documents: became uniqueItems"}},
		{"items of any kind", nil, []edit{drop(sent + " properties physical_documents items")}, []string{"compatible request schema UserRequest, member physical_documents, items: the schema removed"}},
		{"a variant removed", nil, []edit{set(schemas+"ReceiveSide oneOf", `[{$ref: '#/components/schemas/BankDepositTo'}]`), drop(schemas + "ReceiveSide discriminator")},
			[]string{
				"breaking " + inSides + ": discriminator removed, by which generated clients choose",
				"breaking " + inSides + ": oneOf CashPickupTo removed",
				"breaking " + inSides + ": oneOf HomeDeliveryTo removed",
				"breaking " + inSides + ": oneOf WalletTo removed",
			}},
		{"a variant added", nil, []edit{push(schemas+"ReceiveSide oneOf", `{$ref: '#/components/schemas/UserRequest'}`), set(schemas+"ReceiveSide discriminator mapping CARD", "'#/components/schemas/UserRequest'")},
			[]string{
				"compatible " + inSides + ": oneOf UserRequest added",
				"compatible " + inSides + ": the discriminator also knows CARD",
			}},
		{"a value of the discriminator that selects another variant", nil, []edit{set(schemas+"ReceiveSide discriminator mapping WALLET", "'#/components/schemas/CashPickupTo'")},
			[]string{"breaking " + inSides + ": the discriminator maps WALLET to #/components/schemas/CashPickupTo instead of #/components/schemas/WalletTo"}},
		{"a discriminator added", []edit{drop(schemas + "ReceiveSide discriminator")}, []edit{set(schemas+"ReceiveSide discriminator", "{propertyName: payout_method}")}, []string{"compatible " + inSides + ": discriminator added"}},
		{"a value that the discriminator no longer knows", nil, []edit{drop(schemas + "ReceiveSide discriminator mapping WALLET")}, []string{"breaking " + inSides + ": the discriminator no longer knows WALLET"}},
		{"another discriminator", nil, []edit{set(schemas+"ReceiveSide discriminator propertyName", "kind")}, []string{"breaking " + inSides + ": the discriminator is kind instead of payout_method"}},
		{"a schema wrapped in oneOf", []edit{set(name, "{type: string}")}, []edit{set(name, "{oneOf: [{type: string}]}")}, []string{
			"breaking " + inName + "oneOf added",
			"compatible " + inName + "no longer limited to the type string"}},
		{"one more condition", []edit{set(name, "{allOf: [{type: string}, {minLength: 1}]}")}, []edit{push(name+" allOf", "{maxLength: 5}")}, []string{"breaking " + inName + "allOf number 3 added"}},
		{"a reference wrapped to be described", []edit{set(name, `{$ref: '#/components/schemas/Purpose'}`)}, []edit{set(name, `{description: Text., allOf: [{$ref: '#/components/schemas/Purpose'}]}`)},
			[]string{"compatible " + inName + "describes it in place instead of referring to schema Purpose",
				"prose " + inName + "description changed"}},
		{"a member that must no longer be sent", nil, []edit{set(name+" readOnly", "true")}, []string{"breaking " + inName + "became readOnly"}},
		{"a member deprecated", nil, []edit{set(name+" deprecated", "true")}, []string{"compatible " + inName + "deprecated"}},
		{"a keyword that is not known here", nil, []edit{set(name+" contains", "{type: string}")}, []string{"breaking " + inName + "contains added, which this comparison cannot judge"}},
		{"an extension", nil, []edit{set(name+" x-anything", "1")}, []string{"compatible " + inName + "x-anything added"}},
	})
}

func TestChangesOfResponses(t *testing.T) {
	t.Parallel()
	const (
		inCity = "response schema User, member city: "
		inTier = "response schema TransactionLimit, member current_tier: "
		inUser = "response schema User: "
	)
	known := set(schemas+"ErrorCode", "{type: string, x-known-values: [BAD_REQUEST, NOT_FOUND]}")
	check(t, []kind{
		{"an upper bound raised", []edit{set(city+" maxLength", "100")}, []edit{set(city+" maxLength", "200")}, []string{"breaking " + inCity + "maxLength raised from 100 to 200"}},
		{"an upper bound lowered", []edit{set(city+" maxLength", "100")}, []edit{set(city+" maxLength", "50")}, []string{"compatible " + inCity + "maxLength lowered from 100 to 50"}},
		{"an upper bound removed", []edit{set(city+" maxLength", "100")}, []edit{drop(city + " maxLength")}, []string{"breaking " + inCity + "maxLength 100 removed"}},
		{"an upper bound added", []edit{set(city, "{type: string}")}, []edit{set(city+" maxLength", "100")}, []string{"compatible " + inCity + "maxLength 100 added"}},
		{"a lower bound lowered", []edit{set(tier+" minimum", "0")}, []edit{set(tier+" minimum", "-1")}, []string{"breaking " + inTier + "minimum lowered from 0 to -1"}},
		{"a number that may have a fraction", []edit{set(tier, "{type: integer}")}, []edit{set(tier+" type", "number")}, []string{"breaking " + inTier + "the type is number instead of integer"}},
		{"a larger integer", []edit{set(tier+" format", "int32")}, []edit{set(tier+" format", "int64")}, []string{"breaking " + inTier + "the format is int64 instead of int32"}},
		{"a format removed", nil, []edit{drop(user + " properties id format")}, []string{"breaking response schema User, member id: format uuid removed"}},
		{"a pattern removed", nil, []edit{drop(schemas + "Timestamp pattern")}, []string{`breaking response schema Timestamp: pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}$ removed`}},
		{"null that may come", []edit{set(city, "{type: string}")}, []edit{set(city+" nullable", "true")}, []string{"breaking " + inCity + "became nullable"}},
		{"null that no longer comes", []edit{set(city, "{type: string, nullable: true}")}, []edit{drop(city + " nullable")}, []string{"compatible " + inCity + "is no longer nullable"}},
		{"a value added to a closed set", []edit{set(city, "{type: string, enum: [A]}")}, []edit{push(city+" enum", "B")}, []string{"breaking " + inCity + "values added to the closed set: B"}},
		{"a value removed from a closed set", []edit{set(city, "{type: string, enum: [A, B]}")}, []edit{drop(city + " enum B")}, []string{"compatible " + inCity + "values removed from the closed set: B"}},
		{"a closed set opened", []edit{set(city, "{type: string, enum: [A]}")}, []edit{drop(city + " enum")}, []string{"breaking " + inCity + "no longer limited to the values [A]"}},
		{"an error code added", []edit{known}, []edit{push(schemas+"ErrorCode x-known-values", "GONE")}, []string{"compatible response schema ErrorCode: x-known-values gained GONE"}},
		{"an error code removed", []edit{known}, []edit{drop(schemas + "ErrorCode x-known-values NOT_FOUND")}, []string{"breaking response schema ErrorCode: x-known-values lost NOT_FOUND"}},
		{"a kind of text added", nil, []edit{set(name+" x-text", "line")}, []string{"compatible request schema UserRequest, member first_name: x-text line added, which refuses only texts that deceive a reader or break a display"}},
		{"a kind of text removed", []edit{set(name+" x-text", "line")}, []edit{drop(name + " x-text")}, []string{"compatible request schema UserRequest, member first_name: x-text line removed"}},
		{"line breaks allowed in a text", []edit{set(name+" x-text", "line")}, []edit{set(name+" x-text", "prose")}, []string{"compatible request schema UserRequest, member first_name: x-text is prose instead of line, with line breaks"}},
		{"line breaks no longer allowed in a text", []edit{set(name+" x-text", "prose")}, []edit{set(name+" x-text", "line")}, []string{"breaking request schema UserRequest, member first_name: x-text is line instead of prose"}},
		{"a kind of text of a response", nil, []edit{set(city+" x-text", "line")}, []string{"prose response schema User, member city: x-text added"}},
		{"the known values removed", []edit{known}, []edit{drop(schemas + "ErrorCode x-known-values")}, []string{"breaking response schema ErrorCode: x-known-values lost BAD_REQUEST, NOT_FOUND"}},
		{"a known key removed", []edit{set(schemas+"CipInfo x-known-keys", "[A, B]")}, []edit{drop(schemas + "CipInfo x-known-keys B")}, []string{"breaking response schema CipInfo: x-known-keys lost B"}},
		{"a member added", nil, []edit{set(user+" properties nick_name", "{type: string}")}, []string{"compatible " + inUser + "optional member nick_name added"}},
		{"a member added that always comes", nil, []edit{set(user+" properties nick_name", "{type: string}"), push(user+" required", "nick_name")}, []string{"compatible " + inUser + "member nick_name added, always present"}},
		{"a member added to a closed object", []edit{set(user+" additionalProperties", "false")}, []edit{set(user+" properties nick_name", "{type: string}")}, []string{"breaking " + inUser + "member nick_name added, to an object that was closed"}},
		{"a member removed", nil, []edit{drop(user + " properties city")}, []string{"breaking " + inUser + "member city removed"}},
		{"a member that may be absent", nil, []edit{drop(user + " required email")}, []string{"breaking response schema User, member email: became optional"}},
		{"a member that always comes", nil, []edit{push(user+" required", "city")}, []string{"compatible " + inCity + "became required"}},
		{"a member that is no longer returned", nil, []edit{set(city+" writeOnly", "true")}, []string{"breaking " + inCity + "became writeOnly"}},
		{"a default added", nil, []edit{set(city+" default", "Kathmandu")}, []string{"compatible " + inCity + "default Kathmandu added"}},
		{"a member that is no longer returned only", []edit{set(city+" readOnly", "true")}, []edit{drop(city + " readOnly")}, []string{"compatible " + inCity + "is no longer readOnly"}},
		{"a schema that gets a name", []edit{set(city, "{type: string}"), set(schemas+"City", "{type: string}")}, []edit{set(city, "{$ref: '#/components/schemas/City'}")}, []string{"compatible " + inCity + "refers to schema City instead of describing it in place"}},
		{"a member that is returned only", nil, []edit{set(city+" readOnly", "true")}, []string{"compatible " + inCity + "became readOnly"}},
		{"items of another kind", []edit{set(schemas+"One", "{type: string}"), set(schemas+"Two", "{type: number}"), set(city, "{items: {$ref: '#/components/schemas/One'}}")},
			[]edit{set(city+" items $ref", "'#/components/schemas/Two'")}, []string{
				"breaking response schema Two: the type is number instead of string",
				"compatible " + strings.TrimSuffix(inCity, ": ") + ", items: refers to schema Two instead of One"}},
		{"a variant added", []edit{set(city, "{oneOf: [{type: string}]}")}, []edit{push(city+" oneOf", "{type: integer}")}, []string{"breaking " + inCity + "oneOf number 2 added"}},
		{"a variant removed", []edit{set(city, "{oneOf: [{type: string}, {type: integer}]}")}, []edit{set(city+" oneOf", "[{type: string}]")}, []string{"compatible " + inCity + "oneOf number 2 removed"}},
		{"a condition dropped", []edit{set(city, "{allOf: [{type: string}, {maxLength: 5}]}")}, []edit{set(city+" allOf", "[{type: string}]")}, []string{"breaking " + inCity + "allOf number 2 removed"}},
	})
}

func TestChangesOfOperations(t *testing.T) {
	t.Parallel()
	const ok = signUp + " responses 200"
	inline := set(ok+" headers X-Part", "{required: true, schema: {type: string, maxLength: 5}}")
	check(t, []kind{
		{"an operation removed", nil, []edit{drop(signUp)}, []string{"breaking POST /users: operation removed"}},
		{"a path removed", nil, []edit{drop("paths /banks")}, []string{"breaking GET /banks: operation removed"}},
		{"an operation added", nil, []edit{set("paths /users put", "{operationId: putUsers, responses: {'200': {description: Users.}}}")}, []string{"compatible PUT /users: operation added"}},
		{"an operation deprecated", nil, []edit{set(signUp+" deprecated", "true")}, []string{"compatible POST /users: deprecated"}},
		{"an operation no longer deprecated", []edit{set(signUp+" deprecated", "true")}, []edit{drop(signUp + " deprecated")}, []string{"compatible POST /users: no longer deprecated"}},
		{"an operation renamed", nil, []edit{set(signUp+" operationId", "registerUser")}, []string{"breaking POST /users: operationId is registerUser instead of createUser, which renames a method of generated clients"}},
		{"another tag", nil, []edit{set(signUp+" tags", "[Senders]")}, []string{"compatible POST /users: tags are [Senders] instead of [Users], which moves a method of some generated clients"}},
		{"a required parameter added", nil, []edit{push(payers+" parameters", "{name: q, in: query, required: true, schema: {type: string}}")}, []string{"breaking request GET /payers: required query parameter q added"}},
		{"an optional parameter added", nil, []edit{push(payers+" parameters", "{name: q, in: query, schema: {type: string}}")}, []string{"compatible request GET /payers: optional query parameter q added"}},
		{"a parameter removed", nil, []edit{set(signUp+" parameters", "[]")}, []string{"breaking request POST /users: header parameter X-Idempotency-Key removed"}},
		{"a parameter in another place", nil, []edit{set(payers+" parameters 0 in", "header")}, []string{
			"breaking request GET /payers: query parameter country removed",
			"compatible request GET /payers: optional header parameter country added"}},
		{"a parameter that became required", nil, []edit{set(payers+" parameters 0 required", "true")}, []string{"breaking request GET /payers, query parameter country: became required"}},
		{"a parameter of all operations narrowed", nil, []edit{set("components parameters IdempotencyKey schema maxLength", "64")}, []string{"breaking request parameter IdempotencyKey: maxLength lowered from 255 to 64"}},
		{"a parameter written in another style", nil, []edit{set(payers+" parameters 0 style", "spaceDelimited")}, []string{
			"breaking request GET /payers, query parameter country: style is spaceDelimited instead of form"}},
		{"the style that is the default", nil, []edit{set(payers+" parameters 0 style", "form"), set(payers+" parameters 0 explode", "true")}, nil},
		{"a path parameter renamed", nil, []edit{move("paths /banks/{bankId}", "/banks/{id}"), set("paths /banks/{id} get parameters 0 name", "id")}, []string{
			"breaking request GET /banks/{bankId}: path parameter bankId removed",
			"breaking request GET /banks/{bankId}: required path parameter id added"}},
		{"a parameter that all operations of a path share, written into the operation", nil, []edit{
			set("paths /sandbox/users/{user_id}/verification post parameters", "[{$ref: '#/components/parameters/UserId'}]"), drop("paths /sandbox/users/{user_id}/verification parameters")}, nil},
		{"a body that became required", []edit{drop(signUp + " requestBody required")}, []edit{set(signUp+" requestBody required", "true")}, []string{"breaking request POST /users, request body: became required"}},
		{"a body added that is required", nil, []edit{set(payers+" requestBody", "{required: true, content: {}}")}, []string{"breaking request GET /payers, request body: added and required"}},
		{"a body added that is optional", nil, []edit{set(payers+" requestBody", "{content: {}}")}, []string{"compatible request GET /payers, request body: added"}},
		{"a body removed", nil, []edit{drop(signUp + " requestBody")}, []string{"breaking request POST /users, request body: removed"}},
		{"a media type of a request removed", []edit{set(signUp+" requestBody content text/xml", "{}")}, []edit{drop(signUp + " requestBody content text/xml")}, []string{"breaking request POST /users, request body: media type text/xml removed"}},
		{"a media type of a request added", nil, []edit{set(signUp+" requestBody content text/xml", "{}")}, []string{"compatible request POST /users, request body: media type text/xml added"}},
		{"a media type of a response replaced", nil, []edit{move(ok+" content application/json", "application/problem+json")}, []string{
			"breaking response POST /users, response 200: media type application/json removed",
			"compatible response POST /users, response 200: media type application/problem+json added"}},
		{"the status of success changed", nil, []edit{move(ok, "201")}, []string{
			"breaking response POST /users: response 200 removed",
			"breaking response POST /users: response 201 added, a success that callers do not know"}},
		{"an answer to a condition added", nil, []edit{set(signUp+" responses 304", "{description: You have it.}")}, []string{"compatible response POST /users: response 304 added"}},
		{"an error status added", nil, []edit{set(signUp+" responses 418", "{description: No.}")}, []string{"compatible response POST /users: response 418 added"}},
		{"an error status removed", nil, []edit{drop(signUp + " responses 409")}, []string{"breaking response POST /users: response 409 removed"}},
		{"a header removed from a response", nil, []edit{drop(ok + " headers X-Request-Id")}, []string{"breaking response POST /users, response 200: header X-Request-Id removed"}},
		{"a header removed from a shared response", nil, []edit{drop("components responses NotFound headers X-Request-Id")}, []string{"breaking response shared response NotFound: header X-Request-Id removed"}},
		{"a header added", nil, []edit{set(ok+" headers X-Part", "{schema: {type: string}}")}, []string{"compatible response POST /users, response 200: header X-Part added"}},
		{"a header that may be absent", []edit{inline}, []edit{drop(ok + " headers X-Part required")}, []string{"breaking response POST /users, response 200, header X-Part: became optional"}},
		{"a header that always comes", []edit{inline, drop(ok + " headers X-Part required")}, []edit{set(ok+" headers X-Part required", "true")}, []string{"compatible response POST /users, response 200, header X-Part: became required"}},
		{"a longer header", []edit{inline}, []edit{set(ok+" headers X-Part schema maxLength", "6")}, []string{"breaking response POST /users, response 200, header X-Part: maxLength raised from 5 to 6"}},
		{"an answer to calls of no operation removed", nil, []edit{drop("components responses MethodNotAllowed")}, []string{"breaking shared response MethodNotAllowed: removed"}},
		{"more credentials needed", nil, []edit{set("components securitySchemes Token", "{type: http, scheme: bearer}"), set(signUp+" security", "[{ClientId: [], ClientSecret: [], Token: []}]")}, []string{
			"breaking request POST /users: the credentials are ClientId + ClientSecret + Token instead of ClientId + ClientSecret",
			"compatible securityScheme Token: added"}},
		{"other credentials also accepted", nil, []edit{set("components securitySchemes Token", "{type: http, scheme: bearer}"), push("security", "{Token: []}")}, []string{
			"compatible securityScheme Token: added",
			"compatible request the document: the credentials are ClientId + ClientSecret or Token instead of ClientId + ClientSecret"}},
		{"fewer credentials needed", nil, []edit{set("security", "[{ClientId: []}]")}, []string{"compatible request the document: the credentials are ClientId instead of ClientId + ClientSecret"}},
		{"credentials where none were needed", []edit{set(signUp+" security", "[]")}, []edit{drop(signUp + " security")}, []string{"breaking request POST /users: the credentials are ClientId + ClientSecret instead of none"}},
		{"a kind of credentials removed", []edit{set("components securitySchemes Token", "{type: http, scheme: bearer}")}, []edit{drop("components securitySchemes Token")}, []string{"breaking securityScheme Token: removed"}},
		{"the header of a credential", nil, []edit{set("components securitySchemes ClientId name", "X-Client")}, []string{"breaking securityScheme ClientId: name is X-Client instead of X-Client-Id"}},
		{"a server removed", []edit{set("servers", "[{url: /}, {url: 'https://b.example'}]")}, []edit{set("servers", "[{url: /}]")}, []string{"breaking the document: server https://b.example removed"}},
		{"a server added", []edit{set("servers", "[{url: /}]")}, []edit{push("servers", "{url: 'https://b.example'}")}, []string{"compatible the document: server https://b.example added"}},
		{"a later minor version of OpenAPI", nil, []edit{set("openapi", "3.1.0")}, []string{"breaking the document: openapi is 3.1.0 instead of 3.0.3"}},
		{"a component that nothing uses", nil, []edit{set(schemas+"Nothing", "{type: string}")}, []string{"compatible schema Nothing: added"}},
		{"a component renamed", nil, []edit{move("components headers XRequestId", "RequestId"), everyRef("headers/XRequestId", "headers/RequestId")}, []string{"compatible response header XRequestId: renamed to RequestId"}},
		{"text", nil, []edit{set("info description", "Text."), set(signUp+" summary", "Sign up"), set(name+" description", "Text."), set(name+" title", "Text"), set(ok+" description", "Text.")}, []string{
			"prose POST /users: summary changed",
			"prose response POST /users, response 200: description changed",
			"prose info: description changed",
			"prose request schema UserRequest, member first_name: description changed",
			"prose request schema UserRequest, member first_name: title added"}},
		{"a new version alone", nil, []edit{set("info version", "9.0.0")}, nil},
	})
}

// everyRef redirects all references that end in one name to another.
func everyRef(from, to string) edit {
	return func(t *testing.T, d *Document) {
		t.Helper()
		var walk func(n *node)
		walk = func(n *node) {
			if ref := n.get("$ref"); ref != nil {
				ref.text = strings.Replace(ref.text, from, to, 1)
			}
			for _, member := range n.members {
				walk(member)
			}
			for _, item := range n.items {
				walk(item)
			}
		}
		walk(d.root)
	}
}
