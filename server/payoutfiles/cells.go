package payoutfiles

import "strings"

// escape returns a text as a cell that no spreadsheet runs; unescape is its inverse.
func escape(text string) string {
	if isFormula(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

func unescape(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return cell
}

func isFormula(text string) bool {
	return text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0]))
}
