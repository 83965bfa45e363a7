#!/bin/sh -e
# Completes the programs with the blocks of their languages in the guides of the contract, in their order.
complete() { # LANGUAGE FILE...
	fence='```'$1
	shift
	[ "$(grep -c "^ *$fence\$" "$PAYOUTS_CONTRACT")" = $# ] || { echo "the guides have not $# blocks after $fence"; exit 1; }
	number=0
	for file; do
		number=$((number + 1))
		awk -v fence="$fence" -v number=$number '
			inside && $1 == "```" { inside = 0 }
			inside && seen == number { print substr($0, indent) }
			$1 == fence { inside = 1; seen++; indent = index($0, fence) }
		' "$PAYOUTS_CONTRACT" >block
		sed -i '/the block of the guide/r block' "$file"
	done
}
complete java Money.java Pay.java
complete python money.py pay.py
complete ts money.ts pay.ts
