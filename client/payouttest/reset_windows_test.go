package payouttest_test

import "syscall"

// errReset is what the caller gets after [payouttest.Calls.Reset].
const errReset = syscall.WSAECONNRESET
