// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/cmd/weft/division"
	"github.com/weftdb/weft/cmd/weft/endpoint"
)

// config is everything that `weft serve` can be set to. settings says how each field is written, and its default.
type config struct {
	Data               string
	Engine             string
	TiKVPD             []string
	TiKVCA             string // files, "" for no TLS
	TiKVCert           string
	TiKVKey            string
	TiKVPrefix         string
	TiKVReplicaReads   bool
	DynamoDBAddr       string // "off" or host:port, as are the three below
	MySQLAddr          string
	HBaseAddr          string
	HBaseThrift1Addr   string
	MySQLConnections   int
	UserConnections    int // 0: see its help, as below
	AddressConnections int
	AdminAddr          string
	TLS                endpoint.Files // no Certificate: no TLS
	Auth               string
	MasterKeyFile      string // "" for none
	Insecure           bool
	AuditLog           string // "" for none
	AuditLogMaxMB      int
	AuditEvents        string
	Region             string
	AccountID          string
	Buckets            string // "" for none
	Origins            string
	Hosts              []string // in lower case
	MemoryBytes        int64    // 0: see package division, as the three below
	BlockCacheBytes    int64
	RequestMemoryBytes int64
	SQLMemoryBytes     int64
	SQLDiskBytes       int64
	RegionBytes        int64
	RegionRequests     int
	KinesisEndpoint    string // "" for none
	AcceptEncryption   bool
	ThrottleKeys       bool
	BeyondAWS          bool
	ItemBytes          int64
	Throttle           string // "off", "report" or "enforce"
	LogFormat          string
	LogLevel           string
	Drain              time.Duration
	GatewayLease       time.Duration
	Ship               string // place, "" for none
	ShipKeepDays       int
	ShipRecipients     string   // public keys with commas between them
	Schema             []string // files
	Seed               string   // a folder, "" for none
	TestControls       bool
	OwnTables          string

	// The following fields are no settings: commands set them.
	existing  bool   // the store must be there already
	masterKey string // from its variable
	idle      bool   // nothing is done in the background
	readOnly  bool   // nothing is written to a folder, which must hold a store; needs idle
	served    bool   // a stop has to be quick
	serves    bool   // it is no command that works on a store and ends
}

// tikvPrefixBytesMax is the longest prefix that the engine takes.
const tikvPrefixBytesMax = 64

// off is the address of a protocol that is not served.
const off = "off"

// setting is one key of the configuration: a flag, an environment variable and a key of the file.
type setting struct {
	name   string // as in --name; WEFT_NAME in the environment
	preset string // the default, as a user would write it
	help   string
	value  value
}

// settings lists all keys in the order of --help, bound to the fields of c.
func settings(c *config) []setting {
	return slices.Concat(storeSettings(c), portSettings(c), accessSettings(c), apiSettings(c), resourceSettings(c),
		workSettings(c))
}

// storeSettings are about the store.
func storeSettings(c *config) []setting {
	return []setting{
		{"data", "./weft-data", "folder of the embedded store; serve, demo and import create it if it does not exist",
			text{&c.Data, "DIR"}},
		{"schema", "", "make the tables that a FILE defines and that are not there yet: CreateTable requests, the " +
			"output of describe-table, CloudFormation, terraform show -json, or SQL; may be repeated",
			list{&c.Schema, "FILE", func(string) error { return nil }}},
		{"seed", "", "load the files of this folder, each named after a table, into tables that are empty",
			text{&c.Seed, "FOLDER"}},
		{"engine", "pebble", "storage engine: pebble (a folder), mem (memory, lost at exit) or tikv (a cluster)",
			choice{&c.Engine, []string{"pebble", "mem", "tikv"}}},
		{"tikv-pd", "", "comma-separated addresses of TiKV's placement drivers",
			list{&c.TiKVPD, "HOST:PORT", checkAddress}},
		{"tikv-ca", "", "PEM file with the CA certificate of TiKV's servers; turns TLS on", text{&c.TiKVCA, "FILE"}},
		{"tikv-cert", "", "PEM file with the client certificate to show to TiKV", text{&c.TiKVCert, "FILE"}},
		{"tikv-key", "", "PEM file with the private key of --tikv-cert", text{&c.TiKVKey, "FILE"}},
		{"tikv-prefix", "w", "prefix of every key in TiKV: the same on all servers of one database, and used by no " +
			"other program",
			text{&c.TiKVPrefix, "TEXT"}},
		{"tikv-replica-reads", "false", "engine tikv: let eventually consistent reads of DynamoDB's API, and queries that ask for it, go to any replica of their region; see docs/tikv.md",
			toggle{&c.TiKVReplicaReads}},
	}
}

