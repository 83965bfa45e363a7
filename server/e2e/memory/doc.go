// Package memory tests how much memory a payoutd process needs for large and for unfinished bodies, through sockets (D-64).
package memory
