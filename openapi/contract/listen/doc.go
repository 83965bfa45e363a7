// Package listen opens the listeners of programs that receive credentials: with TLS, or in clear text where nobody else can
// read along.
//
// What belongs here: addresses, certificates. What does not: anything of HTTP but the names of its protocols.
package listen
