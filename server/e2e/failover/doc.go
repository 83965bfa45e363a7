// Package failover proves that no acknowledged transaction is lost or doubled when PostgreSQL fails over. It runs the cluster
// of server/FAILOVER.md on loopback, with the configuration files of that document: three hosts with etcd, Patroni and
// PostgreSQL, HAProxy, and replicas of payoutd, and breaks it while clients of the SDK create transactions.
//
// What belongs here: that cluster, its faults, and the judgement of what clients were told. What does not: outages of a
// single server, which are in outage.
package failover
