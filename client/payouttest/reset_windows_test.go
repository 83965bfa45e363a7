package payouttest_test

import "syscall"

// connectionReset is what the caller gets after [payouttest.Calls.Reset].
const connectionReset = syscall.WSAECONNRESET
