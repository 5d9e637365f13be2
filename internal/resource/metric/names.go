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
	requests = instrument{"weft_requests_total", counter, []string{"protocol", "operation", "outcome"},
		"Requests answered."}
	requestSeconds = instrument{"weft_request_duration_seconds", histogram,
		[]string{"protocol", "operation", "outcome"}, "Time from the arrival of a request to the end of its reply."}
	requestsInFlight = instrument{"weft_requests_in_flight", gauge, []string{"protocol"}, "Requests in progress."}
	requestBytes     = instrument{"weft_request_bytes_total", counter, []string{"protocol", "operation"},
		"Bytes of requests received, without transport headers."}
	responseBytes = instrument{"weft_response_bytes_total", counter, []string{"protocol", "operation"},
		"Bytes of replies sent, without transport headers."}
	itemsExamined = instrument{"weft_items_examined_total", counter, []string{"protocol", "operation"},
		"Items read from the store, before filters."}
	itemsReturned = instrument{"weft_items_returned_total", counter, []string{"protocol", "operation"},
		"Items returned in replies."}
	walkSeeks = instrument{"weft_walk_seeks_total", counter, []string{"protocol", "operation"},
		"Seeks of scans over tables and indexes."}
	walkJumps = instrument{"weft_walk_jumps_total", counter, []string{"protocol", "operation"},
		"Those of weft_walk_seeks_total that skipped entries of a Z-order index that can't match."}
	walkFalse = instrument{"weft_walk_false_positives_total", counter, []string{"protocol", "operation"},
		"Index entries examined but not returned."}
	conditionFailures = instrument{"weft_conditional_check_failures_total", counter, []string{"protocol", "operation"},
		"Writes refused because their condition did not hold."}
	conflicts = instrument{"weft_transaction_conflicts_total", counter, []string{"protocol", "operation"},
		"Requests that failed because of a conflict with another transaction."}
	throttledRequests = instrument{"weft_throttled_requests_total", counter, []string{"table", "operation", "effect"},
		"Requests of DynamoDB's API that exceeded a limit of throughput as a whole (--throttle). The effect is refused, or reported if they were answered all the same."}
	throttleEvents = instrument{"weft_throttle_events_total", counter, []string{"table", "index", "reason", "effect"},
		"Reads and writes of DynamoDB's API that exceeded a limit of throughput, each item of a batch by itself. The reason is AWS's, such as TableReadProvisionedThroughputExceeded."}
	capacityUnits = instrument{"weft_capacity_units_total", counter, []string{"table", "index", "direction"},
		"Capacity units that DynamoDB's API has taken from a table or a global index (--throttle). The index is empty for the table itself; the direction is Read or Write."}
	sqlErrors = instrument{"weft_sql_errors_total", counter, []string{"code"},
		"SQL statements that ended in an error, by MySQL's error code."}
	sqlPlansKept = instrument{"weft_sql_plan_cache_hits_total", counter, nil,
		"SQL statements that used a cached plan."}
	sqlPlansMade = instrument{"weft_sql_plan_cache_misses_total", counter, nil,
		"SQL statements that were compiled. A high share means that statements differ in more than their values."}
	sqlRowsWritten = instrument{"weft_sql_rows_written_total", counter, []string{"operation"},
		"Rows affected by SQL statements, as MySQL counts them."}
	sqlMemory = instrument{"weft_sql_memory_bytes", gauge, nil,
		"Estimated bytes that MySQL clients and statements hold: packets, statements, cached plans, prepared statements, open transactions, sorts, groups and joins."}
	sqlMemoryMax = instrument{"weft_sql_memory_limit_bytes", gauge, nil,
		"Limit of weft_sql_memory_bytes (--sql-memory)."}
	sqlMemoryRefused = instrument{"weft_sql_memory_refused_total", counter, nil,
		"Times that SQL asked for memory and the limit was reached. Sorts and groups then spill to disk; other statements end in error 1038 or 1041."}
	memoryShare = instrument{"weft_memory_share_bytes", gauge, []string{"part"},
		"Bytes of memory that a part of the process may take: blocks read from files, writes that are not in files yet, requests, statements of SQL, and the program with its garbage (--memory)."}
	itemsExpired = instrument{"weft_items_expired_total", counter, []string{"table"},
		"Items deleted because they had expired."}
	entriesLive = instrument{"weft_entries_live_total", counter, []string{"table", "index"},
		"Entries that scans of tables with TTL or VERSIONS found live. The index is empty for the table itself."}
	entriesDead = instrument{"weft_entries_dead_total", counter, []string{"table", "index"},
		"Entries that such scans skipped because they were deleted or expired. Compact the table if this exceeds weft_entries_live_total."}
	connectionsOpen = instrument{"weft_connections_open", gauge, []string{"protocol"}, "Open connections."}
	connections     = instrument{"weft_connections_total", counter, []string{"protocol"}, "Connections accepted."}
	refusals        = instrument{"weft_connections_refused_total", counter, []string{"protocol"},
		"Connections refused because the limit on connections or on open files was reached."}
	panics = instrument{"weft_panics_total", counter, []string{"protocol"},
		"Requests that ended in a bug. Report any value other than 0 with the stack from the log."}

	engineDisk     = instrument{"weft_engine_disk_bytes", gauge, []string{"engine"}, "Bytes of the store on disk."}
	engineDiskFree = instrument{"weft_engine_disk_free_bytes", gauge, []string{"engine"},
		"Free bytes on the store's disk."}
	engineReadOnly = instrument{"weft_engine_read_only", gauge, []string{"engine"},
		"1 while the store refuses writes because the disk is nearly full, else 0."}
	engineCacheBytes = instrument{"weft_engine_cache_bytes", gauge, []string{"engine"}, "Bytes in the block cache."}
	engineCacheHits  = instrument{"weft_engine_cache_hits_total", counter, []string{"engine"},
		"Blocks found in the cache."}
	engineCacheMisses = instrument{"weft_engine_cache_misses_total", counter, []string{"engine"},
		"Blocks read from disk."}
	engineMemtable = instrument{"weft_engine_memtable_bytes", gauge, []string{"engine"},
		"Bytes of commits that are only in memory and in the write-ahead log."}
	engineTransactions = instrument{"weft_engine_transactions_open", gauge, []string{"engine"}, "Open transactions."}
	engineLogBytes     = instrument{"weft_engine_log_bytes_total", counter, []string{"engine"},
		"Bytes written to the write-ahead log."}
	engineFlushed = instrument{"weft_engine_flushed_bytes_total", counter, []string{"engine"},
		"Bytes written from memory to sorted files."}
	engineCompacted = instrument{"weft_engine_compacted_bytes_total", counter, []string{"engine"},
		"Bytes rewritten by compaction."}
	engineDebt = instrument{"weft_engine_compaction_debt_bytes", gauge, []string{"engine"},
		"Estimated bytes that compaction still has to rewrite."}
	engineStalls = instrument{"weft_engine_write_stalls_total", counter, []string{"engine"},
		"Times that writes waited for compactions or flushes."}
	engineReadAmplified = instrument{"weft_engine_read_amplification", gauge, []string{"engine"},
		"Sorted runs that one read may have to search."}
	engineSnapshots = instrument{"weft_engine_snapshots_open", gauge, []string{"engine"},
		"Open snapshots and cursors. One that stays open keeps deleted entries on disk."}
	engineSyncs = instrument{"weft_engine_log_sync_seconds", histogram, []string{"engine"},
		"Time of one sync of the write-ahead log. Every commit waits for one."}
	engineErrors = instrument{"weft_engine_background_errors_total", counter, []string{"engine"},
		"Flushes and compactions that failed. They are retried."}
	engineCorruptions = instrument{"weft_engine_corruptions_total", counter, []string{"engine"},
		"Blocks with a wrong checksum. If this is not 0, replace the disk and restore a backup."}

	heatFindings = instrument{"weft_heat_findings", gauge, []string{"kind", "table", "index"},
		"Findings about the requests of the last minutes: 1 for one that costs now, 0.5 for one that may, 0 for an even load. `weft hot` prints the text."}
	heatReads = instrument{"weft_heat_reads_per_second", gauge, []string{"table", "index"},
		"Entries read per second in the last minutes. The index is empty for the table itself."}
	heatWrites = instrument{"weft_heat_writes_per_second", gauge, []string{"table", "index"},
		"Entries written per second in the last minutes."}
	deadPerLive = instrument{"weft_entries_dead_per_live", gauge, []string{"table", "index"},
		"Dead entries per live one. At 1 and above, scans are slow: give the table a TTL, shorten COMPACTION_MAJOR_PERIOD, or compact it."}
	regionBytes = instrument{"weft_region_bytes", gauge, []string{"table", "index", "region"},
		"Estimated bytes on disk of each of the 500 largest regions, updated every minute. The index is empty for the table itself."}
	watched = instrument{"weft_watch_ratio", gauge, []string{"resource"},
		"Share of a resource in use: cpu, network, disk, files (sorted runs of a region, of the most it may have), compaction (bytes to rewrite, of those on disk)."}
	watchLevel = instrument{"weft_watch_level", gauge, []string{"resource"},
		"0 is fine, 1 a warning (from 75 %), 2 critical (from 95 %). For files: 1 from 50 in a region, 2 from 200."}

	jobDone = instrument{"weft_job_items_done", gauge, []string{"job", "table", "object"},
		"Items that a running job has processed."}
	jobTotal = instrument{"weft_job_items_expected", gauge, []string{"job", "table", "object"},
		"Estimated items that a running job will process in total; 0 if unknown."}

	searchLag = instrument{"weft_search_lag_seconds", gauge, []string{"database", "table"},
		"Age of the oldest change that the asynchronous search indexes of a table have not followed yet; 0 if they have followed all. Of several gateways, the one that brings them up to date tells."}
	searchWaiting = instrument{"weft_search_changes_waiting", gauge, []string{"database", "table"},
		"Changes that the asynchronous search indexes of a table have not followed yet, counted up to 10,000."}

	gatewayLease = instrument{"weft_gateway_has_lease", gauge, nil,
		"1 while this gateway holds its lease and answers requests, else 0. Only on a store that gateways share."}
	gatewayAge = instrument{"weft_gateway_lease_age_seconds", gauge, nil,
		"Time since the lease was renewed, normally at most a fifth of its length. If it keeps growing, the lease will be lost."}
	gatewayLost = instrument{"weft_gateway_leases_lost_total", counter, nil,
		"Times that the lease was lost because the process paused or could not reach the cluster."}
	gatewayGeneration = instrument{"weft_gateway_catalog_generation", gauge, nil,
		"Generation of the schema that this gateway has installed. A gateway that stays behind delays schema changes."}
	gatewayOwner = instrument{"weft_gateway_owns_work", gauge, []string{"work"},
		"1 for background work that this gateway does for all gateways, of which docs/gateways.md has a list."}

	shipBehind = instrument{"weft_ship_behind_seconds", gauge, nil,
		"Age of the newest moment that can be restored from --ship: about what the loss of this machine would lose. It grows while the destination is unreachable and until the first backup after a start is made."}
	shipSegments = instrument{"weft_ship_segments_total", counter, nil, "Objects with changes that were shipped."}
	shipBytes    = instrument{"weft_ship_bytes_total", counter, nil, "Bytes of changes that were shipped, compressed."}
	shipBackups  = instrument{"weft_ship_backups_total", counter, nil, "Backups that were made to ship changes after."}
	shipFailures = instrument{"weft_ship_failures_total", counter, nil,
		"Requests to the place of --ship that failed. They are retried."}
	shipChains = instrument{"weft_ship_chains_total", counter, nil,
		"Chains of changes begun since the start. Each one after the first says that moments before it are out of reach: the place was away for long, or a table was loaded or restored in one step."}

	buildInfo = instrument{"weft_build_info", gauge, []string{"version", "revision", "go_version"},
		"Always 1. The labels name the running build."}
)

