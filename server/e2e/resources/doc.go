// Package resources tests that responses have exactly the documented members and values (section 2 of the interface
// document), and that what was sent is returned.
package resources
