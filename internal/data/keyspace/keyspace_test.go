// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestTree prints the whole map. Before rewriting its golden file, think: stores that exist hold keys of the old
// layout.
func TestTree(t *testing.T) {
	datadriven.RunTest(t, "testdata/tree", func(t *testing.T, d *datadriven.TestData) string { return printTree() })
}

func printTree() string {
	var b strings.Builder
	fmt.Fprintf(&b, "format %d\n", FormatVersion)
	for _, s := range Tree() {
		fmt.Fprintf(&b, "%02x %s", s.Tag, s.Name)
		for _, f := range s.Fields {
			fmt.Fprintf(&b, "/%s:%s", f.Name, [...]string{"number", "text", "stamp", "rest"}[f.Kind])
		}
		fmt.Fprintf(&b, "  (%s) %s\n", s.Owner, s.Doc)
	}
	return b.String()
}

// TestArchitecturePage holds the map in ARCHITECTURE.md to the tree.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), printTree()) {
		t.Errorf("ARCHITECTURE.md shows another key space; put this there:\n%s", printTree())
	}
}

// TestPrint shows text to bytes and back, for each line of input.
func TestPrint(t *testing.T) {
	datadriven.RunTest(t, "testdata/print", func(t *testing.T, d *datadriven.TestData) string {
		var b strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			key, err := ParseText(line)
			if err != nil {
				fmt.Fprintf(&b, "%v\n", err)
				continue
			}
			fmt.Fprintf(&b, "%x %s\n", key, Print(key))
		}
		return b.String()
	})
}

// TestBuilders checks that every builder makes a key that the tree reads back with the same parts.
func TestBuilders(t *testing.T) {
	for want, key := range map[string][]byte{
		`/meta/word="format"`:                 AppendMeta(nil, "format"),
		`/table/table=7`:                      AppendTable(nil, 7),
		`/table`:                              AppendTables(nil),
		`/name/database="default"/name="a/b"`: AppendName(nil, "default", "a/b"),
		`/name/database="default"`:            AppendNames(nil, "default"),
		`/attribute/table=7/id=300`:           AppendAttribute(nil, 7, 300),
		`/attribute/table=7`:                  AppendAttributes(nil, 7),
		`/boundary/table=7/index=2/version=1`: AppendBoundary(nil, 7, 2, 1),
		`/boundary/table=7/index=2`:           AppendBoundaries(nil, 7, 2),
		`/region/table=7/index=2`:             AppendRegions(nil, 7, 2),
		`/region/table=7`:                     AppendTableRegions(nil, 7),
		`/boundary/table=7`:                   AppendTableBoundaries(nil, 7),
		`/job/job=9`:                          AppendJob(nil, 9),
		`/job`:                                AppendJobs(nil),
		`/token/bucket=3/id="a"`:              AppendToken(nil, 3, "a"),
		`/token/bucket=3`:                     AppendTokens(nil, 3),
		`/token`:                              AppendAllTokens(nil),
		`/gateway/id="g1"`:                    AppendGateway(nil, "g1"),
		`/gateway`:                            AppendGateways(nil),
		`/owner/work="jobs"`:                  AppendOwner(nil, "jobs"),
		`/account/name="ann"`:                 AppendAccount(nil, "ann"),
		`/account`:                            AppendAccounts(nil),
		`/accesskey/id="AKIA1"`:               AppendAccessKey(nil, "AKIA1"),
		`/accesskey`:                          AppendAccessKeys(nil),
		`/admintoken/id="A"`:                  AppendAdminToken(nil, "A"),
		`/admintoken`:                         AppendAdminTokens(nil),
		`/view/database="a"/name="b"`:         AppendView(nil, "a", "b"),
		`/view/database="a"`:                  AppendDatabaseViews(nil, "a"),
		`/view`:                               AppendViews(nil),
		`/journal/table=7/bucket=1/stamp=5`:   AppendJournal(nil, 7, 1, 5),
		`/journal/table=7/bucket=1`:           AppendJournalBucket(nil, 7, 1),
		`/journal/table=7`:                    AppendTableJournal(nil, 7),
		`/journal`:                            AppendJournals(nil),
		`/outbox/table=7/bucket=1`:            AppendOutbox(nil, 7, 1),
		`/outbox/table=7`:                     AppendTableOutbox(nil, 7),
		`/border/table=7/stamp=5`:             AppendBorder(nil, 7, 5),
		`/followed/table=7/bucket=1`:          AppendFollowed(nil, 7, 1),
		`/followed/table=7`:                   AppendAllFollowed(nil, 7),
		`/border/table=7`:                     AppendBorders(nil, 7),
		`/sent/table=7`:                       AppendTableSent(nil, 7),
		`/sent/table=7/stream="a"/bucket=1`:   AppendSent(nil, 7, "a", 1),
		`/row/table=7/index=0`:                AppendRows(nil, 7, 0),
		`/row/table=7`:                        AppendTableRows(nil, 7),
	} {
		if got := Print(key); got != want {
			t.Errorf("Print(%x) = %s, want %s", key, got, want)
		}
		if back, err := ParseText(want); err != nil || !bytes.Equal(back, key) {
			t.Errorf("ParseText(%s) = %x, %v, want %x", want, back, err, key)
		}
	}
}

func FuzzPrint(f *testing.F) {
	f.Add(AppendName(nil, "default", "cities"))
	f.Add(append(AppendRows(nil, 1, 0), 1, 2, 3))
	f.Fuzz(func(t *testing.T, key []byte) {
		back, err := ParseText(Print(key))
		if err != nil || !bytes.Equal(back, key) {
			t.Fatalf("%x printed as %s reads back as %x, %v", key, Print(key), back, err)
		}
	})
}
