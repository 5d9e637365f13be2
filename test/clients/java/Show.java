// SPDX-License-Identifier: Apache-2.0
//
// What the tests of tools in Java share: the address, how they print, and how a section is chosen.

import java.lang.reflect.InvocationTargetException;
import java.sql.*;
import java.util.*;

final class Show {
    interface Call {
        void run() throws Exception;
    }

    /** What JDBC calls the server's database. */
    static String address(String database) {
        return "jdbc:mysql://" + System.getenv("SQL_HOST") + ":" + System.getenv("SQL_PORT") + "/" + database;
    }

    static Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(address(database), "root", "");
    }

    static void execute(String database, String... statements) throws SQLException {
        try (Connection c = connect(database); Statement s = c.createStatement()) {
            for (String statement : statements) s.execute(statement);
        }
    }

    static void show(String label, Object value) {
        System.out.println(label + ": " + (value instanceof Object[] a ? Arrays.deepToString(a) : value));
    }

    /** rows prints a query's rows, or those columns of it that are named. */
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

    static void query(String label, String database, String query) throws SQLException {
        try (Connection c = connect(database); Statement s = c.createStatement()) {
            rows(label, s.executeQuery(query));
        }
    }

    /** fails says whether a call ends with an exception, whose words are the driver's own. */
    static void fails(String label, Call call) {
        try {
            call.run();
            show(label, "did not fail");
        } catch (Exception e) {
            show(label, "failed");
        }
    }

    /** failed prints which exception a call ends with, and the number and message of the server's error below it. */
    static void failed(String label, Call call) {
        try {
            call.run();
            show(label, "did not fail");
        } catch (Throwable e) {
            Throwable cause = e;
            while (!(cause instanceof SQLException) && cause.getCause() != null) cause = cause.getCause();
            Object text = cause instanceof SQLException s ? s.getErrorCode() + " " + s.getMessage() : cause.getMessage();
            show(label, e.getClass().getSimpleName() + ": " + text);
        }
    }

    /** main runs `CLASS SECTION`. Threads that a tool leaves behind don't keep the process. */
    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        java.util.logging.LogManager.getLogManager().reset();
        try {
            Class.forName(arguments[0]).getDeclaredMethod(arguments[1]).invoke(null);
        } catch (InvocationTargetException e) {
            e.getCause().printStackTrace();
            System.exit(1);
        }
        System.out.flush();
        System.exit(0);
    }
}
