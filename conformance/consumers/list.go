package main

// A consumer is a program of another project that reads the contract.
//
// Its steps are shell commands, run with `sh -ec` in a copy of the folder conformance/consumers/NAME; an empty one does not
// exist for this consumer. They find in their environment:
//
//	PAYOUTS_CONTRACT         path of openapi.yaml
//	PAYOUTS_CONSUMERS        path of conformance/consumers
//	PAYOUTS_URL              address of a sandbox that nobody has used before; story only
//	PAYOUTS_CLIENT_ID        its credentials; story only
//	PAYOUTS_CLIENT_SECRET
//	PAYOUTS_CLIENT_ID_2      those of a second client
//	PAYOUTS_CLIENT_SECRET_2
//
// A step that fails says why in the last line that it prints.
type consumer struct {
	Name    string
	Version string
	Needs   []string // programs that must be on PATH
	Uses    []string // tools, found in the folder above the working copy

	Webhooks bool // the sandbox delivers to webhook endpoints; others make up addresses

	Install  string // fetch what is pinned in the folder
	Generate string
	Compile  string // with strict settings, and with the story
	Story    string

	Remark string // for the table; details are in README.md
}

type step struct{ name, script string }

// steps returns the steps that this consumer has.
func (c consumer) steps() []step {
	var all []step
	if c.Install != "" || len(c.Uses) > 0 {
		all = append(all, step{"install", c.Install})
	}
	for _, s := range []step{{"generate", c.Generate}, {"compile", c.Compile}, {"story", c.Story}} {
		if s.script != "" {
			all = append(all, s)
		}
	}
	return all
}

