// SPDX-License-Identifier: Apache-2.0

package metric

import "github.com/prometheus/client_golang/prometheus"

// kind is how an instrument's number behaves.
type kind string

const (
	counter   kind = "counter"   // only grows
	gauge     kind = "gauge"     // goes up and down
	histogram kind = "histogram" // counts observations in buckets
)

// instrument is one metric's declaration.
type instrument struct {
	name   string
	kind   kind
	labels []string
	help   string
}

func (d instrument) desc() *prometheus.Desc {
	return prometheus.NewDesc(d.name, d.help, d.labels, nil)
}

// Declarations, immutable. Units stand in the name: seconds, bytes, or the thing that is counted.
var (
	requests          = instrument{"weft_requests_total", counter, []string{"door", "operation", "outcome"}, "Requests answered."}
	requestSeconds    = instrument{"weft_request_duration_seconds", histogram, []string{"door", "operation", "outcome"}, "Time from a request's arrival to the end of its reply."}
	requestsInFlight  = instrument{"weft_requests_in_flight", gauge, []string{"door"}, "Requests being worked on now."}
	requestBytes      = instrument{"weft_request_bytes_total", counter, []string{"door", "operation"}, "Bytes of requests received, without transport headers."}
	responseBytes     = instrument{"weft_response_bytes_total", counter, []string{"door", "operation"}, "Bytes of replies sent, without transport headers."}
	itemsExamined     = instrument{"weft_items_examined_total", counter, []string{"door", "operation"}, "Items read from the store, whether or not a filter kept them."}
	itemsReturned     = instrument{"weft_items_returned_total", counter, []string{"door", "operation"}, "Items that were part of a reply."}
	walkSeeks         = instrument{"weft_walk_seeks_total", counter, []string{"door", "operation"}, "Places where the walk over an index began to read."}
	walkJumps         = instrument{"weft_walk_jumps_total", counter, []string{"door", "operation"}, "Of weft_walk_seeks_total, those over entries of a Z-order index that can't match."}
	walkFalse         = instrument{"weft_walk_false_positives_total", counter, []string{"door", "operation"}, "Index entries that were looked at and not returned."}
	conditionFailures = instrument{"weft_conditional_check_failures_total", counter, []string{"door", "operation"}, "Writes refused because their condition did not hold."}
	conflicts         = instrument{"weft_transaction_conflicts_total", counter, []string{"door", "operation"}, "Requests that failed because another transaction was first."}
	sqlErrors         = instrument{"weft_sql_errors_total", counter, []string{"code"}, "Statements of the MySQL door that ended in an error, by MySQL's number of it."}
	sqlPlansKept      = instrument{"weft_sql_plan_cache_hits_total", counter, nil, "Statements of the MySQL door whose plan was kept from an earlier one."}
	sqlPlansMade      = instrument{"weft_sql_plan_cache_misses_total", counter, nil, "Statements of the MySQL door that were compiled. Many, beside hits, mean texts that differ in more than values."}
	sqlRowsWritten    = instrument{"weft_sql_rows_written_total", counter, []string{"operation"}, "Rows affected by statements of the MySQL door, as MySQL counts them."}
	sqlMemory         = instrument{"weft_sql_memory_bytes", gauge, nil, "Bytes that clients and statements of the MySQL door hold: packets, statements, kept plans, prepared statements, open transactions, sorts, groups and joins, as estimated."}
	sqlMemoryMax      = instrument{"weft_sql_memory_limit_bytes", gauge, nil, "The most that weft_sql_memory_bytes may be: --sql-memory."}
	sqlMemoryRefused  = instrument{"weft_sql_memory_refused_total", counter, nil, "Times that memory of the MySQL door was asked for and none was free. Sorts and groups go on on disk then; other statements end in error 1038 or 1041."}
	itemsExpired      = instrument{"weft_items_expired_total", counter, []string{"table"}, "Items deleted because their time had come."}
	entriesLive       = instrument{"weft_entries_live_total", counter, []string{"table", "index"}, "Entries that walks over tables with TTL or VERSIONS have met and shown; the index is empty for the table itself."}
	entriesDead       = instrument{"weft_entries_dead_total", counter, []string{"table", "index"}, "Entries that such walks have met and passed over because they were deleted or had ended. More than weft_entries_live_total: compact the table."}
	connectionsOpen   = instrument{"weft_connections_open", gauge, []string{"door"}, "Connections open now."}
	connections       = instrument{"weft_connections_total", counter, []string{"door"}, "Connections accepted."}
	refusals          = instrument{"weft_connections_refused_total", counter, []string{"door"}, "Connections refused because too many were open: more than the door takes, or than the limit of open files leaves room for."}
	panics            = instrument{"weft_panics_total", counter, []string{"door"}, "Requests ended by a bug. Any number but 0 deserves a report; the log has the stack."}

	engineDisk          = instrument{"weft_engine_disk_bytes", gauge, []string{"engine"}, "Bytes the store takes on disk."}
	engineDiskFree      = instrument{"weft_engine_disk_free_bytes", gauge, []string{"engine"}, "Bytes free on the store's disk."}
	engineReadOnly      = instrument{"weft_engine_read_only", gauge, []string{"engine"}, "1 while the store takes no writes because the disk is nearly full, else 0."}
	engineCacheBytes    = instrument{"weft_engine_cache_bytes", gauge, []string{"engine"}, "Bytes in the block cache."}
	engineCacheHits     = instrument{"weft_engine_cache_hits_total", counter, []string{"engine"}, "Blocks found in the cache."}
	engineCacheMisses   = instrument{"weft_engine_cache_misses_total", counter, []string{"engine"}, "Blocks read from disk."}
	engineMemtable      = instrument{"weft_engine_memtable_bytes", gauge, []string{"engine"}, "Bytes of commits that are in memory and in the write-ahead log only."}
	engineTransactions  = instrument{"weft_engine_transactions_open", gauge, []string{"engine"}, "Transactions open now."}
	engineLogBytes      = instrument{"weft_engine_log_bytes_total", counter, []string{"engine"}, "Bytes written to the write-ahead log."}
	engineFlushed       = instrument{"weft_engine_flushed_bytes_total", counter, []string{"engine"}, "Bytes written from memory to sorted files."}
	engineCompacted     = instrument{"weft_engine_compacted_bytes_total", counter, []string{"engine"}, "Bytes rewritten by compaction."}
	engineDebt          = instrument{"weft_engine_compaction_debt_bytes", gauge, []string{"engine"}, "Estimated bytes that compaction still has to rewrite."}
	engineStalls        = instrument{"weft_engine_write_stalls_total", counter, []string{"engine"}, "Times that writes had to wait for compaction or flushes."}
	engineReadAmplified = instrument{"weft_engine_read_amplification", gauge, []string{"engine"}, "Sorted runs that one read may have to look into."}
	engineSnapshots     = instrument{"weft_engine_snapshots_open", gauge, []string{"engine"}, "Snapshots and cursors open now. One that stays open keeps deleted entries on disk."}
	engineSyncs         = instrument{"weft_engine_log_sync_seconds", histogram, []string{"engine"}, "Time that the disk took to make the write-ahead log durable. Every commit waits for one of these."}
	engineErrors        = instrument{"weft_engine_background_errors_total", counter, []string{"engine"}, "Flushes and compactions that failed; they are tried again."}
	engineCorruptions   = instrument{"weft_engine_corruptions_total", counter, []string{"engine"}, "Blocks whose checksum was wrong. Any number but 0: replace the disk, restore a backup."}

	heatFindings = instrument{"weft_heat_findings", gauge, []string{"kind", "table", "index"}, "What the requests of the last minutes look like: 1 for a finding that costs already, 0.5 for one that may, 0 for an even load; `weft hot` has the text."}
	heatReads    = instrument{"weft_heat_reads_per_second", gauge, []string{"table", "index"}, "Entries read a second in the last minutes; the index is empty for the table itself."}
	heatWrites   = instrument{"weft_heat_writes_per_second", gauge, []string{"table", "index"}, "Entries written a second in the last minutes."}
	deadPerLive  = instrument{"weft_entries_dead_per_live", gauge, []string{"table", "index"}, "weft_entries_dead_total for each of weft_entries_live_total. From 1 on walks are slow: give the table a TTL, shorten COMPACTION_MAJOR_PERIOD, or compact it."}
	regionBytes  = instrument{"weft_region_bytes", gauge, []string{"table", "index", "region"}, "Bytes on disk of a region, about, as of the last minute: of the 500 largest ones. The index is empty for the table itself."}
	watched      = instrument{"weft_watch_ratio", gauge, []string{"what"}, "How much of what there is is in use: cpu, network, disk, files (of the most that a region may have), compaction (bytes to rewrite, of those on disk)."}
	watchLevel   = instrument{"weft_watch_level", gauge, []string{"what"}, "0 fine; 1 warning, from 75 %; 2 critical, from 95 %. For files: 1 from 50 of a region on, 2 from 200 on."}

	jobDone  = instrument{"weft_job_items_done", gauge, []string{"job", "table", "object"}, "Items a running job has been through."}
	jobTotal = instrument{"weft_job_items_expected", gauge, []string{"job", "table", "object"}, "Estimated items a running job will go through; 0 if unknown."}

	gatewayLease      = instrument{"weft_gateway_has_lease", gauge, nil, "1 while this gateway has its lease and answers requests, else 0. Only where several can share the store."}
	gatewayAge        = instrument{"weft_gateway_lease_age_seconds", gauge, nil, "Time since the lease was renewed: about a quarter of its length at most. One that grows ends in a lost lease."}
	gatewayLost       = instrument{"weft_gateway_leases_lost_total", counter, nil, "Times that the lease was lost: the process stood still, or the cluster could not be reached."}
	gatewayGeneration = instrument{"weft_gateway_catalog_generation", gauge, nil, "Changes of the schema that this gateway has installed. One that stays behind the others' holds up changes."}
	gatewayOwner      = instrument{"weft_gateway_owns_work", gauge, []string{"work"}, "1 for background work that this gateway does for all: jobs, expiry, rebuilds."}

	buildInfo = instrument{"weft_build_info", gauge, []string{"version", "revision", "go_version"}, "Always 1; the labels say what is running."}
)

