package contract

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// matcher returns a function that matches a pattern. It is much quicker than package regexp for patterns such as ^[A-Z]{3}$.
func matcher(pattern string) (func(string) bool, error) {
	expr, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if p, ok := newClassPattern(pattern); ok {
		return p.match, nil
	}
	return expr.MatchString, nil
}

// classPattern is a pattern of character classes, from the begin to the end of the text. Only the last may be repeated any
// number of times between two bounds: what belongs to each is then certain without trying.
type classPattern []repeatedClass

type repeatedClass struct {
	ascii    [utf8.RuneSelf]bool
	ranges   []rune // pairs of the first and last character of each range
	min, max int    // -1: no maximum
}

func newClassPattern(pattern string) (p classPattern, ok bool) {
	expr, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || expr.Op != syntax.OpConcat {
		return nil, false
	}
	last := len(expr.Sub) - 1
	if expr.Sub[0].Op != syntax.OpBeginText || expr.Sub[last].Op != syntax.OpEndText {
		return nil, false
	}
	for _, part := range expr.Sub[1:last] {
		if len(p) > 0 && p[len(p)-1].min != p[len(p)-1].max {
			return nil, false
		}
		least, most := 1, 1
		switch part.Op {
		case syntax.OpStar:
			least, most, part = 0, -1, part.Sub[0]
		case syntax.OpPlus:
			least, most, part = 1, -1, part.Sub[0]
		case syntax.OpQuest:
			least, most, part = 0, 1, part.Sub[0]
		case syntax.OpRepeat:
			least, most, part = part.Min, part.Max, part.Sub[0]
		}
		switch {
		case part.Op == syntax.OpCharClass:
			p = append(p, newRepeatedClass(part.Rune, least, most))
		case part.Op == syntax.OpLiteral && part.Flags&syntax.FoldCase == 0 && (least == 1 && most == 1 || len(part.Rune) == 1):
			for _, r := range part.Rune {
				p = append(p, newRepeatedClass([]rune{r, r}, least, most))
			}
		default:
			return nil, false
		}
	}
	return p, true
}

func newRepeatedClass(ranges []rune, least, most int) repeatedClass {
	c := repeatedClass{ranges: ranges, min: least, max: most}
	for r := range rune(utf8.RuneSelf) {
		c.ascii[r] = inRanges(ranges, r)
	}
	return c
}

func inRanges(ranges []rune, r rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

func (p classPattern) match(s string) bool {
	for i := range p {
		class := &p[i]
		n := 0
		for n != class.max && s != "" {
			size, in := 1, s[0] < utf8.RuneSelf && class.ascii[s[0]]
			if s[0] >= utf8.RuneSelf {
				var r rune
				r, size = utf8.DecodeRuneInString(s)
				in = inRanges(class.ranges, r)
			}
			if !in {
				break
			}
			s = s[size:]
			n++
		}
		if n < class.min {
			return false
		}
	}
	return s == ""
}
