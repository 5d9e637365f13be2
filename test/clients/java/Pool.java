// SPDX-License-Identifier: Apache-2.0
//
// HikariCP over Connector/J and over MariaDB's driver: how connections are made, checked, reset and given back, and what a pool's users
// read of DatabaseMetaData.

import com.zaxxer.hikari.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;

final class Pool {
    static final String[] SHOP = {
        "CREATE TABLE customer (id BIGINT NOT NULL AUTO_INCREMENT, email VARCHAR(80) NOT NULL, name VARCHAR(40) DEFAULT 'nobody' COMMENT 'in full', PRIMARY KEY (id), UNIQUE KEY by_email (email))",
        "CREATE TABLE purchase (customer_id BIGINT NOT NULL, number INT NOT NULL, total DECIMAL(12,2), at DATETIME, PRIMARY KEY (customer_id, number), KEY by_total (total, at), "
            + "CONSTRAINT of_customer FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE CASCADE)",
        "CREATE VIEW rich AS SELECT customer_id, sum(total) AS spent FROM purchase GROUP BY customer_id",
    };

    static HikariConfig configuration(boolean mariadb, String parameters) {
        HikariConfig h = new HikariConfig();
        h.setJdbcUrl(Show.address("shop").replace("mysql:", mariadb ? "mariadb:" : "mysql:") + parameters);
        h.setUsername("root");
        h.setCatalog("shop"); // else a catalog that a user chose stays
        h.setMaximumPoolSize(4);
        return h;
    }

    interface Work {
        void run(HikariDataSource pool) throws Exception;
    }

    /** both runs the work over Connector/J with the settings that HikariCP's documentation recommends for MySQL, and over MariaDB's driver. */
    static void both(Work work) throws Exception {
        for (boolean mariadb : new boolean[] {false, true}) {
            Show.show("driver", mariadb ? "MariaDB's" : "Connector/J");
            Show.execute("", "CREATE DATABASE shop");
            Show.execute("shop", SHOP);
            HikariConfig h = configuration(mariadb, "");
            if (!mariadb) for (String setting : List.of("cachePrepStmts", "useServerPrepStmts", "useLocalSessionState", "rewriteBatchedStatements", "cacheResultSetMetadata", "cacheServerConfiguration",
                "elideSetAutoCommits"))
                h.addDataSourceProperty(setting, "true");
            try (HikariDataSource pool = new HikariDataSource(h)) {
                work.run(pool);
            }
            Show.execute("", "DROP DATABASE shop");
        }
    }

    static Object state(Connection c) throws SQLException {
        return List.of(c.isValid(3), c.getAutoCommit(), c.isReadOnly(), c.getTransactionIsolation(), c.getCatalog());
    }