// instruments lists every declaration in the order of the document.
func instruments() []instrument {
	return []instrument{
		requests, requestSeconds, requestsInFlight, requestBytes, responseBytes, itemsExamined, itemsReturned,
		walkSeeks, walkJumps, walkFalse, conditionFailures, conflicts,
		throttledRequests, throttleEvents, capacityUnits,
		sqlErrors, sqlPlansKept, sqlPlansMade, sqlRowsWritten, sqlMemory, sqlMemoryMax, sqlMemoryRefused, memoryShare,
		itemsExpired,
		entriesLive, entriesDead, connectionsOpen, connections, refusals, panics,
		engineDisk, engineDiskFree, engineReadOnly, engineCacheBytes, engineCacheHits, engineCacheMisses,
		engineMemtable, engineLogBytes,
		engineSyncs, engineFlushed, engineCompacted, engineDebt, engineStalls, engineReadAmplified, engineTransactions,
		engineSnapshots,
		engineErrors, engineCorruptions,
		heatFindings, heatReads, heatWrites, deadPerLive, regionBytes, watched, watchLevel, jobDone, jobTotal,
		searchLag, searchWaiting,
		gatewayLease, gatewayAge, gatewayLost, gatewayGeneration, gatewayOwner,
		shipBehind, shipSegments, shipBytes, shipBackups, shipFailures, shipChains, buildInfo,
	}
}

// durationBuckets go from 100 microseconds (a point read from memory) to 60 seconds (an analytic query), about 2.5
// times wider each: immutable.
var durationBuckets = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
	2.5, 5, 10, 30, 60}
