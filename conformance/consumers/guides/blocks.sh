#!/bin/sh -e
# Completes the programs with the blocks of their languages in the guides of the contract, in their order.
complete() { # LANGUAGE NUMBER FILE
	awk -v fence='```'$1 -v number="$2" '
		inside && $1 == "```" { inside = 0 }
		inside && seen == number { print substr($0, indent) }
		$1 == fence { inside = 1; seen++; indent = index($0, fence) }
	' "$PAYOUTS_CONTRACT" >block
	[ -s block ] || { echo "the guides have no block $2 of $1"; exit 1; }
	sed -i '/the block of the guide/r block' "$3"
}
complete java 1 Money.java
complete java 2 Pay.java
complete python 1 money.py
complete python 2 pay.py
complete ts 1 money.ts
complete ts 2 pay.ts
