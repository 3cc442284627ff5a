package kube_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The code of README.md stands in the examples, line by line, so it compiles.
func TestReadme_code_standsInExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?m)(?:^    .*\n)+`).FindAllString(string(readme), -1)
	if len(blocks) != 2 {
		t.Errorf("README.md has %d blocks, want 2", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(unindented(string(examples)), unindented(block)) {
			t.Errorf("not in example_test.go:\n%s", block)
		}
	}
}

func unindented(code string) string {
	return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString(code, "")
}
