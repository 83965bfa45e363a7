"""Pays the records of a file, and prints the final word of each."""

import random
import re
import sys
import time

import requests
import simplejson

# the block of the guide


with open(sys.argv[1]) as records, requests.Session() as session:
    for record in map(simplejson.loads, records):
        print(*pay(session, sys.argv[2] + record["path"], record["headers"], record["body"], first_wait=0.004))