// portSettings are about the ports and their connections.
func portSettings(c *config) []setting {
	return []setting{
		{"dynamodb-addr", "127.0.0.1:8000", "address of DynamoDB's HTTP API, or 'off'", address{&c.DynamoDBAddr}},
		{"mysql-addr", "127.0.0.1:33060", "address of the MySQL protocol, or 'off'", address{&c.MySQLAddr}},
		{"hbase-addr", "off", "address of HBase's Thrift2 API, over HTTP and plain sockets, or 'off'; LindormTable's " +
			"port is 9190", address{&c.HBaseAddr}},
		{"hbase-thrift1-addr", "off", "address of HBase's Thrift1 API, which happybase speaks, or 'off'; HBase's " +
			"port is 9090", address{&c.HBaseThrift1Addr}},
		{"mysql-connections", "4000", "the most MySQL clients that may be connected; more are refused",
			count{&c.MySQLConnections, 1}},
		{"user-connections", "0", "the most connections that one MySQL user may have; 0 is nine tenths of " +
			"--mysql-connections", count{&c.UserConnections, 0}},
		{"address-connections", "0", "the most connections that one client address may have, to the MySQL and " +
			"DynamoDB ports together; 0 is half of all that the limit of open files allows, and no limit for this " +
			"machine's own", count{&c.AddressConnections, 0}},
		{"admin-addr", "127.0.0.1:8080",
			"address of the admin port (/metrics, /healthz, /readyz and reports), or 'off'", address{&c.AdminAddr}},
	}
}

// accessSettings are about TLS, logins and the audit log.
func accessSettings(c *config) []setting {
	return []setting{
		{"tls-cert", "", "PEM file with the certificate for TLS on all ports, read again when it changes; weft cert " +
			"dev makes one for tests", text{&c.TLS.Certificate, "FILE"}},
		{"tls-key", "", "PEM file with the private key of --tls-cert", text{&c.TLS.Key, "FILE"}},
		{"tls-client-ca", "", "PEM file with the authority of client certificates; without one of those nobody " +
			"connects", text{&c.TLS.ClientCA, "FILE"}},
		{"auth", "off", "whether clients must sign in: off, warn (like off, but log the requests that required would " +
			"refuse) or required; off and warn serve loopback addresses only",
			choice{&c.Auth, []string{"off", "warn", "required"}}},
		{"insecure", "false", "allow plain text, and --auth off and warn, on addresses that other machines can reach",
			toggle{&c.Insecure}},
		{"master-key-file", "", "file with the key that encrypts the secrets of access keys: 32 bytes in base64; " +
			"WEFT_MASTER_KEY may hold the key instead",
			text{&c.MasterKeyFile, "FILE"}},
		{"audit-log", "", "file that gets a line of JSON for each login, change of users, tables and rights, and " +
			"request that is denied", text{&c.AuditLog, "FILE"}},
		{"audit-log-max-mb", "100", "size in MiB at which --audit-log is renamed to FILE.1; FILE.10 is the oldest " +
			"that is kept", count{&c.AuditLogMaxMB, 1}},
		{"audit-events", "denied", "what else --audit-log gets: nothing (denied), each write (writes), or each write " +
			"and read (all)", choice{&c.AuditEvents, []string{"denied", "writes", "all"}}},
	}
}

