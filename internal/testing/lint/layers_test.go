// SPDX-License-Identifier: Apache-2.0

package lint

// modulePath is the import path of the root package.
const modulePath = "github.com/weftdb/weft"

// law says what one package may import: packages of lower layers only, unless a field says otherwise. Tests are free.
type law struct {
	layer  int
	beside []string // packages of its own layer that it may import
	only   []string // when not nil, the only packages it may import, besides layer 0
	never  []string // packages that it must not import, whatever their layer
	pure   bool     // no context, no I/O, no clock, no randomness
	engine bool     // hides a storage engine: only packages of the layers cmdLayer and testLayer may name it, and those whose only does
	doc    string   // shown when an import breaks this law
}

const (
	cmdLayer  = 8
	testLayer = 9 // test support, benchmarks, examples: imports anything, and nothing below imports it
)

// laws has a law for each package. Keys are folders relative to the root; "." is package weft. A new package needs a line here, in the lowest
// layer above all that it imports; `go generate ./internal/testing/lint` then writes the table of ARCHITECTURE.md.
var laws = map[string]law{
	"order":                      {layer: 0, pure: true},
	"zorder":                     {layer: 0, pure: true},
	"zorder/codec":               {layer: 0, pure: true, beside: []string{"order"}},
	"sortkey":                    {layer: 0, pure: true},
	"internal/data/value":        {layer: 0, pure: true, beside: []string{"order"}},
	"internal/data/schema":       {layer: 0, pure: true, beside: []string{"internal/data/cell", "internal/data/value", "zorder", "zorder/codec"}},
	"internal/data/keytext":      {layer: 0, pure: true, beside: []string{"internal/data/schema", "zorder", "zorder/codec"}},
	"internal/data/cell":         {layer: 0, pure: true, beside: []string{"order", "internal/data/value"}},
	"internal/data/govalue":      {layer: 0, pure: true, beside: []string{"order", "internal/data/expr", "internal/data/value"}},
	"internal/index/search":      {layer: 0, pure: true},
	"internal/data/expr":         {layer: 0, pure: true, beside: []string{"order", "internal/data/value"}},
	"internal/resource/metric":   {layer: 0, pure: true},
	"internal/database/inside":   {layer: 0, pure: true},
	"internal/security/audit":    {layer: 0, doc: "an audit log writes the events that it is handed"},
	"internal/advice/digest":     {layer: 0, doc: "digest counts what it is told"},
	"internal/resource/memory":   {layer: 0, pure: true},
	"internal/resource/cache":    {layer: 0, pure: true, beside: []string{"internal/resource/memory"}},
	"internal/server/thriftwire": {layer: 0, pure: true},
	"internal/resource/spill":    {layer: 0, beside: []string{"internal/resource/memory"}, doc: "spill keeps files of whoever lacks memory"},
	"internal/files/cities":      {layer: 0, pure: true},
	"internal/files/earthquakes": {layer: 0, pure: true},
	"internal/files/weather":     {layer: 0, pure: true},

	"zorder/zdynamo":           {layer: 1, only: []string{}, doc: "the client kit works against any DynamoDB endpoint, so it knows nothing of the database"},
	"storage":                  {layer: 0, doc: "a storage keeps objects, whatever they are"},
	"storage/s3":               {layer: 1, only: []string{}, doc: "a bucket is a storage, and its client is linked by whoever imports it"},
	"kv":                       {layer: 1, only: []string{}, doc: "kv is the seam: it imports nothing of Weft"},
	"kv/mem":                   {layer: 1, beside: []string{"kv"}, engine: true},
	"kv/pebble":                {layer: 1, beside: []string{"kv", "kv/pebble/internal/guard"}, engine: true},
	"kv/pebble/internal/guard": {layer: 1, beside: []string{"kv"}},
	"kv/tikv":                  {layer: 1, beside: []string{"kv"}, engine: true},
	"kv/kvwrap":                {layer: 1, beside: []string{"kv"}},
	"kv/kvtest":                {layer: 1, beside: []string{"kv", "kv/mem"}, doc: "the suite compares engines with kv/mem, its model"},

	"internal/security/policy":    {layer: 1, only: []string{}, doc: "policies are decided without knowing users or operations"},
	"internal/security/signature": {layer: 1, only: []string{}, doc: "a signature is verified without knowing where secrets are"},

	"internal/dynamodb/remote": {layer: 2, doc: "remote calls services and knows none of them"},

	"internal/data/keyspace":  {layer: 2},
	"internal/index/indexkey": {layer: 2, never: []string{"kv"}, doc: "indexkey derives keys and spans; it reads and writes nothing"},

	"internal/history/journal":    {layer: 2, beside: []string{"internal/data/keyspace"}, doc: "the journal keeps changes of rows as bytes; it knows no index"},
	"internal/background/gateway": {layer: 2, beside: []string{"internal/data/keyspace"}, doc: "a gateway is told what has to be agreed on; it knows no schema"},

	"internal/rows/record":           {layer: 3, doc: "record is handed a *schema.Table; it never looks one up"},
	"internal/data/catalog":          {layer: 3},
	"internal/advice/heat":           {layer: 3},
	"internal/advice/heat/heatmap":   {layer: 0, pure: true, doc: "layers are counts by key and time"},
	"internal/advice/heat/diagnosis": {layer: 0, pure: true, doc: "a diagnosis is of figures that it is handed"},
	"internal/advice/heat/workload":  {layer: 0, doc: "loads are keys and times"},
	"internal/dynamodb/streamreader": {layer: 3, doc: "streams are read from outside, through their API"},
	"internal/security/account":      {layer: 3, doc: "accounts are records of the store that every protocol checks by"},

	"internal/security/permission": {layer: 4, doc: "a permission is decided without knowing protocols"},
	"internal/rows/access": {layer: 4, pure: true, never: []string{"kv", "internal/rows/record", "internal/data/catalog", "internal/advice/heat"},
		doc: "access turns predicates and statistics into spans; it reaches no store"},
	"internal/rows/query":        {layer: 4, beside: []string{"internal/rows/access"}},
	"internal/background/job":    {layer: 4},
	"internal/rows/change":       {layer: 4, doc: "change is handed a transaction; it begins none"},
	"internal/history/backup":    {layer: 4, doc: "a backup moves files and entries, whatever they mean"},
	"internal/history/past":      {layer: 4, beside: []string{"internal/rows/query"}, doc: "past is handed a snapshot; it opens none"},
	"internal/history/undo":      {layer: 4, doc: "undo is handed a snapshot; it opens none"},
	"internal/rows/readings":     {layer: 4, doc: "readings are of keys, whatever they mean"},
	"internal/background/task":   {layer: 4, doc: "a task is a record; whoever does it knows what it is"},
	"internal/index/asyncindex":  {layer: 4, doc: "an index follows its table, whoever asks"},
	"internal/history/tablecopy": {layer: 4, doc: "a copy is of entries, whatever they mean"},
	"internal/files/transfer":    {layer: 4, doc: "a transfer moves entries, whatever they mean"},
	"internal/files/ingest":      {layer: 4, beside: []string{"internal/rows/change", "internal/background/region"}, doc: "ingest adds entries that it is handed; it sorts nothing"},
	"internal/index/tuning":      {layer: 4, beside: []string{"internal/background/job", "internal/rows/query"}},
	"internal/background/region": {layer: 4, beside: []string{"internal/rows/query"}, doc: "regions are of indexes; what counts requests is an interface of its own"},
	"internal/rows/statistics":   {layer: 4, beside: []string{"internal/rows/access", "internal/rows/query"}, doc: "statistics are of indexes, whatever is asked of them"},
	"internal/rows/explanation":  {layer: 4, beside: []string{"internal/rows/access", "internal/rows/query"}, doc: "explain puts in words what others found"},
	"internal/rows/idempotency":  {layer: 4},

	"internal/database": {layer: 5, never: []string{"net", "net/http"}, doc: "programs that embed the database choose their own protocols"},

	"internal/database/work": {layer: 6, only: []string{"internal/database"}, never: []string{"net", "net/http"}, doc: "work is shown by those who know how it is asked for"},

	"internal/database/feed": {layer: 6, only: []string{"internal/database", "internal/history/journal"}, never: []string{"net", "net/http"}, doc: "a feed reads what package database shows of streams"},

	".": {layer: 6, never: []string{"net", "net/http"}, only: []string{"internal/database", "internal/database/feed", "internal/data/keyspace", "kv/mem", "kv/pebble", "internal/rows/access", "internal/security/account", "internal/rows/change", "internal/security/permission", "internal/rows/query", "internal/rows/record", "internal/background/region", "kv"},
		doc: "package weft is what programs see of package database"},

	"internal/dynamodb": {layer: 6, only: []string{"internal/database", "internal/dynamodb/attributejson", "internal/dynamodb/control", "internal/dynamodb/exchange", "internal/dynamodb/streams", "internal/dynamodb/tablemodel",
		"internal/dynamodb/exception", "internal/dynamodb/expression", "internal/dynamodb/itemkey", "internal/dynamodb/legacy", "internal/dynamodb/partiql", "internal/rows/access", "internal/security/permission"},
		never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/dynamodb/kinesis": {layer: 6, only: []string{"internal/database", "internal/dynamodb/attributejson", "internal/dynamodb/remote"}, doc: "the sender reads changes through package database"},
	"internal/dynamodb/streams": {layer: 6, only: []string{"internal/database", "internal/dynamodb/attributejson", "internal/dynamodb/control", "internal/dynamodb/tablemodel", "internal/dynamodb/exception", "internal/security/permission"}, never: []string{"net/http"}},
	"internal/dynamodb/exchange": {layer: 6, only: []string{"internal/database", "internal/history/past", "internal/files/archive", "internal/files/bulkload", "internal/dynamodb/attributejson", "internal/dynamodb/attributeion", "internal/dynamodb/control", "internal/dynamodb/tablemodel",
		"internal/dynamodb/exception", "internal/dynamodb/expression", "internal/dynamodb/itemkey", "internal/security/permission", "internal/database/work"}, never: []string{"net/http"}, doc: "exports and imports know storages, not kinds of them"},
	"internal/dynamodb/control": {layer: 6, only: []string{"internal/database", "internal/dynamodb/attributejson", "internal/dynamodb/tablemodel", "internal/dynamodb/exception", "internal/security/permission"},
		never: []string{"net/http"}, doc: "the operations on tables know nothing of items"},
	"internal/dynamodb/tablemodel": {layer: 6, only: []string{"internal/database", "internal/dynamodb/exception", "internal/security/permission"}, never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/dynamodb/exception": {layer: 6, only: []string{"internal/database", "internal/dynamodb/attributejson", "internal/dynamodb/expression", "internal/security/permission"},
		never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/dynamodb/expression":    {layer: 6, only: []string{"internal/database"}, never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/dynamodb/partiql":       {layer: 6, only: []string{"internal/dynamodb/attributejson", "internal/dynamodb/expression"}, never: []string{"net/http"}, doc: "a statement is read without knowing tables"},
	"internal/dynamodb/attributejson": {layer: 6, only: []string{"internal/database"}, never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/dynamodb/attributeion":  {layer: 1, pure: true, doc: "attribute values are bytes, whatever text they come from"},
	"internal/dynamodb/itemkey":       {layer: 6, only: []string{"internal/database", "internal/dynamodb/exception", "internal/dynamodb/expression"}, never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/dynamodb/legacy": {layer: 6, only: []string{"internal/database", "internal/dynamodb/attributejson", "internal/dynamodb/exception", "internal/dynamodb/expression"},
		never: []string{"net/http"}, doc: "a dialect speaks to package database"},
	"internal/hbase":        {layer: 6, only: []string{"internal/database", "internal/security/account", "internal/security/permission", "internal/background/region", "internal/hbase/filter"}, never: []string{"net", "net/http"}, doc: "a dialect speaks to package database"},
	"internal/hbase/filter": {layer: 0, pure: true, beside: []string{"order"}, doc: "a filter is asked of rows that it is handed"},
	"internal/sql": {layer: 6, only: []string{"internal/database", "internal/security/account", "internal/security/permission", "internal/security/policy", "internal/sql/parse/token", "internal/sql/fault", "internal/rows/query", "internal/sql/parse", "internal/sql/tree", "internal/sql/datum", "internal/sql/result",
		"internal/sql/evaluate", "internal/sql/definition", "internal/sql/plan", "internal/sql/execute",
		"internal/sql/algebra", "internal/sql/explain", "internal/sql/grant", "internal/sql/modify", "internal/sql/schemas", "internal/sql/userlock", "internal/sql/variable"},
		never: []string{"net"}, doc: "a dialect speaks to package database; SQL alone may use query's operators too"},
	"internal/sql/schemas": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/result", "internal/sql/definition"},
		never: []string{"net"}, doc: "schemas runs DDL and SHOW through package database"},
	"internal/sql/modify": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/result", "internal/sql/evaluate",
		"internal/sql/definition", "internal/sql/plan", "internal/sql/operator", "internal/sql/execute"},
		never: []string{"net"}, doc: "modify writes rows through package database"},
	"internal/sql/grant":          {layer: 6, only: []string{"internal/security/account", "internal/sql/fault", "internal/sql/tree"}, doc: "grant is the wording of rights"},
	"internal/sql/userlock":       {layer: 6, only: []string{"internal/sql/fault"}, doc: "userlock is the table of GET_LOCK"},
	"internal/sql/variable":       {layer: 6, only: []string{"internal/sql/fault", "internal/sql/datum"}, doc: "variable is the table of variables and their values"},
	"internal/sql/fault":          {layer: 6, only: []string{}, pure: true, doc: "fault is the table of errors"},
	"internal/sql/datum":          {layer: 6, only: []string{"internal/sql/fault", "internal/sql/datum/jsontext"}, pure: true, doc: "datum computes with values and knows nothing else"},
	"internal/sql/datum/jsontext": {layer: 6, only: []string{}, pure: true, doc: "jsontext is texts and documents"},
	"internal/sql/result":         {layer: 6, only: []string{"internal/sql/datum"}, pure: true, doc: "result is the shape of answers"},
	"internal/sql/tree":           {layer: 6, only: []string{"internal/sql/datum"}, pure: true, doc: "a tree is plain data"},
	"internal/sql/parse": {layer: 6, only: []string{"internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/parse/token"}, pure: true,
		doc: "parse turns text into a tree and knows nothing else"},
	"internal/sql/parse/token": {layer: 6, only: []string{"internal/sql/fault", "internal/sql/tree", "internal/sql/datum"}, pure: true, doc: "tokens are of text"},
	"internal/sql/evaluate": {layer: 6, only: []string{"internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/evaluate/function", "internal/sql/evaluate/document",
		"internal/sql/evaluate/encode"}, pure: true,
		doc: "evaluate computes expressions over a row that it is handed"},
	"internal/sql/evaluate/document": {layer: 6, only: []string{"internal/sql/fault", "internal/sql/datum", "internal/sql/datum/jsontext", "internal/sql/evaluate/function"}, pure: true,
		doc: "document's functions compute from values"},
	"internal/sql/evaluate/encode":   {layer: 6, only: []string{"internal/sql/datum", "internal/sql/evaluate/function"}, pure: true, doc: "encode's functions compute from values"},
	"internal/sql/evaluate/function": {layer: 6, only: []string{"internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/datum/jsontext"}, pure: true, doc: "functions compute from values"},
	"internal/sql/definition": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/parse"},
		never: []string{"net"}, doc: "a definition is a table as SQL sees it"},
	"internal/sql/plan": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/rows/access", "internal/rows/query", "internal/sql/tree", "internal/sql/datum", "internal/sql/result", "internal/sql/evaluate",
		"internal/sql/definition"},
		never: []string{"net"}, doc: "a dialect speaks to package database; SQL alone may use query's operators too"},
	"internal/sql/algebra": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/result", "internal/sql/evaluate",
		"internal/sql/definition", "internal/sql/plan"},
		never: []string{"net"}, doc: "algebra plans what others run"},
	"internal/sql/operator": {layer: 6, only: []string{"internal/sql/fault", "internal/rows/query", "internal/sql/tree", "internal/sql/datum", "internal/sql/evaluate"},
		never: []string{"net"}, doc: "operators know rows and programs, not tables and plans"},
	"internal/sql/execute": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/rows/query", "internal/sql/tree", "internal/sql/datum", "internal/sql/result", "internal/sql/evaluate",
		"internal/sql/definition", "internal/sql/plan", "internal/sql/operator", "internal/sql/algebra"},
		never: []string{"net"}, doc: "a dialect speaks to package database; SQL alone may use query's operators too"},
	"internal/sql/explain": {layer: 6, only: []string{"internal/database", "internal/sql/fault", "internal/sql/tree", "internal/sql/datum", "internal/sql/result", "internal/sql/evaluate", "internal/sql/plan",
		"internal/sql/algebra", "internal/sql/execute"},
		never: []string{"net"}, doc: "explain words what plan decides and execute did"},
	"internal/advice/advisor": {layer: 6, only: []string{"internal/advice/advisor/bitorder", "internal/advice/advisor/design", "internal/advice/advisor/valueformat", "internal/advice/advisor/report"}, pure: true,
		doc: "the advisor judges what it is handed"},
	"internal/advice/advisor/bitorder":    {layer: 6, only: []string{"internal/advice/advisor/valueformat"}, pure: true, doc: "curves are tried on codes"},
	"internal/advice/advisor/design":      {layer: 6, only: []string{}, pure: true, doc: "a design is plain data"},
	"internal/advice/advisor/valueformat": {layer: 6, only: []string{}, pure: true, doc: "forms are of texts and numbers"},
	"internal/advice/advisor/report":      {layer: 6, only: []string{}, pure: true, doc: "a report is plain data"},

	"internal/files/bulkload": {layer: 6, only: []string{"internal/database", "internal/files/ingest", "internal/files/parquetfile", "internal/dynamodb/attributejson", "internal/dynamodb/attributeion"}, never: []string{"net/http"}, doc: "a load uses package weft, and hands it entries as ingest derives them"},

	"internal/files/parquetfile": {layer: 6, only: []string{"internal/dynamodb/attributejson"}, never: []string{"net/http"}, doc: "a file is of rows, whatever table they are of"},
	"internal/files/archive":     {layer: 6, only: []string{"internal/database", "internal/files/bulkload", "internal/files/parquetfile", "internal/dynamodb/attributejson"}, never: []string{"net/http"}, doc: "an archive is of tables, as package database has them"},

	"internal/advice/survey": {layer: 6, only: []string{"internal/database", "internal/advice/advisor/design"}, doc: "a survey gathers what the advisor is handed"},

	"internal/server/dynamohttp": {layer: 7, doc: "a server decodes one protocol and hands it to its dialect",
		only: []string{"internal/database", "internal/dynamodb", "internal/dynamodb/exception", "internal/dynamodb/expression", "internal/dynamodb/attributejson", "internal/security/permission", "internal/security/signature"}},
	"internal/server/hbasethrift": {layer: 7, doc: "a server decodes one protocol and hands it to its dialect",
		only: []string{"internal/database", "internal/hbase", "internal/hbase/filter", "internal/security/permission"}},
	"internal/server/mysqlwire": {layer: 7, doc: "a server decodes one protocol and hands it to its dialect",
		only: []string{"internal/database", "internal/sql", "internal/sql/datum", "internal/sql/fault", "internal/sql/result", "internal/server/mysqlwire/packet"}},
	"internal/server/mysqlwire/packet": {layer: 7, doc: "packets are bytes and values", only: []string{"internal/sql/datum", "internal/sql/fault", "internal/sql/result"}},
	"internal/server/hbasejson":        {layer: 7, doc: "a server decodes one protocol and hands it to its dialect", only: []string{"internal/database", "internal/hbase", "internal/hbase/filter", "internal/security/permission"}},
	"internal/server/sqljson":          {layer: 7, doc: "a server decodes one protocol and hands it to its dialect", only: []string{"internal/sql", "internal/sql/datum", "internal/sql/fault", "internal/sql/result"}},
	"internal/server/console": {layer: 7, doc: "the console sees data through package database, as every protocol does",
		only: []string{"internal/database", "internal/advice/advisor", "internal/advice/advisor/design", "internal/advice/advisor/report", "internal/dynamodb", "internal/dynamodb/attributejson", "internal/sql"}},

	"weftsql": {layer: cmdLayer, only: []string{".", "internal/sql", "internal/sql/datum", "internal/sql/fault", "internal/sql/result"},
		never: []string{"net", "net/http"}, doc: "a driver hands statements to sessions, and opens the databases that a data source names"},

	"weftdynamo": {layer: cmdLayer, only: []string{".", "internal/dynamodb", "internal/server/dynamohttp"}, doc: "a handler puts the API and its HTTP side together"},

	"cmd/weft":               {layer: cmdLayer, beside: []string{"cmd/weft/storecommand", "cmd/weft/heatpage", "cmd/weft/tablepage", "cmd/weft/endpoint", "cmd/weft/streamcommand"}},
	"cmd/weft/endpoint":      {layer: cmdLayer, only: []string{}, doc: "a port knows nothing of its protocol"},
	"cmd/weft/storecommand":  {layer: cmdLayer, only: []string{"internal/database", "kv", "internal/files/archive", "internal/files/bulkload", "internal/hbase", "internal/sql/datum", "internal/sql/definition", "internal/files/transfer"}, doc: "the commands work on stores that they are handed"},
	"cmd/weft/tablepage":     {layer: cmdLayer, only: []string{"internal/database", "internal/hbase", "internal/sql/datum", "internal/sql/definition"}, doc: "package database says how tables lie, package hbase what families are, and SQL's definitions what columns are"},
	"cmd/weft/streamcommand": {layer: cmdLayer, only: []string{"internal/dynamodb/streamreader", "internal/dynamodb/remote", "internal/security/signature"}, doc: "the commands read streams from a server"},
	"cmd/weft/heatpage":      {layer: cmdLayer, doc: "heat and the schema say which keys are hot"},

	"wefttest":                      {layer: testLayer},
	"internal/testing/lint":         {layer: testLayer},
	"internal/testing/testdb":       {layer: testLayer},
	"internal/testing/rounds":       {layer: testLayer},
	"storage/storagetest":           {layer: testLayer},
	"internal/testing/teststore":    {layer: testLayer},
	"internal/data/value/valuetest": {layer: testLayer},
	"kv/tikv/tikvtest":              {layer: testLayer},
}

