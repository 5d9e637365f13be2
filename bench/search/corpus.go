// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// document is one text to find.
type document struct {
	id          int64
	title, body string
}

// corpus is the set of texts to search.
type corpus struct {
	source    string // what it is, in a sentence
	documents []document
	bytes     int64 // of all titles and bodies
}

// titleMax is the length of column title.
const titleMax = 500

// Where WordNet comes from, and how large the corpus is that stands in for it.
const (
	wordNetPackage   = "wordnet-base"
	wordNetFolder    = "/usr/share/wordnet"
	generatedDefault = 117_659 // as many as WordNet has
)

// wordNetFiles lists the files of synsets. // immutable
var wordNetFiles = []string{"data.noun", "data.verb", "data.adj", "data.adv"}

// loadCorpus takes as many documents as are wanted, in an order that the seed says.
func loadCorpus(ctx context.Context, c *config) (*corpus, error) {
	random := rand.New(rand.NewPCG(c.Seed, 1))
	k, err := wordNetOrMadeUp(ctx, c, random)
	if err != nil {
		return nil, err
	}
	if c.Documents > len(k.documents) {
		return nil, fmt.Errorf("--documents: there are only %d", len(k.documents))
	}
	random.Shuffle(len(k.documents), func(i, j int) { k.documents[i], k.documents[j] = k.documents[j], k.documents[i] })
	if c.Documents > 0 {
		k.documents = k.documents[:c.Documents]
	}
	k.documents = joinDocuments(k.documents, max(c.Join, 1))
	for i := range k.documents {
		d := &k.documents[i]
		d.id = int64(i + 1)
		k.bytes += int64(len(d.title) + len(d.body))
	}
	return k, nil
}

// joinDocuments makes one document of each count neighbours: the title of the first, and all bodies.
func joinDocuments(list []document, count int) (joined []document) {
	for some := range slices.Chunk(list, count) {
		d := some[0]
		for _, other := range some[1:] {
			d.body += "\n" + other.title + ": " + other.body
		}
		joined = append(joined, d)
	}
	return joined
}

// wordNetOrMadeUp takes WordNet if it can be had and is wanted.
func wordNetOrMadeUp(ctx context.Context, c *config, random *rand.Rand) (*corpus, error) {
	reason := "as was asked for"
	if !c.Generate {
		documents, err := wordNet(ctx, c.Dir)
		if err == nil {
			return &corpus{source: "The synsets of WordNet 3.0: words as titles, definitions and examples as bodies (Debian's package " + wordNetPackage + ").", documents: documents}, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		reason = fmt.Sprintf("for WordNet can't be had: %v", err)
	}
	count := c.Documents
	if count == 0 {
		count = generatedDefault
	}
	return &corpus{source: "GENERATED TEXT, whose words follow Zipf's law, " + reason,
		documents: generated(count, random)}, nil
}

// wordNet reads WordNet from where its package is installed, or else from the package, which is downloaded into dir.
func wordNet(ctx context.Context, dir string) ([]document, error) {
	folder := wordNetFolder
	if _, err := os.Stat(filepath.Join(folder, wordNetFiles[0])); err != nil {
		if err := downloadWordNet(ctx, dir); err != nil {
			return nil, err
		}
		folder = filepath.Join(dir, wordNetPackage, wordNetFolder)
	}
	var all []document
	for _, name := range wordNetFiles {
		some, err := readSynsets(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// downloadWordNet unpacks the package below dir, without installing it.
func downloadWordNet(ctx context.Context, dir string) error {
	if err := command(ctx, dir, "apt-get", "download", wordNetPackage); err != nil {
		if command(ctx, dir, "apt-get", "update") != nil { // the lists of packages may be missing
			return err
		}
		if err := command(ctx, dir, "apt-get", "download", wordNetPackage); err != nil {
			return err
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, wordNetPackage+"_*.deb"))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("apt-get download left no %s_*.deb", wordNetPackage)
	}
	return command(ctx, dir, "dpkg-deb", "--extract", found[0], wordNetPackage)
}

// command runs a program in a folder. An error has the last line that it said.
func command(ctx context.Context, dir, name string, args ...string) error {
	run := exec.CommandContext(ctx, name, args...)
	run.Dir = dir
	said, err := run.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return fmt.Errorf("%s %s: %w %s", name, strings.Join(args, " "), err, lines[len(lines)-1])
}

// readSynsets reads one of WordNet's files.
func readSynsets(path string) (list []document, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if d, ok := cutSynset(lines.Text()); ok {
			list = append(list, d)
		}
	}
	return list, lines.Err()
}

// cutSynset reads a line "offset file kind count word id word id .. | gloss". The licence's lines begin with a space.
func cutSynset(line string) (d document, ok bool) {
	head, gloss, found := strings.Cut(line, " | ")
	fields := strings.Fields(head)
	if !found || strings.HasPrefix(line, " ") || len(fields) < 6 {
		return d, false
	}
	count, err := strconv.ParseUint(fields[3], 16, 16)
	if err != nil || len(fields) < 4+2*int(count) {
		return d, false
	}
	var words []string
	for i := range int(count) {
		word, _, _ := strings.Cut(fields[4+2*i], "(") // the place of an adjective
		words = append(words, strings.ReplaceAll(word, "_", " "))
	}
	title := strings.Join(words, ", ")
	return document{title: title[:min(len(title), titleMax)], body: strings.TrimSpace(gloss)}, true
}

// Text that is made up: how many words there are, and how many a body has.
const (
	generatedWords = 50_000
	generatedLeast = 5
	generatedMost  = 25
)

// generated makes documents up.
func generated(count int, random *rand.Rand) []document {
	zipf := rand.NewZipf(random, 1.05, 2, generatedWords-1)
	sentence := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = generatedWord(zipf.Uint64())
		}
		return strings.Join(words, " ")
	}
	list := make([]document, count)
	for i := range list {
		list[i] = document{title: sentence(1 + random.IntN(3)),
			body: sentence(generatedLeast + random.IntN(generatedMost-generatedLeast+1))}
	}
	return list
}

// generatedWord spells a number in syllables, so that frequent words are short.
func generatedWord(n uint64) string {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	word := ""
	for n++; n > 0; n /= uint64(len(consonants) * len(vowels)) {
		word += string(consonants[n%12]) + string(vowels[n/12%5])
	}
	return word
}

// joined finds words, and pieces of text of which some peers make one word and some several: person's, i.e.
var joined = regexp.MustCompile(`[\pL\pN]+(?:['’.:_·][\pL\pN]+)*`)

// wordsOf cuts a text into words, in lower case.
func wordsOf(text string) []string { return joined.FindAllString(strings.ToLower(text), -1) }
