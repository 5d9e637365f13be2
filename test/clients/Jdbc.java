// SPDX-License-Identifier: Apache-2.0
//
// JDBC, with MySQL's Connector/J or MariaDB's connector, section by section: `java -cp DRIVER Jdbc.java SCHEME SECTION`.

import java.math.BigDecimal;
import java.sql.*;
import java.util.*;

public class Jdbc {
    static String scheme;

    static Connection connect(String database, String parameters) throws SQLException {
        String address = System.getenv("SQL_HOST") + ":" + System.getenv("SQL_PORT");
        return DriverManager.getConnection("jdbc:" + scheme + "://" + address + "/" + database + "?user=root" + parameters);
    }

    static void show(String label, Object value) {
        System.out.println(label + ": " + value);
    }

    interface Call {
        void run() throws SQLException;
    }

    static void refused(String label, Call call) {
        try {
            call.run();
            show(label, "NOT REFUSED");
        } catch (SQLException e) {
            show(label, e.getErrorCode() + " " + e.getSQLState());
        }
    }

    static void rows(String label, ResultSet r, String... columns) throws SQLException {
        while (r.next()) {
            List<String> values = new ArrayList<>();
            if (columns.length == 0)
                for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) values.add(r.getString(i));
            for (String column : columns) values.add(r.getString(column));
            show(label, values);
        }
        r.close();
    }

    static final String TABLE = "CREATE TABLE item (id BIGINT, name VARCHAR(40), price DECIMAL(10,2), made TIMESTAMP, sold BOOLEAN, weight DOUBLE, seen DATE, at TIME, code VARBINARY, PRIMARY KEY (id))";
    static final String INSERT = "INSERT INTO item (id, name, price, made, sold, weight, seen, at, code) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

    static void shop() throws SQLException {
        try (Connection c = connect("", "")) {
            c.createStatement().execute("CREATE DATABASE shop");
            c.setCatalog("shop");
            try (Statement s = c.createStatement()) {
                s.execute(TABLE);
                s.execute("CREATE INDEX by_name ON item (name)");
            }
        }
    }

    static void fill(PreparedStatement p, long id) throws SQLException {
        p.setLong(1, id);
        p.setString(2, "größe " + id);
        p.setBigDecimal(3, new BigDecimal("49.90"));
        p.setTimestamp(4, Timestamp.valueOf("2024-01-02 03:04:05.678"));
        p.setBoolean(5, id % 2 == 1);
        p.setDouble(6, id / 4.0);
        p.setDate(7, java.sql.Date.valueOf("2024-02-29"));
        p.setTime(8, Time.valueOf("13:14:15"));
        p.setBytes(9, new byte[] {0, (byte) id});
    }

    static void work(String parameters) throws SQLException {
        try (Connection c = connect("shop", parameters)) {
            try (PreparedStatement p = c.prepareStatement(INSERT)) {
                for (long id = 1; id <= 3; id++) {
                    fill(p, id);
                    show("inserted", p.executeUpdate());
                }
                for (long id = 4; id <= 20; id++) {
                    fill(p, id);
                    p.addBatch();
                }
                show("batch", p.executeBatch().length);
            }
            try (PreparedStatement p = c.prepareStatement("SELECT * FROM item WHERE id = ?")) {
                p.setLong(1, 2);
                ResultSet r = p.executeQuery();
                r.next();
                show("row", List.of(r.getLong("id"), r.getString("name"), r.getBigDecimal("price"), r.getTimestamp("made"), r.getBoolean("sold"), r.getDouble("weight"), r.getDate("seen"),
                    r.getTime("at"), Arrays.toString(r.getBytes("code"))));
                ResultSetMetaData m = r.getMetaData();
                for (int i = 1; i <= m.getColumnCount(); i++)
                    show(m.getColumnLabel(i), List.of(m.getColumnTypeName(i), m.getColumnType(i), m.getColumnClassName(i), m.isSigned(i), m.isNullable(i), m.getTableName(i)));
            }
            try (PreparedStatement p = c.prepareStatement("SELECT id FROM item WHERE id BETWEEN ? AND ? AND made = ? ORDER BY id DESC LIMIT ?")) {
                p.setInt(1, 3);
                p.setLong(2, 9);
                p.setTimestamp(3, Timestamp.valueOf("2024-01-02 03:04:05.678"));
                p.setInt(4, 2);
                rows("range", p.executeQuery());
            }
            try (PreparedStatement p = c.prepareStatement("SELECT count(*), sum(price), avg(weight) FROM item WHERE id IN (?, ?, ?)")) {
                p.setString(1, "1");
                p.setLong(2, 2);
                p.setDouble(3, 3);
                rows("aggregates", p.executeQuery());
            }
            try (PreparedStatement p = c.prepareStatement("UPDATE item SET name = ?, price = NULL WHERE id = ?")) {
                p.setString(1, "new");
                p.setLong(2, 1);
                show("updated", p.executeUpdate());
                p.setLong(2, 999);
                show("updated", p.executeUpdate());
            }
            refused("table", () -> c.prepareStatement("SELECT * FROM nowhere").executeQuery());
            refused("syntax", () -> c.createStatement().execute("SELEC 1"));
            c.setAutoCommit(false);
            try (Statement s = c.createStatement()) {
                s.executeUpdate("DELETE FROM item WHERE id = 1");
                c.rollback();
                s.executeUpdate("DELETE FROM item WHERE id = 2");
                c.commit();
                rows("left", s.executeQuery("SELECT id FROM item WHERE id < 4"));
            }
            c.setAutoCommit(true);
            show("valid", c.isValid(5));
        }
    }

    static void quickstart() throws SQLException {
        shop();
        work("");
    }

    static void prepared() throws SQLException {
        shop();
        work("&useServerPrepStmts=true&cachePrepStmts=true");
    }

    static void batches() throws SQLException {
        shop();
        work("&rewriteBatchedStatements=true&allowMultiQueries=true");
    }

    static void cursors() throws SQLException {
        shop();
        try (Connection c = connect("shop", "&useCursorFetch=true&defaultFetchSize=7")) {
            try (PreparedStatement p = c.prepareStatement(INSERT)) {
                for (long id = 1; id <= 100; id++) {
                    fill(p, id);
                    p.executeUpdate();
                }
            }
            try (PreparedStatement p = c.prepareStatement("SELECT id, name FROM item WHERE id > ?"); Statement other = c.createStatement()) {
                p.setLong(1, 10);
                p.setFetchSize(7);
                ResultSet r = p.executeQuery();
                long sum = 0;
                for (int i = 0; r.next(); i++) {
                    sum += r.getLong(1);
                    if (i == 20) rows("between", other.executeQuery("SELECT count(*) FROM item"));
                }
                show("sum", sum);
            }
        }
        try (Connection c = connect("shop", ""); Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            s.setFetchSize(Integer.MIN_VALUE); // row by row
            ResultSet r = s.executeQuery("SELECT id FROM item");
            long sum = 0;
            while (r.next()) sum += r.getLong(1);
            show("streamed", sum);
        }
    }

    static void signin() throws SQLException {
        String plain = scheme.equals("mysql") ? "&sslMode=DISABLED" : "&useSSL=false", tls = scheme.equals("mysql") ? "&sslMode=REQUIRED" : "&useSSL=true&trustServerCertificate=true";
        String[][] all = {{"plain", "ann", "secret", plain}, {"over TLS", "ann", "secret", tls}, {"wrong", "ann", "Secret", plain}, {"wrong over TLS", "ann", "Secret", tls},
            {"unknown", "bob", "secret", plain}, {"no password", "ann", "", plain}};
        String address = "jdbc:" + scheme + "://" + System.getenv("SQL_HOST") + ":" + System.getenv("SQL_PORT") + "/";
        for (String[] a : all) {
            try (Connection c = DriverManager.getConnection(address + "?user=" + a[1] + "&password=" + a[2] + a[3]); Statement s = c.createStatement()) {
                rows(a[0], s.executeQuery("SELECT substring_index(user(), '@', 1)"));
            } catch (SQLException e) {
                show(a[0], e.getErrorCode() + " " + e.getSQLState());
            }
        }
    }

    // What tools read of a connection and its tables.
    static void metadata() throws SQLException {
        shop();
        try (Connection c = connect("shop", "")) {
            DatabaseMetaData m = c.getMetaData();
            show("product", List.of(m.getDatabaseProductName(), m.getDatabaseProductVersion(), m.supportsTransactions(), c.getTransactionIsolation(), c.getCatalog()));
            rows("catalog", m.getCatalogs());
            rows("type", m.getTableTypes());
            rows("table", m.getTables("shop", null, "%", new String[] {"TABLE", "VIEW"}), "TABLE_CAT", "TABLE_NAME", "TABLE_TYPE");
            rows("column", m.getColumns("shop", null, "item", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "NULLABLE", "ORDINAL_POSITION", "IS_AUTOINCREMENT");
            rows("key", m.getPrimaryKeys("shop", null, "item"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME");
            rows("index", m.getIndexInfo("shop", null, "item", false, true), "NON_UNIQUE", "INDEX_NAME", "ORDINAL_POSITION", "COLUMN_NAME");
            rows("foreign key", m.getImportedKeys("shop", null, "item"));
            rows("procedure", m.getProcedures("shop", null, "%"));
            rows("best row", m.getBestRowIdentifier("shop", null, "item", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME", "TYPE_NAME");
            ResultSet types = m.getTypeInfo();
            show("types", types.next());
        }
        try (Connection c = connect("shop", "&useInformationSchema=true")) {
            DatabaseMetaData m = c.getMetaData();
            rows("table", m.getTables("shop", null, "%", new String[] {"TABLE", "VIEW"}), "TABLE_NAME");
            rows("column", m.getColumns("shop", null, "item", "%"), "COLUMN_NAME", "DATA_TYPE", "COLUMN_SIZE");
            rows("key", m.getPrimaryKeys("shop", null, "item"), "COLUMN_NAME");
            rows("index", m.getIndexInfo("shop", null, "item", false, true), "INDEX_NAME", "COLUMN_NAME");
        }
    }

    public static void main(String[] arguments) throws Exception {
        scheme = arguments[0];
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Jdbc.class.getDeclaredMethod(arguments[1]).invoke(null);
    }
}
