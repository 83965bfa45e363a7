// Package seal encrypts the secrets of webhook endpoints with a keyset in a file. Keys can be replaced while replicas run: a
// keyset has its next key before any replica seals with it.
//
// What belongs here: keysets, their files, and encryption. What does not: what is encrypted, and where it is stored.
package seal