var consumers = []consumer{
	{
		Name: "schemathesis", Version: "4.32.5", Needs: []string{"python3"}, Uses: []string{"python"},
		Story:  `../venv/bin/python prepare.py && ../venv/bin/schemathesis run --checks=all "$PAYOUTS_CONTRACT"`,
		Remark: "all checks, 90 s; reasons for what it allows are in schemathesis.toml",
	},
	{
		Name: "ogen", Version: "1.20.0", Needs: []string{"go"},
		Install: "go mod download", Generate: "go generate", Compile: "go vet . && go build -o story", Story: "./story",
		Remark: "money is decimal.Decimal",
	},
	{
		Name: "python", Version: "openapi-generator " + openapiGeneratorVersion, Needs: []string{"java", "mvn", "python3"},
		Uses: []string{"openapi-generator", "python"},
		Generate: openapiGenerator("python", "packageName=payouts,mapNumberTo=Decimal,generateSourceCodeOnly=true") +
			" && find generated -name '*.py' -exec sed -i -f exact.sed {} + && mv generated/payouts .",
		Compile: "../venv/bin/python -m compileall -q payouts && ../venv/bin/mypy --strict --follow-imports=silent story.py",
		Story:   "../venv/bin/python story.py",
		Remark:  "money is Decimal, with exact.sed",
	},
	{
		Name: "java", Version: "openapi-generator " + openapiGeneratorVersion + ", library native", Needs: []string{"java", "javac", "mvn"},
		Uses: []string{"openapi-generator"}, Install: "mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib",
		Generate: openapiGenerator("java", "library=native,openApiNullable=false,hideGenerationTimestamp=true,"+
			"invokerPackage=org.example.payouts,apiPackage=org.example.payouts.api,modelPackage=org.example.payouts.model"),
		Compile: "javac -encoding UTF-8 -nowarn -d classes -cp 'lib/*' $(find generated/src/main/java -name '*.java') && " +
			"javac -encoding UTF-8 -Xlint:all,-processing,-classfile -Werror -d classes -cp 'classes:lib/*' Story.java",
		Story:  "java -cp 'classes:lib/*' Story",
		Remark: "money is BigDecimal",
	},
	{
		Name: "openapi-python-client", Version: "0.29.1", Needs: []string{"python3"}, Uses: []string{"python"},
		Generate: `PATH="$PWD/../venv/bin:$PATH" openapi-python-client generate --path "$PAYOUTS_CONTRACT" --output-path payouts` +
			" --config config.yaml --meta none && find payouts -name '*.py' -exec sed -i -f exact.sed {} +",
		Compile: "../venv/bin/python -m compileall -q payouts && ../venv/bin/mypy --strict --follow-imports=silent story.py",
		Story:   "../venv/bin/python story.py",
		Remark:  "money is Decimal, with exact.sed",
	},
	{
		Name: "spectral", Version: "6.16.3", Needs: []string{"npm"}, Uses: []string{"npm"},
		Compile: "spectral lint --ruleset=ruleset.yaml --fail-severity=hint \"$PAYOUTS_CONTRACT\"",
		Remark:  "rules of OpenAPI and OWASP",
	},
	{
		Name: "redocly", Version: "2.77.0", Needs: []string{"npm"}, Uses: []string{"npm"},
		Compile: "REDOCLY_SUPPRESS_UPDATE_NOTICE=true redocly lint --config=redocly.yaml \"$PAYOUTS_CONTRACT\"",
		Remark:  "recommended-strict",
	},
	{
		Name: "ajv", Version: "8.20.0", Needs: []string{"npm"}, Uses: []string{"npm"},
		Generate: "(cd ../../.. && go run ./conformance/consumers/ajv) >corpus.jsonl",
		Compile:  "node examples.mjs && node corpus.mjs",
		Remark:   "judges all examples, and 16,000 bodies as our contract package does",
	},
	{
		Name: "prism", Version: "5.16.0", Needs: []string{"npm"}, Uses: []string{"npm"},
		Generate: "cp ../../../conformance/consumers/ajv/schemas.mjs ../../../conformance/consumers/openapi-typescript/*.ts .",
		Compile:  "node mock.mjs", Story: "node proxy.mjs",
		Remark: "a mock that accepts all examples, and a proxy for the story of openapi-typescript; amounts are doubles",
	},
	{
		Name: "openapi-typescript", Version: "7.13.0", Needs: []string{"npm"}, Uses: []string{"npm"},
		Generate: "node generate.mjs \"$PAYOUTS_CONTRACT\" && openapi-typescript \"$PAYOUTS_CONTRACT\" --output=plain.ts",
		Compile:  "tsc", Story: "node story.ts && node doubles.ts",
		Remark: "with openapi-fetch 0.17.0; money is a string with all digits",
	},
	{
		Name: "typescript-fetch", Version: "openapi-generator " + openapiGeneratorVersion,
		Needs: []string{"npm", "mvn", "java"}, Uses: []string{"npm", "openapi-generator"},
		Generate: openapiGenerator("typescript-fetch", "modelPropertyNaming=original,importFileExtension=.js") +
			" --type-mappings date=string",
		Compile: "tsc --build", Story: "node out/story.js",
		Remark: "money is a double; 7.17.0 needs modelPropertyNaming=original (OpenAPITools/openapi-generator#21810)",
	},
	{
		Name: "standardwebhooks-npm", Version: "1.1.1", Needs: []string{"npm"}, Uses: []string{"npm"},
		Webhooks: true, Compile: "tsc", Story: "node story.ts",
		Remark: "verifies what arrives, with either secret during a rotation, and rejects what was changed",
	},
	{
		Name: "standardwebhooks-python", Version: "1.1.0", Needs: []string{"python3"}, Uses: []string{"python"},
		Webhooks: true, Compile: "../venv/bin/mypy --strict story.py", Story: "../venv/bin/python story.py",
		Remark: "the same",
	},
	{
		Name: "guides", Version: "Jackson 2.21, simplejson 4.3, lossless-json 4.3",
		Needs: []string{"java", "javac", "mvn", "npm", "python3"}, Uses: []string{"python", "npm"},
		Install: "mvn -q -B -f ../../../conformance/consumers/java/pom.xml dependency:copy-dependencies -DoutputDirectory=\"$PWD/lib\"",
		Compile: "sh blocks.sh && mkdir -p classes && javac -Xlint:all,-processing,-classfile -Werror -d classes -cp 'lib/*' *.java && tsc",
		Story: "../venv/bin/python money.py && node out/money.js && java -cp 'classes:lib/*' Money && " +
			"for program in '../venv/bin/python pay.py' 'node out/pay.js' 'java -cp classes:lib/* Pay'; do python3 faults.py $program; done",
		Remark: "the code that the contract shows in Java, Python and TypeScript; its loops pay through a faulty proxy",
	},
}

// openapiGenerator generates a client, without tests and documents, in the folder generated.
func openapiGenerator(generator, properties string) string {
	return "java -jar ../openapi-generator.jar generate -g " + generator + ` -i "$PAYOUTS_CONTRACT" -o generated` +
		" --additional-properties=" + properties +
		" --global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
}
