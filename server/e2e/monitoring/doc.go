// Package monitoring tests what operators see: logs, metrics and readiness, and that none of them holds personal data.
package monitoring
