package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Replication is what decides whether a failover may lose what was committed.
type Replication struct {
	Hosts       int  // that the database URL names; 0 for SQLite
	Standbys    int  // that receive changes from the server now
	Synchronous bool // a commit waits for a standby
}

// AtRisk reports whether there seems to be another server to fail over to, without what the last commits wrote.
func (r Replication) AtRisk() bool { return (r.Hosts > 1 || r.Standbys > 0) && !r.Synchronous }

// Replication returns how the server replicates now. For SQLite it is zero.
func (s *Store) Replication(ctx context.Context) (Replication, error) {
	r := Replication{Hosts: s.engine.hosts}
	if r.Hosts == 0 {
		return r, nil
	}
	// A subscriber of logical replication is no standby.
	err := s.reader.QueryRowContext(ctx, `select
		current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local'),
		(select count(*) from pg_stat_replication r where not exists (
			select 1 from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical'))`).Scan(&r.Synchronous, &r.Standbys)
	if err != nil {
		return r, fmt.Errorf("read replication: %w", s.failed(err))
	}
	return r, nil
}

// hostsOf counts the servers of a configuration; each may be there twice, with TLS and without.
func hostsOf(config *pgx.ConnConfig) int {
	type server struct {
		host string
		port uint16
	}
	all := map[server]bool{{config.Host, config.Port}: true}
	for _, other := range config.Fallbacks {
		all[server{other.Host, other.Port}] = true
	}
	return len(all)
}
