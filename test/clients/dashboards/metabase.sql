-- The connection and what the server says of its zones.
SELECT 1;
SELECT TIME_FORMAT(TIMEDIFF(NOW(), CONVERT_TZ(NOW(), @@session.time_zone, '+00:00')), '%H:%i') AS offset;
SET @@session.time_zone = 'UTC';
SELECT @@session.time_zone, @@lower_case_table_names IN (0, 1, 2), LENGTH(VERSION()) > 3;
-- Sync: tables, fields, foreign keys and indexes.
SELECT `table_name` AS `name`, `table_schema`, `table_type`, NULLIF(`table_comment`, '') AS description FROM information_schema.tables WHERE table_schema = 'shop' AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY table_name;
SELECT `c`.`column_name` AS `name`, `c`.`ordinal_position` - 1 AS `database-position`, NULL AS `table-schema`, `c`.`table_name` AS `table-name`, UPPER(`c`.`data_type`) AS `database-type`, `c`.`extra` = 'auto_increment' AS `database-is-auto-increment`, (`c`.`column_default` IS NULL OR LOWER(`c`.`column_default`) = 'null') AND `c`.`is_nullable` = 'NO' AND NOT (`c`.`extra` = 'auto_increment') AS `database-required`, `c`.`column_key` = 'PRI' AS `pk?`, NULLIF(`c`.`column_comment`, '') AS `field-comment` FROM `information_schema`.`columns` AS `c` WHERE `c`.`table_schema` NOT IN ('information_schema', 'performance_schema', 'sys', 'mysql') AND `c`.`table_schema` = 'shop' ORDER BY `c`.`table_name` ASC, `c`.`ordinal_position` ASC;
SELECT `a`.`table_name` AS `fk-table-name`, `a`.`column_name` AS `fk-column-name`, `a`.`referenced_table_name` AS `pk-table-name`, `a`.`referenced_column_name` AS `pk-column-name` FROM `information_schema`.`key_column_usage` AS `a` INNER JOIN `information_schema`.`table_constraints` AS `b` ON `a`.`constraint_name` = `b`.`constraint_name` AND `a`.`constraint_schema` = `b`.`constraint_schema` AND `a`.`table_name` = `b`.`table_name` WHERE `b`.`constraint_type` = 'FOREIGN KEY' AND `a`.`table_schema` = 'shop' ORDER BY `a`.`table_name`, `a`.`column_name`;
SELECT `table_name`, `column_name` FROM information_schema.statistics WHERE table_schema = 'shop' AND seq_in_index = 1 AND index_type = 'BTREE' ORDER BY 1, 2;
SELECT DISTINCT `index_name`, `non_unique`, `seq_in_index`, `column_name` FROM information_schema.statistics WHERE table_schema = 'shop' AND table_name IN ('orders', 'people') ORDER BY BINARY index_name, column_name;
-- Fingerprints and field values.
SELECT SUBSTRING(`people`.`name`, 1, 1234) AS `substring1`, `people`.`born` AS `born`, `people`.`latitude` AS `latitude`, SUBSTRING(`people`.`details`, 1, 1234) AS `substring2` FROM `people` LIMIT 10000;
SELECT `people`.`source` AS `source` FROM `people` GROUP BY `people`.`source` ORDER BY `people`.`source` ASC LIMIT 1000;
SELECT COUNT(*) AS `count`, COUNT(DISTINCT `people`.`source`) AS `count_2`, MIN(`people`.`born`) AS `min`, MAX(`people`.`latitude`) AS `max` FROM `people`;
SELECT TRUE AS `_` FROM `shop`.`people` WHERE 1 <> 1 LIMIT 0;
-- Questions by units of time.
SELECT STR_TO_DATE(DATE_FORMAT(`orders`.`created_at`, '%Y-%m-%d %H:%i'), '%Y-%m-%d %H:%i') AS `created_at`, COUNT(*) AS `count` FROM `orders` GROUP BY STR_TO_DATE(DATE_FORMAT(`orders`.`created_at`, '%Y-%m-%d %H:%i'), '%Y-%m-%d %H:%i') ORDER BY STR_TO_DATE(DATE_FORMAT(`orders`.`created_at`, '%Y-%m-%d %H:%i'), '%Y-%m-%d %H:%i') ASC;
SELECT STR_TO_DATE(DATE_FORMAT(`orders`.`created_at`, '%Y-%m-%d %H'), '%Y-%m-%d %H') AS `created_at`, SUM(`orders`.`subtotal`) AS `sum` FROM `orders` GROUP BY STR_TO_DATE(DATE_FORMAT(`orders`.`created_at`, '%Y-%m-%d %H'), '%Y-%m-%d %H') ORDER BY 1;
SELECT DATE(`orders`.`created_at`) AS `created_at`, COUNT(*) AS `count` FROM `orders` GROUP BY DATE(`orders`.`created_at`) ORDER BY DATE(`orders`.`created_at`) ASC;
SELECT STR_TO_DATE(CONCAT(YEARWEEK(`orders`.`created_at`), ' Sunday'), '%X%V %W') AS `created_at`, COUNT(*) AS `count` FROM `orders` GROUP BY STR_TO_DATE(CONCAT(YEARWEEK(`orders`.`created_at`), ' Sunday'), '%X%V %W') ORDER BY STR_TO_DATE(CONCAT(YEARWEEK(`orders`.`created_at`), ' Sunday'), '%X%V %W') ASC;
SELECT DATE_ADD(STR_TO_DATE(CONCAT(YEARWEEK(DATE_ADD(`orders`.`created_at`, INTERVAL -1 DAY)), ' Sunday'), '%X%V %W'), INTERVAL 1 DAY) AS `created_at`, COUNT(*) AS `count` FROM `orders` GROUP BY 1 ORDER BY 1;
SELECT STR_TO_DATE(CONCAT(DATE_FORMAT(`orders`.`created_at`, '%Y-%m'), '-01'), '%Y-%m-%d') AS `created_at`, SUM(SUM(`orders`.`subtotal`)) OVER (ORDER BY STR_TO_DATE(CONCAT(DATE_FORMAT(`orders`.`created_at`, '%Y-%m'), '-01'), '%Y-%m-%d') ASC ROWS UNBOUNDED PRECEDING) AS `sum` FROM `orders` GROUP BY STR_TO_DATE(CONCAT(DATE_FORMAT(`orders`.`created_at`, '%Y-%m'), '-01'), '%Y-%m-%d') ORDER BY 1;
SELECT STR_TO_DATE(CONCAT(YEAR(`orders`.`created_at`), '-', ((QUARTER(`orders`.`created_at`) * 3) - 2), '-01'), '%Y-%m-%d') AS `created_at`, AVG(`orders`.`subtotal`) AS `avg` FROM `orders` GROUP BY 1 ORDER BY 1;
SELECT MAKEDATE(YEAR(`orders`.`created_at`), 1) AS `created_at`, COUNT(DISTINCT `orders`.`person_id`) AS `count` FROM `orders` GROUP BY MAKEDATE(YEAR(`orders`.`created_at`), 1) ORDER BY 1;
SELECT MINUTE(created_at), HOUR(created_at), DAYOFWEEK(created_at), DAYOFMONTH(created_at), DAYOFYEAR(created_at), WEEK(created_at), WEEK(created_at, 3), WEEK(created_at, 6), MONTH(created_at), QUARTER(created_at), YEAR(created_at), YEARWEEK(created_at), YEARWEEK(created_at, 3), WEEKDAY(created_at), WEEKOFYEAR(created_at) FROM orders ORDER BY id;
SELECT CEIL((DAYOFYEAR(created_at) - (DAYOFWEEK(created_at) - 1) + 6) / 7.0) AS week FROM orders ORDER BY id;
SELECT CASE WHEN MOD((DAYOFWEEK(created_at) - 1), 7) = 0 THEN 7 ELSE MOD((DAYOFWEEK(created_at) - 1), 7) END AS day, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1;
SELECT DATE_FORMAT(created_at, '%Y-%m-%dT%T'), DATE_FORMAT(created_at, '%W %M %e %p %l %j %U %u %X %V'), DAYNAME(created_at), MONTHNAME(created_at) FROM orders ORDER BY id;
SELECT COUNT(*) FROM orders WHERE created_at >= DATE_ADD(DATE('2024-03-10'), INTERVAL -30 DAY) AND created_at < DATE_ADD(DATE_ADD(DATE('2024-03-10'), INTERVAL 1 QUARTER), INTERVAL 1 WEEK);
SELECT COUNT(*) FROM orders WHERE created_at >= CONVERT_TZ('2024-03-09 00:00:00.000', 'America/New_York', @@session.time_zone) AND created_at < CONVERT_TZ('2024-03-11 00:00:00.000', 'America/New_York', @@session.time_zone);
SELECT FROM_UNIXTIME(`orders`.`seen` / 1000) AS `seen`, FROM_UNIXTIME(seen DIV 1000) FROM `orders` ORDER BY id;
SELECT TIMESTAMPDIFF(MONTH, '2023-12-31', created_at), TIMESTAMPDIFF(YEAR, created_at, '2025-01-01'), TIMESTAMPDIFF(WEEK, '2024-01-01', DATE(created_at)), DATEDIFF(created_at, '2024-01-01') FROM orders ORDER BY id;
-- The report's zone.
SET @@session.time_zone = 'America/New_York';
SELECT DATE(CONVERT_TZ(created_at, 'UTC', 'America/New_York')) AS day, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1;
SELECT CONVERT_TZ(created_at, 'UTC', 'Asia/Tokyo') AS tokyo, CONVERT_TZ(created_at, 'America/New_York', 'Europe/Berlin') AS berlin, CONVERT_TZ(created_at, 'UTC', 'Nowhere/City') AS nowhere FROM orders ORDER BY id;
SELECT FROM_UNIXTIME(seen / 1000) FROM orders ORDER BY id;
SELECT STR_TO_DATE(DATE_FORMAT(CONVERT_TZ(`orders`.`created_at`, 'UTC', 'America/New_York'), '%Y-%m-%d %H'), '%Y-%m-%d %H') AS hour, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1;
SET @@session.time_zone = 'UTC';
-- Filters, custom columns, bins, joins and nested questions.
SELECT `people`.`name` FROM `people` WHERE (`people`.`name` LIKE BINARY '%o%') AND (LOWER(`people`.`source`) LIKE '%e%' OR `people`.`source` IS NULL) ORDER BY id;
SELECT `people`.`name` FROM `people` WHERE `people`.`name` LIKE '%100\%%' OR `people`.`name` = '' OR NOT (`people`.`latitude` BETWEEN -90.0 AND 50.0) ORDER BY id;
SELECT FLOOR(((`people`.`latitude` - -20.0) / 10.0)) * 10.0 + -20.0 AS `latitude`, COUNT(*) AS `count` FROM `people` GROUP BY 1 ORDER BY 1;
SELECT CONCAT(`name`, ' ', COALESCE(`source`, '?')) AS `x`, CHAR_LENGTH(`name`) AS `l`, REGEXP_SUBSTR(`name`, '[A-Z][a-z]+$') AS `last`, REPLACE(name, ' ', '_'), TRIM(name), UPPER(name), CASE WHEN latitude > 0 THEN 'north' WHEN latitude < 0 THEN 'south' ELSE 'none' END AS side FROM people ORDER BY id;
SELECT CAST(`tax` / NULLIF(`subtotal`, 0) * 100 AS SIGNED) AS share, ROUND(tax, 1), CEIL(tax), FLOOR(subtotal), ABS(-tax), POWER(quantity, 2), SQRT(quantity), EXP(0), LOG10(quantity) FROM orders ORDER BY id;
SELECT STDDEV_POP(`subtotal`), VARIANCE(`subtotal`), VAR_SAMP(tax), SUM(CASE WHEN `paid` = TRUE THEN 1 ELSE 0.0 END) / COUNT(*) AS share FROM orders;
SELECT `People`.`source` AS `People__source`, COUNT(*) AS `count`, SUM(`orders`.`subtotal`) AS `sum` FROM `orders` LEFT JOIN `people` AS `People` ON `orders`.`person_id` = `People`.`id` GROUP BY `People`.`source` ORDER BY `count` DESC, `People`.`source` ASC LIMIT 10;
SELECT `source`.`kind` AS `kind`, `source`.`avg` AS `avg` FROM (SELECT `orders`.`kind` AS `kind`, AVG(`orders`.`subtotal`) AS `avg`, COUNT(*) AS `count` FROM `orders` GROUP BY `orders`.`kind` ORDER BY `orders`.`kind` ASC) AS `source` WHERE `source`.`count` > 1 ORDER BY `source`.`kind` LIMIT 1048575;
-- Metabase:: userID: 1 queryType: MBQL queryHash: 5c7d
SELECT `kind`, `paid`, SUM(quantity) FROM orders GROUP BY `kind`, `paid` UNION ALL SELECT NULL, NULL, SUM(quantity) FROM orders ORDER BY 3, 1, 2;
SELECT JSON_UNQUOTE(JSON_EXTRACT(`details`, '$.city')) AS city, CAST(JSON_EXTRACT(`details`, '$.age') AS SIGNED) AS age FROM people ORDER BY id;
