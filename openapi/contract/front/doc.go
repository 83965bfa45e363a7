// Front is a proxy that holds a service to the contract: what breaks the contract does not reach the service, and what the
// service answers is checked. It is for services that are not written in Go; README.md describes it. In Go use the
// middleware of package contract, of which this is a program.
//
// What belongs here: forwarding, asking the service whether it accepts credentials, flags, logs and metrics. What does not:
// judging messages.
package main
