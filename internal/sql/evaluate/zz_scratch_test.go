package evaluate

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

func TestScratch(t *testing.T) {
	f, err := os.Open(os.Getenv("EXPR"))
	if err != nil {
		t.Skip()
	}
	out, _ := os.Create(os.Getenv("EXPR") + ".ours")
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		d, err := constant(sc.Text(), nil)
		if err != nil {
			fmt.Fprintf(out, "ERR %s\n", shownError(err))
			continue
		}
		if d.IsNull() {
			fmt.Fprintln(out, "NULL")
			continue
		}
		fmt.Fprintf(out, "%s\n", d.AppendText(nil))
	}
}