    /** A connection that comes back changed is as new for the next user. */
    static void reset() throws Exception {
        both(pool -> {
            pool.setMaximumPoolSize(1);
            try (Connection c = pool.getConnection()) {
                Show.show("new", state(c));
                c.setNetworkTimeout(Runnable::run, 5000);
                c.setReadOnly(true);
                Show.failed("write while read only", () -> c.createStatement().execute("INSERT INTO customer (email) VALUES ('r')"));
                c.setReadOnly(false);
                c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                c.setAutoCommit(false);
                c.createStatement().execute("INSERT INTO customer (email) VALUES ('lost')");
                c.setCatalog("information_schema");
                Show.show("changed", state(c));
            }
            try (Connection c = pool.getConnection()) {
                Show.show("again", state(c));
                for (int level : new int[] {Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
                    Show.failed("isolation " + level, () -> {
                        c.setTransactionIsolation(level);
                        Show.show("is", c.getTransactionIsolation());
                    });
                Show.rows("kept", c.createStatement().executeQuery("SELECT count(*) FROM customer"));
            }
        });
    }

    static long identity(Connection c) throws SQLException {
        try (ResultSet r = c.createStatement().executeQuery("SELECT CONNECTION_ID()")) {
            r.next();
            return r.getLong(1);
        }
    }

    /** A connection that was killed is found by the pool and replaced, whether it was idle or in use. */
    static void validation() throws Exception {
        both(pool -> {
            pool.setMaximumPoolSize(1);
            long first, second;
            try (Connection c = pool.getConnection()) {
                first = identity(c);
            }
            Show.execute("", "KILL " + first);
            Thread.sleep(600); // the pool trusts a connection that was used within half a second
            try (Connection c = pool.getConnection()) {
                second = identity(c);
                Show.show("replaced when idle", second != first);
                Show.execute("", "KILL " + second);
                Show.show("killed is valid", c.isValid(3));
                Show.fails("killed in use", () -> identity(c));
            }
            try (Connection c = pool.getConnection()) {
                Show.show("replaced", identity(c) != second);
                c.setNetworkTimeout(Runnable::run, 300);
                Show.fails("time is up", () -> c.createStatement().execute("SELECT SLEEP(2)"));
            }
            try (Connection c = pool.getConnection()) {
                Show.show("timeout is reset", c.getNetworkTimeout());
            }
        });
        HikariConfig h = configuration(false, "");
        h.setCatalog(null);
        h.setConnectionTestQuery("SELECT 1");
        h.setConnectionInitSql("SET SESSION sql_mode = 'ANSI_QUOTES,STRICT_TRANS_TABLES', time_zone = '+02:00'");
        h.setReadOnly(true);
        h.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        h.setJdbcUrl(Show.address(""));
        h.setInitializationFailTimeout(3000);
        try (HikariDataSource pool = new HikariDataSource(h); Connection c = pool.getConnection()) {
            Show.show("configured", state(c).toString());
            Show.rows("init", c.createStatement().executeQuery("SELECT @@session.time_zone, @@session.transaction_read_only, 1 AS \"one\""));
        }
    }

    /** Many threads over few connections: nothing leaks and no row is lost. */
    static void load() throws Exception {
        both(pool -> {
            ExecutorService threads = Executors.newFixedThreadPool(16);
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int n = i;
                all.add(threads.submit(() -> {
                    try (Connection c = pool.getConnection(); PreparedStatement p = c.prepareStatement("INSERT INTO customer (email) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                        c.setAutoCommit(n % 2 == 0);
                        p.setString(1, "c" + n);
                        p.executeUpdate();
                        ResultSet keys = p.getGeneratedKeys();
                        keys.next();
                        if (n % 2 != 0) c.commit();
                        return keys.getLong(1) > 0 ? 1 : 0;
                    }
                }));
            }
            int made = 0;
            for (Future<Integer> f : all) made += f.get();
            threads.shutdown();
            HikariPoolMXBean bean = pool.getHikariPoolMXBean();
            Show.show("made", List.of(made, bean.getActiveConnections(), bean.getThreadsAwaitingConnection(), bean.getTotalConnections() <= 4));
            try (Connection c = pool.getConnection()) {
                Show.rows("rows", c.createStatement().executeQuery("SELECT count(*), count(DISTINCT id) FROM customer"));
            }
        });
        Show.query("connections left", "", "SELECT count(*) <= 1 FROM information_schema.processlist WHERE DB = 'shop'");
    }

    static void metadata() throws Exception {
        both(pool -> {
            try (Connection c = pool.getConnection()) {
                DatabaseMetaData m = c.getMetaData();
                Show.rows("table", m.getTables("shop", null, "%", new String[] {"TABLE", "VIEW"}), "TABLE_NAME", "TABLE_TYPE", "REMARKS");
                for (String table : List.of("customer", "purchase", "rich"))
                    Show.rows("column", m.getColumns("shop", null, table, "%"), "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "IS_NULLABLE", "COLUMN_DEF",
                        "REMARKS", "IS_AUTOINCREMENT", "IS_GENERATEDCOLUMN");
                Show.rows("key", m.getPrimaryKeys("shop", null, "purchase"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME");
                for (String table : List.of("customer", "purchase"))
                    Show.rows("index", m.getIndexInfo("shop", null, table, false, false), "NON_UNIQUE", "INDEX_NAME", "TYPE", "ORDINAL_POSITION", "COLUMN_NAME");
                Show.rows("unique index", m.getIndexInfo("shop", null, "purchase", true, false), "INDEX_NAME", "COLUMN_NAME");
                String[] foreign = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "FK_NAME", "PK_NAME", "DEFERRABILITY"};
                Show.rows("imported", m.getImportedKeys("shop", null, "purchase"), foreign);
                Show.rows("exported", m.getExportedKeys("shop", null, "customer"), foreign);
                Show.rows("cross", m.getCrossReference("shop", null, "customer", "shop", null, "purchase"), foreign);
                Show.rows("procedure", m.getProcedures("shop", null, "%"));
                Show.rows("procedure column", m.getProcedureColumns("shop", null, "%", "%"));
                Show.rows("function", m.getFunctions("shop", null, "%"));
                Show.rows("version column", m.getVersionColumns("shop", null, "customer"));
                Show.rows("best row", m.getBestRowIdentifier("shop", null, "purchase", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME", "TYPE_NAME");
                Show.rows("client property", m.getClientInfoProperties(), "NAME");
                Show.show("about", List.of(m.supportsSavepoints(), m.supportsBatchUpdates(), m.supportsGetGeneratedKeys(), m.supportsTransactionIsolationLevel(8), m.storesLowerCaseIdentifiers(),
                    m.getMaxColumnNameLength(), m.getIdentifierQuoteString()));
                Show.show("keywords", m.getSQLKeywords().length() > 100);
            }
        });
    }

    /** MariaDB's driver with the settings of Metabase, and what Metabase reads over it, in a report's zone. */
    static void metabase() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        Show.execute("shop", SHOP);
        Show.execute("shop", "INSERT INTO customer (email) VALUES ('a')", "INSERT INTO purchase VALUES (1, 1, 9.5, '2024-03-10 06:59:59'), (1, 2, NULL, '2024-07-01 00:00:00')");
        String settings = "?permitMysqlScheme&zeroDateTimeBehavior=convertToNull&useUnicode=true&characterEncoding=UTF8&characterSetResults=UTF8&useCompression=true&tinyInt1isBit=false"
            + "&connectionAttributes=program_name:metabase&sessionVariables=sql_mode='ALLOW_INVALID_DATES'";
        try (Connection c = new org.mariadb.jdbc.Driver().connect(Show.address("shop") + settings, properties())) {
            Show.rows("zone", c.createStatement().executeQuery("SELECT @@GLOBAL.time_zone = @@session.time_zone, @@sql_mode"));
            DatabaseMetaData m = c.getMetaData();
            Show.show("product", List.of(m.getDatabaseProductName(), m.getDatabaseMajorVersion() >= 8));
            Show.rows("table", m.getTables("shop", null, "%", new String[] {"TABLE", "PARTITIONED TABLE", "VIEW", "FOREIGN TABLE", "MATERIALIZED VIEW", "EXTERNAL TABLE"}), "TABLE_NAME", "TABLE_TYPE");
            Show.rows("column", m.getColumns("shop", null, "purchase", null), "COLUMN_NAME", "TYPE_NAME", "IS_NULLABLE", "IS_AUTOINCREMENT");
            Show.rows("index", m.getIndexInfo("shop", null, "purchase", false, false), "INDEX_NAME", "COLUMN_NAME");
            c.setReadOnly(true);
            c.setAutoCommit(false);
            c.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
            c.createStatement().execute("SET @@session.time_zone = 'America/New_York'");
            String query = "-- Metabase:: userID: 1 queryType: MBQL\nSELECT DATE(CONVERT_TZ(at, 'UTC', ?)) AS day, CONVERT_TZ(at, '+00:00', @@session.time_zone) AS local, total FROM purchase WHERE at >= ? ORDER BY at";
            try (PreparedStatement p = c.prepareStatement(query, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.CLOSE_CURSORS_AT_COMMIT)) {
                p.setFetchDirection(ResultSet.FETCH_FORWARD);
                p.setFetchSize(500);
                p.setMaxRows(2000);
                p.setString(1, "America/New_York");
                p.setObject(2, java.time.LocalDateTime.of(2024, 3, 10, 0, 0));
                ResultSet r = p.executeQuery();
                for (int i = 1; i <= 3; i++) Show.show("type", r.getMetaData().getColumnTypeName(i));
                while (r.next()) Show.show("row", Arrays.asList(r.getObject(1, java.time.LocalDate.class), r.getObject(2, java.time.LocalDateTime.class), r.getBigDecimal(3)));
            }
            Statement slow = c.createStatement();
            slow.setQueryTimeout(1);
            Show.fails("cancelled", () -> slow.executeQuery("SELECT SLEEP(5) FROM purchase"));
            c.rollback();
        }
    }

    static Properties properties() {
        Properties p = new Properties();
        p.setProperty("user", "root");
        return p;
    }
}
