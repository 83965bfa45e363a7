// Package bodies receives HTTP bodies: a [Receiver] reads them into memory, within a limit and with room in a [Memory] that
// all requests share, and a [Pace] ends connections that are too slow.
//
// What belongs here: reading and writing bytes. What does not: what the bytes mean.
package bodies
