// Package webhooks tests webhooks from end to end: the whole service, real receivers, on the engine of the tests.
package webhooks
