// Command payoutd is the daemon.
//
// What belongs here: flags, the environment, signals, and what is printed. What does not: everything else (package
// server).
package main
