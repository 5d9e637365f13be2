-- The health check, and the session's time zone as the data source sets it.
SELECT 1;
SET time_zone = '+00:00';
SELECT @@session.time_zone, @@session.transaction_read_only, @@max_allowed_packet > 0;
-- The query builder: databases, tables, columns.
SELECT DISTINCT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_TYPE != 'SYSTEM VIEW' AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'performance_schema') ORDER BY TABLE_SCHEMA;
SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY table_name;
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'metric' ORDER BY column_name;
SELECT column_name FROM information_schema.columns WHERE table_schema = database() AND table_name = 'metric' AND data_type IN ('timestamp', 'datetime') ORDER BY ordinal_position;
-- What the builder proposes first.
SELECT table_name AS table_name, ( SELECT column_name AS column_name FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.data_type IN ('timestamp', 'datetime') ORDER BY ordinal_position LIMIT 1 ) AS time_column, ( SELECT column_name AS column_name FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.data_type IN('float', 'int', 'bigint') ORDER BY ordinal_position LIMIT 1 ) AS value_column FROM information_schema.tables t WHERE t.table_schema = database() AND EXISTS ( SELECT 1 FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.data_type IN ('timestamp', 'datetime') ) AND EXISTS ( SELECT 1 FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.data_type IN('float', 'int', 'bigint') ) ORDER BY table_name LIMIT 1;
-- $__time, $__timeEpoch, $__timeFilter, $__timeFrom, $__timeTo.
SELECT UNIX_TIMESTAMP(at) as time_sec, value as value, host as metric FROM metric WHERE at BETWEEN FROM_UNIXTIME(1710053890) AND FROM_UNIXTIME(1710066600) ORDER BY at ASC;
SELECT at AS time, value FROM metric WHERE at >= FROM_UNIXTIME(1710054000) AND at <= FROM_UNIXTIME(1710054300) ORDER BY at;
SELECT at, value FROM metric WHERE at BETWEEN '2024-03-10T06:58:00Z' AND '2024-03-10T07:00:00Z' ORDER BY at;
-- $__timeGroup, $__timeGroupAlias, with GROUP BY names, numbers and the expression.
SELECT UNIX_TIMESTAMP(at) DIV 300 * 300 AS "time", host AS metric, avg(value) AS "value" FROM metric WHERE at BETWEEN FROM_UNIXTIME(1710053890) AND FROM_UNIXTIME(1710066600) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT UNIX_TIMESTAMP(at) DIV 3600 * 3600 AS "time", max(value) AS hot, min(value) AS cold, count(*) AS n FROM metric GROUP BY time ORDER BY time;
SELECT UNIX_TIMESTAMP(at) DIV 86400 * 86400 AS "time", sum(value), stddev(value) FROM metric WHERE host IN ('a','b') GROUP BY UNIX_TIMESTAMP(at) DIV 86400 * 86400, host HAVING count(*) > 1 ORDER BY 1;
-- $__unixEpochFilter, $__unixEpochNanoFilter, $__unixEpochGroup.
SELECT epoch AS time, value FROM metric WHERE epoch >= 1710053999 AND epoch <= 1710054300 ORDER BY epoch;
SELECT nanos AS time, value FROM metric WHERE nanos >= 1710053999000000002 AND nanos <= 1710054300000000005 ORDER BY 1;
SELECT epoch DIV 300 * 300 AS "time", count(value) AS value FROM metric WHERE epoch >= 1710053890 AND epoch <= 1710066600 GROUP BY 1 ORDER BY 1;
-- Annotations, variables, tables, alerts.
SELECT UNIX_TIMESTAMP(at) AS time, UNIX_TIMESTAMP(at) + 60 AS timeend, host AS text, tags FROM metric WHERE at BETWEEN FROM_UNIXTIME(1710053890) AND FROM_UNIXTIME(1710066600) AND tags <> '' ORDER BY time;
SELECT host AS __text, max(id) AS __value FROM metric GROUP BY host ORDER BY host;
SELECT DISTINCT host FROM metric WHERE host REGEXP '^[ab]$' ORDER BY host DESC LIMIT 10;
SELECT * FROM metric WHERE host IN ('a') AND ('all' = 'all' OR host = 'b') ORDER BY id LIMIT 2;
SELECT at AS time, value, value - LAG(value) OVER (PARTITION BY host ORDER BY at) AS delta FROM metric WHERE host = 'a' ORDER BY at;
-- A report in another zone: the columns are DATETIMEs in UTC.
SET time_zone = 'Europe/Berlin';
SELECT FROM_UNIXTIME(1711846799), FROM_UNIXTIME(1711846800), FROM_UNIXTIME(1710053890);
SELECT UNIX_TIMESTAMP('2024-03-31 01:59:59'), UNIX_TIMESTAMP('2024-03-31 03:00:00'), UNIX_TIMESTAMP('2024-10-27 02:30:00');
SELECT UNIX_TIMESTAMP(at) DIV 3600 * 3600 AS "time", count(*) FROM metric WHERE at BETWEEN FROM_UNIXTIME(1710050000) AND FROM_UNIXTIME(1711850000) GROUP BY 1 ORDER BY 1;
SELECT CONVERT_TZ(at, 'UTC', 'Europe/Berlin') AS local, CONVERT_TZ(at, '+00:00', '-05:30') AS offset_, CONVERT_TZ(at, 'UTC', 'America/New_York') AS york FROM metric ORDER BY id;
SET time_zone = '-03:30';
SELECT FROM_UNIXTIME(1711846800), UNIX_TIMESTAMP('2024-03-31 00:00:00'), FROM_UNIXTIME(1711846800.5), FROM_UNIXTIME(1711846800, '%H:%i');
