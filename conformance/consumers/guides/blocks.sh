#!/bin/sh -e
# Completes python.py, ts.ts and java.java with the blocks of their languages in the guides of the contract.
for language in python ts java; do
	awk -v fence='```'$language '
		inside && $1 == "```" { inside = 0 }
		inside { print substr($0, indent) }
		$1 == fence { inside = 1; indent = index($0, fence) }
	' "$PAYOUTS_CONTRACT" >block
	[ -s block ] || { echo "the guides have no block of $language"; exit 1; }
	sed -i '/the block of the guide/r block' $language.*
done
