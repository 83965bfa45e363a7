#!/bin/sh -e
# Installs the packages of package-lock.json into .tmp/npm, once, and links them as node_modules of the current folder.
here=$(cd "$(dirname "$0")" && pwd)
there=$(cd "$here/../../.." && pwd)/.tmp/npm
mkdir -p "$there"
exec 9>"$there/lock"
flock 9
if ! cmp -s "$here/package-lock.json" "$there/node_modules/.installed"; then
	cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$there"
	(cd "$there" && npm ci --loglevel=error)
	cp "$here/package-lock.json" "$there/node_modules/.installed"
fi
ln -sfn "$there/node_modules" node_modules
