// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// as returns a client with other credentials.
func as(from *harness.Server, key, region string) *dynamodb.Client {
	options := retrying(from).Options()
	options.Region, options.Credentials = region, credentials.NewStaticCredentialsProvider(key, "any", "")
	return dynamodb.New(options)
}

// tablesOf lists the tables that a client sees, with their ARNs.
func tablesOf(t *testing.T, c *dynamodb.Client) (names, arns []string) {
	t.Helper()
	list, err := c.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list.TableNames {
		d, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			t.Fatal(err)
		}
		arns = append(arns, *d.Table.TableArn)
	}
	return list.TableNames, arns
}

// TestOwnTables: each access key sees its own tables, with all that belongs to them, and SQL sees all.
func TestOwnTables(t *testing.T) {
	shared := harness.Start(t, binary, harness.Options{Args: []string{"--own-tables", "key", "--buckets", t.TempDir()}})
	ann, bob, account := as(shared, "ann", "eu-west-1"), as(shared, "bob", "eu-west-1"),
		as(shared, "123456789012", "eu-west-1")
	for _, c := range []*dynamodb.Client{ann, bob, account} {
		if names, _ := tablesOf(t, c); len(names) != 0 {
			t.Errorf("a new client sees %v", names)
		}
		input := table("orders", "id:S")
		input.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewImage}
		input.Tags = []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}
		harness.CreateTable(t, c, input)
	}
	harness.CreateTable(t, bob, table("more", "id:S"))
	token := aws.String("the same token")
	for value, c := range map[string]*dynamodb.Client{"of ann": ann, "of bob": bob} {
		if _, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{ClientRequestToken: token,
			TransactItems: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("orders"),
				Item: item{"id": s("1"), "v": s(value)}}}}}); err != nil {
			t.Fatal(err)
		}
	}
	for value, c := range map[string]*dynamodb.Client{"of ann": ann, "of bob": bob, "": account} {
		got, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("orders"),
			Key: item{"id": s("1")}})
		if err != nil || text(got.Item, "v") != value {
			t.Errorf("an item of another client: %v, %v; want %q", got.Item, err, value)
		}
	}
	backup, err := ann.CreateBackup(t.Context(), &dynamodb.CreateBackupInput{TableName: aws.String("orders"),
		BackupName: aws.String("one")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bob.DescribeBackup(t.Context(),
		&dynamodb.DescribeBackupInput{BackupArn: backup.BackupDetails.BackupArn}); err == nil {
		t.Error("a client sees another one's backup")
	}
	if list, err := bob.ListBackups(t.Context(), &dynamodb.ListBackupsInput{}); err != nil ||
		len(list.BackupSummaries) > 0 {
		t.Errorf("a client lists another one's backups: %v, %v", list, err)
	}
	available := func() bool {
		d, err := ann.DescribeBackup(t.Context(),
			&dynamodb.DescribeBackupInput{BackupArn: backup.BackupDetails.BackupArn})
		if err != nil {
			t.Fatal(err)
		}
		return d.BackupDescription.BackupDetails.BackupStatus == types.BackupStatusAvailable
	}
	for !available() {
		time.Sleep(time.Millisecond)
	}
	if _, err := ann.RestoreTableFromBackup(t.Context(), &dynamodb.RestoreTableFromBackupInput{
		BackupArn: backup.BackupDetails.BackupArn, TargetTableName: aws.String("restored")}); err != nil {
		t.Error(err)
	}
	harness.WaitTable(t, ann, "restored", func(d *types.TableDescription) bool { return d.TableStatus == "ACTIVE" })
	if names, arns := tablesOf(t, ann); !slices.Equal(names, []string{"orders", "restored"}) ||
		!strings.HasPrefix(arns[0], "arn:aws:dynamodb:us-east-1:000000000000:table/") {
		t.Errorf("ann sees %v, %v", names, arns)
	}
	if names, _ := tablesOf(t, bob); !slices.Equal(names, []string{"more", "orders"}) {
		t.Errorf("bob sees %v", names)
	}
	if _, arns := tablesOf(t, account); !slices.Equal(arns,
		[]string{"arn:aws:dynamodb:us-east-1:123456789012:table/orders"}) {
		t.Errorf("the account sees %v", arns)
	}
	exportOwn(t, ann, bob)
	if _, err := bob.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("orders")}); err != nil {
		t.Error(err)
	}
	if names, _ := tablesOf(t, ann); len(names) != 2 {
		t.Errorf("after bob's deletion ann sees %v", names)
	}
	if rows, err := harness.Run(binary, "sql", "--server", shared.SQL(), "-e",
		"SELECT v FROM `key-ann`.orders; DROP DATABASE `key-bob`; SHOW DATABASES"); err != nil ||
		!strings.Contains(rows, "of ann") || strings.Contains(rows, "bob") {
		t.Errorf("SQL sees %s, %v", rows, err)
	}
}

