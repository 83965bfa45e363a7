package main

// A consumer is a program of another project that reads the contract.
//
// Its steps are shell commands, run with `sh -ec` in a copy of the folder conformance/consumers/NAME; an empty one does not
// exist for this consumer. They find in their environment:
//
//	PAYOUTS_CONTRACT       path of openapi.yaml
//	PAYOUTS_URL            address of a sandbox that nobody has used before; story only
//	PAYOUTS_CLIENT_ID      its credentials; story only
//	PAYOUTS_CLIENT_SECRET
//
// A step that fails says why in the last line that it prints.
type consumer struct {
	Name    string
	Version string
	Needs   []string // programs that must be on PATH

	Install  string // fetch the pinned tools and libraries
	Generate string
	Compile  string // with the strictest settings that the language's users have
	Story    string

	Remark string // for the table; details are in README.md
}

const (
	npmInstall = "sh ../../../conformance/consumers/npm/install.sh"

	openAPIGenerator = "7.17.0"
	generatorJar     = "~/.m2/repository/org/openapitools/openapi-generator-cli/" + openAPIGenerator +
		"/openapi-generator-cli-" + openAPIGenerator + ".jar"
	generatorInstall = "test -f " + generatorJar +
		" || mvn -B -q dependency:get -Dartifact=org.openapitools:openapi-generator-cli:" + openAPIGenerator
	generatorRun = "java -jar " + generatorJar + " generate -i \"$PAYOUTS_CONTRACT\" -o generated "
)

var consumers = []consumer{
	{
		Name: "spectral", Version: "6.16.3", Needs: []string{"npm", "flock"}, Install: npmInstall,
		Compile: "spectral lint --ruleset=ruleset.yaml --fail-severity=hint \"$PAYOUTS_CONTRACT\"",
		Remark:  "rules of OpenAPI and OWASP",
	},
	{
		Name: "redocly", Version: "2.77.0", Needs: []string{"npm", "flock"}, Install: npmInstall,
		Compile: "REDOCLY_SUPPRESS_UPDATE_NOTICE=true redocly lint --config=redocly.yaml \"$PAYOUTS_CONTRACT\"",
		Remark:  "recommended-strict",
	},
	{
		Name: "openapi-typescript", Version: "7.13.0", Needs: []string{"npm", "flock"}, Install: npmInstall,
		Generate: "node generate.mjs \"$PAYOUTS_CONTRACT\" && openapi-typescript \"$PAYOUTS_CONTRACT\" --output=plain.ts",
		Compile:  "tsc", Story: "node out/story.js && node out/doubles.js",
		Remark: "with openapi-fetch 0.17.0; money is LosslessNumber",
	},
	{
		Name: "typescript-fetch", Version: openAPIGenerator, Needs: []string{"npm", "flock", "mvn", "java"},
		Install: npmInstall + "; " + generatorInstall,
		Generate: generatorRun + "-g typescript-fetch --global-property apiDocs=false,modelDocs=false " +
			"-p modelPropertyNaming=original,importFileExtension=.js --type-mappings date=string",
		Compile: "tsc --build", Story: "node out/story.js",
		Remark: "needs modelPropertyNaming=original (OpenAPITools/openapi-generator#21810)",
	},
}
