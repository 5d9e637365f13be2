// SPDX-License-Identifier: Apache-2.0

// Command search measures Weft's full-text indexes against those of MariaDB's InnoDB and of SQLite's FTS5 in one run:
//
//	go run ./bench/search                        # everything, about twenty minutes
//	go run ./bench/search --quick                # does it still work? a minute; the figures mean nothing
//	go run ./bench/search --only weft,sqlite     # leaves MariaDB out
//	go run ./bench/search --documents 20000 --rounds 1
//	go run ./bench/search --counts               # how many documents match, instead of the best ten
//
// The texts are the 117,659 synsets of WordNet: their words are titles, their definitions and examples bodies of 80
// bytes on average. They come from Debian's package wordnet-base (WordNet's licence, permissive), which is downloaded
// to the temporary folder, or used where it is installed. Where it can't be had, texts are made up, and the report says
// so. MariaDB comes from Debian's package mariadb-server; without it the others are measured alone.
//
// First each peer loads the texts twice, 500 of them a durable commit, into a table without an index for texts and into
// one with it. The difference is the index. Then every store is brought into its best shape, as its maker intends:
// OPTIMIZE TABLE, FTS5's optimize and VACUUM, a compaction. Each of the queries wants the ten documents with the best
// scores. They are made of the texts, and --seed makes others.
//
// Rounds are interleaved, so that a ratio compares neighbours in time. Weft and MariaDB are asked over MySQL's protocol
// by a bare client of this program, which shares the machine with them. SQLite runs in this process, compiled to Go: it
// has no protocol, and its CPU is that of the whole process. With --counts, Weft is in this process, too. No peer has
// stopwords, and all index words of any length.
//
// Last, the answers are compared: how often two peers find the same number of documents, and how many of the first's
// best ten are among the second's. The words of a text are not the same: Weft's person's is one, that of the others two
// of which the first is person. No query has such a word. Nor are scores the same: InnoDB's has no regard for a text's
// length, Weft's and FTS5's are BM25, and for Weft each prefix counts one. Texts as short as these often have equal
// scores, so the share is also told with all documents that are as good as the tenth.
//
// Knows: the peers, their processes, what they are asked, where the texts come from.
// Never: being imported; another machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
)

// config holds the arguments of the command line.
type config struct {
	Documents int  // 0 is all
	Generate  bool // texts, instead of WordNet's
	Join      int  // how many texts make one document
	Counts    bool // ask how many documents match
	Queries   int  // of each kind
	Seed      uint64
	Kinds     []string
	Peers     []string
	loadgen.Settings
}

func main() {
	os.Exit(loadgen.Main("bench/search", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Settings: loadgen.Settings{Rounds: 3, Seconds: 2}}
	var kinds, only string
	var quick bool
	f := flag.NewFlagSet("search", flag.ContinueOnError)
	check := c.AddFlags(f, "1,8")
	f.IntVar(&c.Documents, "documents", 0, "how many documents; 0 is all")
	f.BoolVar(&c.Generate, "generate", false, "make texts up instead of taking WordNet's")
	f.IntVar(&c.Join, "join", 1, "make one document of so many texts")
	f.BoolVar(&c.Counts, "counts", false, "ask how many documents match, not for the best; Weft is in this process then")
	f.IntVar(&c.Queries, "queries", 200, "queries of each kind")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of the queries, and of the choice and order of the documents")
	f.StringVar(&kinds, "kinds", strings.Join(kindNames(), ","), "kinds of queries")
	f.StringVar(&only, "only", strings.Join(peerNames(), ","), "whom to measure")
	f.BoolVar(&quick, "quick", false, "one short round on few documents, to see that everything works")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		c.Documents, c.Queries, c.Rounds, c.Seconds = 5000, 20, 1, 0.2
	}
	if c.Queries < 1 || c.Documents < 0 || c.Join < 1 || c.Documents > 0 && c.Documents < documentsLeast {
		return nil, fmt.Errorf("--queries and --join must be positive, and --documents 0 or at least %d",
			documentsLeast)
	}
	var errs [3]error
	errs[0] = check()
	c.Kinds, errs[1] = loadgen.Choices("kinds", kinds, kindNames())
	c.Peers, errs[2] = loadgen.Choices("only", only, peerNames())
	return c, errors.Join(errs[:]...)
}

// documentsLeast are enough for queries of each kind.
const documentsLeast = 2000

// run measures everything and writes the report to out.
func run(ctx context.Context, c *config, out io.Writer) (err error) {
	remove, err := c.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	k, err := loadCorpus(ctx, c)
	if err != nil {
		return err
	}
	sets, err := newQueryMaker(k, c.Seed).sets(c.Kinds, c.Queries)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n%d documents, %.2f MB of text, seed %d, %s.\n", k.source, len(k.documents),
		float64(k.bytes)/1e6, c.Seed, &c.Settings)
	loads := map[string]*loading{}
	engines, skipped, err := loadgen.Open(c.Log, c.Peers, func(name string) (*peer, error) {
		return openPeer(ctx, c,
			k, sets, name, loads)
	})
	defer func() { err = errors.Join(err, loadgen.Close(engines)) }()
	if err != nil {
		return err
	}
	for _, line := range skipped {
		fmt.Fprintln(out, "\n"+line)
	}
	writeLoads(out, k, loads)
	var agreements map[pair]*agreement
	var faults []string
	if !c.Counts {
		if agreements, faults, err = compare(c, engines, sets); err != nil {
			return err
		}
	}
	cells := loadgen.Comparison{Peers: peerNames(), Operations: c.Kinds,
		Clients: func(string) []int { return c.Clients },
		Pairs:   [][2]string{{peerWeft, peerMariaDB}, {peerWeft, peerSQLite}, {peerMariaDB, peerSQLite}}}
	if err := loadgen.Measure(ctx, &cells, &c.Settings, engines); err != nil {
		return err
	}
	cells.Write(out)
	writeAgreements(out, c, agreements, faults)
	return nil
}

// writeLoads writes what loading took.
func writeLoads(out io.Writer, k *corpus, loads map[string]*loading) {
	fmt.Fprint(out, "\n| loading | seconds, with the index | without | server CPU s, with | without | MB of text a minute of CPU | of the index alone | optimizing, CPU s | index MiB | to the text | table MiB | MiB written for the index | to the text |\n",
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	megabytes := float64(k.bytes) / 1e6
	for _, name := range peerNames() {
		l := loads[name]
		if l == nil {
			continue
		}
		with, without := l.indexed.load, l.plain.load
		index := float64(l.indexed.bytes - l.plain.bytes)
		written := float64(with.written - without.written)
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.1f | %.1f | %s | %s | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f |\n",
			name, with.seconds, without.seconds, with.cpu, without.cpu,
			loadgen.Figure(megabytes/with.cpu*60), loadgen.Figure(megabytes/(with.cpu-without.cpu)*60),
			l.indexed.settle.cpu, index/(1<<20), index/float64(k.bytes), float64(l.plain.bytes)/(1<<20),
			written/(1<<20), written/float64(k.bytes))
	}
}
