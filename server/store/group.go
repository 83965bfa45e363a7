package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// mostGrouped is how many writes are committed together.
const mostGrouped = 64

// group commits writes together that come at the same time, for an engine with one writer: one wait for the disk serves all of
// them. They take turns in one transaction, each in its own goroutine, and who finds nobody waiting commits. So a write that
// comes alone waits for nobody. One that fails takes back what it wrote, and nothing else.
type group struct {
	mu      sync.Mutex
	busy    bool            // somebody has the turn
	waiting []chan struct{} // for the turn, the next one first

	current *grouped // of who has the turn; nil if there is nothing to commit
}

// grouped is the transaction of a group. Its outcome is that of all in it: who failed may have done so because of what another
// one wrote.
type grouped struct {
	tx         *sql.Tx
	connection *sql.Conn
	writes     int
	kept       bool // one of them did not fail
	queued     bool // events were added to the queue
	err        error
	decided    chan struct{}
}

// write runs fn in a transaction with others. After its turn the caller waits for the outcome, however long it takes.
func (g *group) write(ctx context.Context, s *Store, fn func(tx) error) error {
	if err := g.take(ctx); err != nil {
		return s.failed(err)
	}
	t, err := g.turn(ctx, s, fn)
	if t == nil {
		return err
	}
	<-t.decided
	if t.err != nil {
		return t.err
	}
	return err
}

// take waits for the turn.
func (g *group) take(ctx context.Context) error {
	g.mu.Lock()
	if !g.busy {
		g.busy = true
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, turn)
	if i < 0 {
		return nil // the turn came at the same moment
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	return ctx.Err()
}

// turn runs fn, and passes the turn on. It returns the transaction in which fn ran, nil if it did not.
func (g *group) turn(ctx context.Context, s *Store, fn func(tx) error) (*grouped, error) {
	defer g.pass(s) // also after a panic of fn
	err := ctx.Err()
	if err != nil {
		return nil, s.failed(err)
	}
	if g.current == nil {
		if g.current, err = begin(ctx, s); err != nil {
			return nil, err
		}
	}
	return g.current, g.current.run(ctx, s, fn)
}

// pass lets the next one go on with the transaction. It ends that first if nobody waits, or enough was written.
func (g *group) pass(s *Store) {
	t := g.current
	if t != nil && t.err == nil && t.writes < mostGrouped && g.next(true) {
		return
	}
	if g.current = nil; t != nil {
		t.end(s)
	}
	g.next(false)
}

// next gives the turn to who waits longest, and reports whether there is one. If not, the caller keeps it or nobody has it.
func (g *group) next(keep bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.busy = keep
		return false
	}
	close(g.waiting[0])
	g.waiting = g.waiting[1:]
	return true
}

// begin begins a transaction, which does not end with ctx.
func begin(ctx context.Context, s *Store) (*grouped, error) {
	connection, err := s.writer.Conn(ctx)
	if err != nil {
		return nil, s.failed(err)
	}
	t := &grouped{connection: connection, decided: make(chan struct{})}
	ctx = context.WithoutCancel(ctx)
	if t.tx, err = connection.BeginTx(ctx, nil); err != nil {
		return nil, errors.Join(s.failed(err), connection.Close())
	}
	if err := s.schemaAllows(ctx, t.reads(ctx, s))(); err != nil {
		if errors.Is(err, ErrSchemaTooNew) {
			err = unready(err)
		}
		return nil, errors.Join(err, t.tx.Rollback(), connection.Close())
	}
	return t, nil
}

func (t *grouped) reads(ctx context.Context, s *Store) reads {
	inside := s.reads
	inside.db = shared{t.tx, ctx}
	return inside
}

// run runs fn, and takes back what it wrote if it fails or panics, or ctx has ended.
func (t *grouped) run(ctx context.Context, s *Store, fn func(tx) error) (err error) {
	t.writes++
	if err := t.exec(s, `savepoint write`); err != nil {
		return t.broken(s, err)
	}
	done, queued := false, false
	defer func() {
		last := `release write`
		if !done {
			last = `rollback to write; release write`
		}
		if failure := t.exec(s, last); failure != nil { // some errors of SQLite end the transaction
			err = t.broken(s, errors.Join(failure, err))
		}
	}()
	if err := fn(tx{t.reads(ctx, s), &queued, t.tx}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return s.failed(err)
	}
	done, t.kept, t.queued = true, true, t.queued || queued
	return nil
}

func (t *grouped) exec(s *Store, statement string) error {
	_, err := t.tx.ExecContext(context.Background(), statement, s.engine.keyed...)
	return err
}

// broken makes the transaction fail for all in it.
func (t *grouped) broken(s *Store, err error) error {
	s.failures.unavailable.Add(1)
	t.err = payout.NewError(payout.CodeServiceUnavailable).Because(fmt.Errorf("the transaction was ended: %w", err))
	return t.err
}

// end commits what was written, or rolls it back, and tells all that wait for it.
func (t *grouped) end(s *Store) {
	defer close(t.decided)
	defer t.connection.Close()   //nolint:errcheck // it goes back to the pool
	defer t.tx.Rollback()        //nolint:errcheck // does nothing after a commit
	if t.err != nil || !t.kept { // a commit would write what was taken back
		return
	}
	if reason := s.engine.commitRefusal(); reason != "" {
		t.err = refused(reason)
		return
	}
	if t.err = s.failed(t.tx.Commit()); t.err == nil && t.queued {
		s.signalQueued()
	}
}

// shared begins no statement after the end of its caller's context, and runs each to its end: one that is interrupted could end
// the transaction of others.
type shared struct {
	*sql.Tx
	caller context.Context //nolint:containedctx // of the one write that it is for
}

// QueryContext implements querier.
func (t shared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := cmp.Or(t.caller.Err(), ctx.Err()); err != nil {
		return nil, err
	}
	return t.Tx.QueryContext(context.WithoutCancel(ctx), query, args...)
}

// ExecContext implements querier.
func (t shared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := cmp.Or(t.caller.Err(), ctx.Err()); err != nil {
		return nil, err
	}
	return t.Tx.ExecContext(context.WithoutCancel(ctx), query, args...)
}
