package main

import (
	"context"
	"io"
	"sync"
)

// A tool is installed once, in .tmp/consumers, for all consumers that use it. What an earlier run installed is kept.
type tool struct {
	script string

	once   sync.Once
	output string
	err    error
}

const openapiGeneratorVersion = "7.25.0"

var tools = map[string]*tool{
	"openapi-generator": {script: `
version=` + openapiGeneratorVersion + `
[ -d openapi-generator-$version ] || mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -DoutputDirectory=openapi-generator-$version \
	-Dartifact=org.openapitools:openapi-generator-cli:$version
ln -sf openapi-generator-$version/openapi-generator-cli-$version.jar openapi-generator.jar`},
	// the packages of package-lock.json, among them node: Redocly needs a newer one than Debian has
	"npm": {script: `
cmp -s $PAYOUTS_CONSUMERS/package-lock.json node_modules/package-lock.json && exit
cp $PAYOUTS_CONSUMERS/package.json $PAYOUTS_CONSUMERS/package-lock.json $PAYOUTS_CONSUMERS/.npmrc .
npm ci --loglevel=error
for node in $PWD/node_modules/node-linux-*/bin/node; do
	[ ! -e $node ] || ln -sf $node node_modules/.bin # npm 9 does not link it
done
cp package-lock.json node_modules`},
	// a Python environment with requirements.txt
	"python": {script: `
cmp -s $PAYOUTS_CONSUMERS/requirements.txt venv/requirements.txt && exit
python3 -m venv --clear ./venv
venv/bin/pip install -q --disable-pip-version-check -r $PAYOUTS_CONSUMERS/requirements.txt
cp $PAYOUTS_CONSUMERS/requirements.txt venv`},
}

// install installs the tool, or waits for who does.
func (t *tool) install(ctx context.Context, r runner, log io.Writer) (string, error) {
	t.once.Do(func() { t.output, t.err = r.step(ctx, "tool", t.script, r.work, false, log) })
	return t.output, t.err
}
