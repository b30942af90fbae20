package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/internal/tools/retrieval/part"
)

// languages are those of the manual pages, English first, with their packages of Debian.
var languages = []struct {
	code, name string
	packages   []string
}{
	{"en", "English", []string{"manpages", "manpages-dev"}},
	{"de", "German", []string{"manpages-de", "manpages-de-dev"}},
	{"fr", "French", []string{"manpages-fr", "manpages-fr-dev"}},
	{"es", "Spanish", []string{"manpages-es", "manpages-es-dev"}},
	{"ru", "Russian", []string{"manpages-ru", "manpages-ru-dev"}},
	{"ja", "Japanese", []string{"manpages-ja", "manpages-ja-dev"}},
}

// reader is the package of the program that shows the pages.
const reader = "mandoc"

// material fetches the packages into dir, unless they are there, and unpacks them into its folder
// root.
func material(ctx context.Context, dir string) error {
	done := filepath.Join(dir, "unpacked")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	packages := []string{reader}
	for _, l := range languages {
		packages = append(packages, l.packages...)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := command(ctx, dir, "apt-get", append([]string{"download"}, packages...)...); err != nil {
		return err
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return err
	}
	for _, deb := range all {
		root := "root"
		if strings.HasPrefix(filepath.Base(deb), reader+"_") {
			root = reader
		}
		if err := command(ctx, dir, "dpkg-deb", "-x", filepath.Base(deb), root); err != nil {
			return err
		}
	}
	return os.WriteFile(done, nil, 0o644)
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, out)
	}
	return nil
}

// pages reads the manual pages of a language. Links and pages that only name another one are left
// out.
func pages(ctx context.Context, dir, code string) ([]part.Document, error) {
	folder := code
	if code == "en" {
		folder = ""
	}
	files, err := filepath.Glob(filepath.Join(dir, "root/usr/share/man", folder, "man[1-9]*", "*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []part.Document
	for _, file := range files {
		source, err := source(file)
		if err != nil {
			return nil, err
		}
		if source == nil {
			continue
		}
		text, err := rendered(ctx, dir, source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if d, ok := page(text); ok {
			d.ID = strings.TrimSuffix(filepath.Base(file), ".gz")
			all = append(all, d)
		}
	}
	return all, nil
}

// source is that of a page, nil for a link.
func source(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	text, err := unzipped(file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(`.\"`)) || bytes.HasPrefix(line, []byte(`'\"`)) {
			continue
		}
		if bytes.HasPrefix(line, []byte(".so ")) {
			return nil, nil
		}
		break
	}
	return text, nil
}

// unzipped is the text in a file of gzip.
func unzipped(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return text, nil
}

// rendered is a page as mandoc shows it, a paragraph being a line.
func rendered(ctx context.Context, dir string, source []byte) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(dir, reader, "usr/bin/mandoc"), "-Tutf8", "-Owidth=1000")
	cmd.Stdin = bytes.NewReader(source)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() < 5) { // it complains of the style of a page
		return "", fmt.Errorf("mandoc: %w", err)
	}
	return overstrikes.ReplaceAllString(string(out), ""), nil
}

// overstrikes are the letters below those of bold and underlined words.
var overstrikes = regexp.MustCompile(".\b")

// page takes a page apart: the text of its first section, NAME in the page's language, is the
// query, the others are the document. The first and last line of a page hold its name.
func page(text string) (part.Document, bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) < 4 {
		return part.Document{}, false
	}
	var query []string
	var body strings.Builder
	sections := 0
	for _, line := range lines[1 : len(lines)-1] {
		plain := strings.TrimSpace(line)
		switch {
		case plain != "" && line[0] != ' ':
			sections++
			if sections > 1 {
				fmt.Fprintf(&body, "# %s\n", plain)
			}
		case sections == 1 && plain != "":
			query = append(query, plain)
		case sections > 1 && strings.HasPrefix(line, "   ") && !strings.HasPrefix(line, "    ") && plain != "":
			fmt.Fprintf(&body, "## %s\n", plain)
		case sections > 1:
			body.WriteString(plain + "\n")
		}
	}
	d := part.Document{Query: strings.Join(query, " "), Text: body.String()}
	return d, d.Query != "" && len(d.Text) > 100
}