// apiSettings are about what DynamoDB's API takes and tells.
func apiSettings(c *config) []setting {
	return []setting{
		{"region", "us-east-1", "the AWS region to report, as in ARNs", text{&c.Region, "NAME"}},
		{"account-id", "000000000000", "the AWS account to report, as in ARNs; ARNs of other accounts are refused",
			text{&c.AccountID, "ID"}},
		{"accept-encryption", "false", "accept requests of DynamoDB's API for encryption at rest, although the " +
			"server encrypts nothing: descriptions of tables say so; encrypt the disk",
			toggle{&c.AcceptEncryption}},
		{"beyond-aws", "false", "let DynamoDB's API take what AWS refuses: items up to --item-size, transactions of " +
			"10,000 actions, several changes of indexes at once, and unique, Z-order and search indexes by " +
			"tags", toggle{&c.BeyondAWS}},
		{"item-size", "4MiB", "size of the largest item that DynamoDB's API takes with --beyond-aws",
			size{&c.ItemBytes, 400 << 10}},
		{"throttle", "off", "whether requests of DynamoDB's API that exceed the provisioned throughput of a table or " +
			"an index, or the bound of on-demand throughput, are refused as at AWS (enforce) or only counted " +
			"(report)", choice{&c.Throttle, []string{"off", "report", "enforce"}}},
		{"throttle-keys", "false", "with --throttle: also count what AWS's partitions bear, 3,000 read units and " +
			"1,000 write units a second of one key", toggle{&c.ThrottleKeys}},
		{"buckets", "", "where exports, imports and bulk puts of DynamoDB's API find buckets: a folder with a folder " +
			"for each, or s3://?endpoint=URL&region=NAME for a service's; see weft backup --help for its credentials",
			text{&c.Buckets, "PLACE"}},
		{"origins", "none", "which web pages may use the DynamoDB API: none, local (pages served by this machine) or " +
			"any", choice{&c.Origins, []string{"none", "local", "any"}}},
		{"hosts", "", "comma-separated names that clients call the HTTP ports by, besides localhost and IP " +
			"addresses; if it is empty, ports that other machines reach take any " +
			"name", list{&c.Hosts, "NAME", checkName}},
	}
}

// resourceSettings are about memory, disk and regions.
func resourceSettings(c *config) []setting {
	return []setting{
		{"memory", "0B", "memory for the whole process, divided among the parts below; 0B is a quarter of the " +
			"machine's, or of the cgroup's limit", share{size{&c.MemoryBytes, 64 << 20}}},
		{"block-cache", "0B", "memory for the cache of blocks read from disk; 0B is what the other parts leave of " +
			"--memory", share{size{&c.BlockCacheBytes, 1 << 20}}},
		{"request-memory", "0B", "memory for all DynamoDB requests together, and as much for all HBase calls; " +
			"requests beyond it wait or are refused; 0B is an eighth of --memory, at most " +
			"1GiB", share{size{&c.RequestMemoryBytes, 16 << 20}}},
		{"sql-memory", "0B", "memory for all MySQL clients and statements together, at most a quarter of the " +
			"cgroup's limit; statements beyond it are refused; 0B is a quarter of --memory, at most " +
			"1GiB", share{size{&c.SQLMemoryBytes, 16 << 20}}},
		{"sql-disk", "0B",
			"disk for the temporary files of all SQL statements together, statements beyond it are refused; 0B is a " +
				"quarter of what is free at start", size{&c.SQLDiskBytes, 0}},
		{"region-size", "8GiB", "size at which a region of the embedded store is split", size{&c.RegionBytes, 1 << 20}},
		{"region-requests", "2500", "requests per second at which a region of the embedded store is split",
			count{&c.RegionRequests, 1}},
	}
}