// instruments lists every declaration in the order of the document.
func instruments() []instrument {
	return []instrument{
		requests, requestSeconds, requestsInFlight, requestBytes, responseBytes, itemsExamined, itemsReturned,
		walkSeeks, walkJumps, walkFalse, conditionFailures, conflicts,
		sqlErrors, sqlPlansKept, sqlPlansMade, sqlRowsWritten, sqlMemory, sqlMemoryMax, sqlMemoryRefused, itemsExpired, entriesLive, entriesDead, connectionsOpen, connections, refusals, panics,
		engineDisk, engineDiskFree, engineReadOnly, engineCacheBytes, engineCacheHits, engineCacheMisses, engineMemtable, engineLogBytes,
		engineSyncs, engineFlushed, engineCompacted, engineDebt, engineStalls, engineReadAmplified, engineTransactions, engineSnapshots,
		engineErrors, engineCorruptions,
		heatFindings, heatReads, heatWrites, deadPerLive, regionBytes, watched, watchLevel, jobDone, jobTotal,
		gatewayLease, gatewayAge, gatewayLost, gatewayGeneration, gatewayOwner, buildInfo,
	}
}

// durationBuckets go from 100 microseconds (a point read from memory) to 60 seconds (an analytic query), about 2.5 times wider each: immutable.
var durationBuckets = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