// exportOwn lets one client export a table, of which the other sees nothing.
func exportOwn(t *testing.T, ann, bob *dynamodb.Client) {
	t.Helper()
	const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"
	if _, err := ann.UpdateContinuousBackups(t.Context(), &dynamodb.UpdateContinuousBackupsInput{
		TableName: aws.String("orders"),
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: aws.Bool(true)}}); err != nil {
		t.Fatal(err)
	}
	input := &dynamodb.ExportTableToPointInTimeInput{S3Bucket: aws.String("bucket"), TableArn: aws.String(arn)}
	if _, err := bob.ExportTableToPointInTime(t.Context(), input); err == nil {
		t.Error("a client exports a table as if it had another one's recovery")
	}
	export, err := ann.ExportTableToPointInTime(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bob.DescribeExport(t.Context(),
		&dynamodb.DescribeExportInput{ExportArn: export.ExportDescription.ExportArn}); err == nil {
		t.Error("a client sees another one's export")
	}
	for c, want := range map[*dynamodb.Client]int{ann: 1, bob: 0} {
		if list, err := c.ListExports(t.Context(), &dynamodb.ListExportsInput{}); err != nil ||
			len(list.ExportSummaries) != want {
			t.Errorf("a client lists %v, %v; want %d exports", list, err, want)
		}
	}
}

// TestOwnTablesByRegion: regions are apart, too, and stand in ARNs.
func TestOwnTablesByRegion(t *testing.T) {
	shared := harness.Start(t, binary, harness.Options{Args: []string{"--own-tables", "key-region"}})
	for _, region := range []string{"eu-west-1", "us-west-2"} {
		c := as(shared, "ann", region)
		harness.CreateTable(t, c, table("orders", "id:S"))
		if _, arns := tablesOf(t, c); !slices.Equal(arns,
			[]string{"arn:aws:dynamodb:" + region + ":000000000000:table/orders"}) {
			t.Errorf("in %s: %v", region, arns)
		}
	}
}

// TestResetsBesideOthers: one suite goes back again and again while another one writes, which sees no error and loses
// nothing.
func TestResetsBesideOthers(t *testing.T) {
	shared := harness.Start(t, binary, harness.Options{Args: []string{"--own-tables", "key", "--test-controls",
		"--admin-addr", "127.0.0.1:0"}})
	ann, bob := as(shared, "ann", "eu-west-1"), as(shared, "bob", "eu-west-1")
	for _, c := range []*dynamodb.Client{ann, bob} {
		harness.CreateTable(t, c, table("orders", "id:N"))
	}
	ask := func(what string) {
		t.Helper()
		if said, err := harness.Run(binary, what, "--access-key", "ann", "--admin-addr", shared.Admin()); err != nil {
			t.Errorf("weft %s: %v: %s", what, err, said)
		}
	}
	put := func(c *dynamodb.Client, id int) error {
		_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("orders"),
				Item: item{"id": n(id)}}}}})
		return err
	}
	ask("mark")
	stop, written := make(chan struct{}), make(chan int)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				written <- i
				return
			default:
			}
			if err := put(bob, i); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := range 20 {
		if err := put(ann, i); err != nil {
			t.Error(err)
		}
		ask("reset")
	}
	close(stop)
	for c, want := range map[*dynamodb.Client]int{ann: 0, bob: <-written} {
		got, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders"),
			Select: types.SelectCount, ConsistentRead: aws.Bool(true)})
		if err != nil || int(got.Count) != want {
			t.Errorf("a suite has %d items, %v; want %d", got.Count, err, want)
		}
	}
}