// workSettings are about what a server does besides.
func workSettings(c *config) []setting {
	return []setting{
		{"kinesis-endpoint", "", "URL of the service, such as Amazon Kinesis, that tables send their changes to once " +
			"EnableKinesisStreamingDestination asks for it", text{&c.KinesisEndpoint, "URL"}},
		{"log-format", "auto", "text, json, or auto (text on a terminal, otherwise json)",
			choice{&c.LogFormat, []string{"auto", "text", "json"}}},
		{"log-level", "info", "lowest level to log", choice{&c.LogLevel, []string{"debug", "info", "warn", "error"}}},
		{"gateway-lease", "45s", "engine tikv: how long a schema change waits for a server that vanished, and how " +
			"long a server may be cut off; servers renew the lease six times in that time", duration{&c.GatewayLease}},
		{"ship", "", "engine pebble: place to which every change is shipped within seconds, and a backup each day: a " +
			"folder or s3://BUCKET/PREFIX; see docs/backup.md", text{&c.Ship, "PLACE"}},
		{"ship-keep", "7", "for how many days the moments stay that weft restore --at can restore from --ship",
			count{&c.ShipKeepDays, 1}},
		{"ship-recipients", "", "comma-separated public keys of age that what is shipped is encrypted for",
			text{&c.ShipRecipients, "KEY,..."}},
		{"test-controls", "false", "let the admin port mark the state of the database and return to it, and let " +
			"requests fail on purpose: for tests, see docs/testing.md; nothing may be served like that which must " +
			"not be lost",
			toggle{&c.TestControls}},
		{"own-tables", "off", "whose tables a DynamoDB client sees: off (all see all), key (those of its access key, " +
			"which need not exist) or key-region (those of its access key in its region); for test suites that share " +
			"a server, without --auth",
			choice{&c.OwnTables, []string{"off", "key", "key-region"}}},
		{"drain", "8s", "how long running requests may continue after SIGTERM", duration{&c.Drain}},
	}
}

// listener is an address with the setting it comes from.
type listener struct{ setting, address string }

// listeners returns the addresses of the protocols that are on.
func (c *config) listeners() []listener {
	var on []listener
	for _, l := range []listener{{"dynamodb-addr", c.DynamoDBAddr}, {"mysql-addr", c.MySQLAddr},
		{"hbase-addr", c.HBaseAddr}, {"hbase-thrift1-addr", c.HBaseThrift1Addr}, {"admin-addr", c.AdminAddr}} {
		if l.address != off {
			on = append(on, l)
		}
	}
	return on
}

// dataDir is the folder of the embedded store; "" for other engines.
func (c *config) dataDir() string {
	if c.Engine != "pebble" {
		return ""
	}
	return c.Data
}

// division is how the memory of the process is divided.
func (c *config) division() division.Division {
	return division.Now(division.Settings{All: c.MemoryBytes, Cache: c.BlockCacheBytes, Requests: c.RequestMemoryBytes,
		Statements: c.SQLMemoryBytes, Folder: c.Engine == "pebble", HBase: c.HBaseAddr != off || c.HBaseThrift1Addr != off,
		Tool: !c.serves})
}

// workDir is a folder for the temporary files of exports and imports, which is made when it is needed: with the data,
// where there is space for them.
func (c *config) workDir() string {
	if c.Engine == "pebble" {
		return filepath.Join(c.Data, "weft-exchange")
	}
	return filepath.Join(os.TempDir(), "weft-exchange")
}

// mysqlNeedsTLS reports whether clients of the MySQL port may not sign in in plain text: other machines, and all who
// must show a certificate.
func (c *config) mysqlNeedsTLS() bool {
	return c.TLS.Certificate != "" && (c.TLS.ClientCA != "" || !c.Insecure && !loopback(c.MySQLAddr))
}

// spillDir is a folder for the temporary files of SQL: with the data, whose disk the store watches.
func (c *config) spillDir() string {
	if c.Engine == "pebble" {
		return filepath.Join(c.Data, "weft-spill")
	}
	return os.TempDir()
}