// trees are folders below which every package is in layer testLayer.
var trees = []string{"bench", "test", "examples"}

// testSupport are the packages that may import package testing and name engines outside of test files; lengths are not limited there.
var testSupport = []string{"wefttest", "kv/kvtest", "kv/tikv/tikvtest", "storage/storagetest", "internal/testing/testdb", "internal/testing/teststore", "internal/testing/rounds", "internal/testing/lint", "internal/data/value/valuetest"}

// library says which packages may import a module from outside. A folder hides a technology, and nothing else imports it.
type library struct {
	prefix  string
	folders []string // folders and everything below them; empty means only tests and test support
}

// libraries must list every module imported directly. Each also has a line in CONTRIBUTING.md that says why it is there.
var libraries = []library{
	{"filippo.io/age", []string{"cmd/weft"}},
	{"github.com/anishathalye/porcupine", nil},
	{"github.com/apache/thrift", nil},
	{"github.com/aws/", []string{"zorder/zdynamo"}},
	{"github.com/blevesearch/", []string{"internal/index/search"}},
	{"github.com/cespare/xxhash/v2", []string{"."}},
	{"github.com/cockroachdb/datadriven", nil},
	{"github.com/cockroachdb/errors", []string{"kv/pebble"}},
	{"github.com/cockroachdb/pebble/v2", []string{"kv/pebble"}},
	{"github.com/dolthub/", []string{"test/judges"}},
	{"github.com/jmoiron/sqlx", []string{"test/clients/orms"}},
	{"github.com/uptrace/", []string{"test/clients/orms"}},
	{"gorm.io/", []string{"test/clients/orms"}},
	{"xorm.io/", []string{"test/clients/orms"}},
	{"github.com/go-ego/gse", []string{"internal/index/search"}},
	{"github.com/go-sql-driver/mysql", nil},
	{"github.com/google/uuid", []string{"."}},
	{"github.com/klauspost/compress", []string{"internal/server", "internal/files/bulkload", "internal/history/backup", "internal/history/tablecopy", "internal/files/archive", "internal/files/parquetfile"}},
	{"github.com/minio/minio-go/v7", []string{"storage/s3"}},
	{"github.com/parquet-go/parquet-go", []string{"internal/files/parquetfile"}},
	{"github.com/pelletier/go-toml/v2", []string{"cmd/weft"}},
	{"github.com/pingcap/", []string{"kv/tikv"}},
	{"github.com/prometheus/", []string{"internal/resource/metric", "internal/server/console"}},
	{"github.com/spf13/", []string{"cmd/weft"}},
	{"github.com/tidwall/btree", []string{"kv"}},
	{"github.com/tikv/", []string{"kv/tikv"}},
	{"go.uber.org/goleak", nil},
	{"go.uber.org/zap", []string{"kv/tikv"}},
	{"golang.org/x/sys", []string{"kv/pebble", "cmd/weft"}},
	{"golang.org/x/term", []string{"cmd/weft"}},
	{"golang.org/x/text", []string{"zorder/codec", "internal/index/search"}},
	{"google.golang.org/grpc", []string{"kv/tikv"}},
	{"google.golang.org/protobuf", []string{"internal/hbase/filter"}},
	{"modernc.org/sqlite", nil},
}
