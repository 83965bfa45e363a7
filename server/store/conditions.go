package store

import "fmt"

// conditions builds a where clause from constants of this package.
type conditions struct {
	text string
	args []any
}

// add adds a condition with a number for each argument.
func (c *conditions) add(given bool, text string, args ...any) {
	if !given {
		return
	}
	numbers := make([]any, len(args))
	for i, arg := range args {
		c.args = append(c.args, arg)
		numbers[i] = len(c.args)
	}
	c.text += fmt.Sprintf(" and "+text, numbers...)
}