// check finds faults that only show when settings are seen together, and reports all of them.
func (c *config) check() error {
	var errs []error
	errs = append(errs, c.checkTiKV()...)
	if err := c.checkKinesis(); err != nil {
		errs = append(errs, err)
	}
	if c.Engine == "pebble" && c.Data == "" {
		errs = append(errs, errors.New("data is empty: set it to a folder for engine pebble"))
	}
	if (c.TLS.Certificate == "") != (c.TLS.Key == "") {
		errs = append(errs, errors.New("tls-cert and tls-key must be set together: set both, or neither"))
	}
	if c.TLS.ClientCA != "" && c.TLS.Certificate == "" {
		errs = append(errs, errors.New("tls-client-ca also needs tls-cert and tls-key"))
	}
	if c.AuditLog != "" && c.Auth == "off" {
		errs = append(errs, errors.New("audit-log is set, but auth is off, so that nobody is known: set auth to warn "+
			"or required"))
	}
	if c.OwnTables != "off" && c.Auth != "off" {
		errs = append(errs, fmt.Errorf("own-tables is %s, but auth is %s: users share the tables that their rights "+
			"are about; set one of both to off", c.OwnTables, c.Auth))
	}
	if c.Ship != "" && c.Engine != "pebble" {
		errs = append(errs, fmt.Errorf("ship is set but the engine is %s: only a folder is shipped; a cluster keeps "+
			"its own replicas, and weft backup copies it at any time", c.Engine))
	}
	if c.Ship == "" && c.ShipRecipients != "" {
		errs = append(errs, errors.New("ship-recipients is set, but ship is not: set both, or neither"))
	}
	if c.masterKey != "" && c.MasterKeyFile != "" {
		errs = append(errs, errors.New("master-key-file and WEFT_MASTER_KEY are both set: set only one"))
	}
	for i, name := range c.Hosts {
		c.Hosts[i] = strings.ToLower(name)
	}
	return errors.Join(append(errs, c.checkListeners()...)...)
}

// checkTiKV looks at what belongs to a cluster.
func (c *config) checkTiKV() (errs []error) {
	if c.GatewayLease < time.Second {
		errs = append(errs, fmt.Errorf("gateway-lease is %s: use at least 1s", c.GatewayLease))
	}
	if c.Engine != "tikv" {
		for _, s := range []struct {
			name string
			set  bool
		}{{"tikv-pd", len(c.TiKVPD) > 0}, {"tikv-ca", c.TiKVCA != ""}, {"tikv-cert", c.TiKVCert != ""}, {"tikv-key",
			c.TiKVKey != ""}, {"tikv-replica-reads", c.TiKVReplicaReads}} {
			if s.set {
				errs = append(errs, fmt.Errorf("%s is set but the engine is %s: set engine to tikv, or drop %s", s.name,
					c.Engine, s.name))
			}
		}
		return errs
	}
	if len(c.TiKVPD) == 0 {
		errs = append(errs, errors.New("engine tikv needs tikv-pd: set it to the host:port of at least one placement "+
			"driver"))
	}
	if (c.TiKVCert == "") != (c.TiKVKey == "") {
		errs = append(errs, errors.New("tikv-cert and tikv-key must be set together: set both, or neither"))
	}
	if c.TiKVCert != "" && c.TiKVCA == "" {
		errs = append(errs, errors.New("tikv-cert also needs tikv-ca, the CA certificate of the cluster"))
	}
	if n := len(c.TiKVPrefix); n == 0 || n > tikvPrefixBytesMax {
		errs = append(errs, fmt.Errorf("tikv-prefix has %d bytes: use 1 to %d", n, tikvPrefixBytesMax))
	}
	return errs
}

func (c *config) checkListeners() []error {
	var errs []error
	seen := map[string]string{}
	for _, l := range c.listeners() {
		if c.Auth != "required" && !c.Insecure && !loopback(l.address) {
			errs = append(errs, fmt.Errorf(
				"%s %s is reachable from other machines while auth is %s: set auth to required, "+
					"listen on 127.0.0.1, or accept the risk with --insecure", l.setting, l.address, c.Auth))
		}
		if c.Auth == "required" && c.TLS.Certificate == "" && !c.Insecure && !loopback(l.address) {
			errs = append(errs, fmt.Errorf(
				"%s %s is reachable from other machines in plain text: set tls-cert and tls-key, "+
					"listen on 127.0.0.1, or accept the risk with --insecure", l.setting, l.address))
		}
		if other, ok := seen[l.address]; ok && !anyPort(l.address) {
			errs = append(errs, fmt.Errorf("%s and %s are both %s: give each its own port", other, l.setting,
				l.address))
		}
		seen[l.address] = l.setting
	}
	return errs
}

// loopback reports whether only this machine reaches the address. A name other than localhost may mean anything, so it
// does not count.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// anyPort reports whether the system chooses the port.
func anyPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == "0"
}
