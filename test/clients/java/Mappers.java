// SPDX-License-Identifier: Apache-2.0
//
// MyBatis: mappers as XML and as annotations, dynamic SQL, generated keys, result maps, batches and cursors.

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.*;
import org.apache.ibatis.annotations.*;
import org.apache.ibatis.builder.xml.XMLMapperBuilder;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.datasource.pooled.PooledDataSource;
import org.apache.ibatis.io.Resources;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.*;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

final class Mappers {
    public record Line(long order, int number, String item, BigDecimal price) {}

    public interface Lines {
        @Select("SELECT order_id AS `order`, number, item, price FROM line WHERE order_id = #{id} ORDER BY number")
        @ConstructorArgs({@Arg(column = "order", javaType = long.class), @Arg(column = "number", javaType = int.class), @Arg(column = "item", javaType = String.class),
            @Arg(column = "price", javaType = BigDecimal.class)})
        List<Line> of(long id);

        @Select("SELECT COUNT(*) FROM line WHERE item = #{item}")
        int count(String item);

        @Update("UPDATE line SET price = price + #{more} WHERE order_id = #{id}")
        int raise(@Param("id") long id, @Param("more") BigDecimal more);

        @Select("SELECT item, SUM(price) AS total FROM line GROUP BY item ORDER BY item")
        @MapKey("item")
        Map<String, Map<String, Object>> totals();
    }

    static SqlSessionFactory factory() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        Show.execute("shop", "CREATE TABLE orders (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(40) NOT NULL, at DATETIME, note TEXT)",
            "CREATE TABLE line (order_id BIGINT NOT NULL, number INT NOT NULL, item VARCHAR(40), price DECIMAL(10,2), PRIMARY KEY (order_id, number), KEY by_item (item))");
        PooledDataSource pool = new PooledDataSource("com.mysql.cj.jdbc.Driver", Show.address("shop?allowMultiQueries=true"), "root", "");
        pool.setPoolPingEnabled(true);
        pool.setPoolPingQuery("SELECT 1");
        Configuration c = new Configuration(new Environment("test", new JdbcTransactionFactory(), pool));
        c.addMapper(Lines.class);
        new XMLMapperBuilder(Resources.getResourceAsStream("mybatis/Orders.xml"), c, "mybatis/Orders.xml", c.getSqlFragments()).parse();
        return new SqlSessionFactoryBuilder().build(c);
    }

    static Map<String, Object> map(Object... pairs) {
        Map<String, Object> m = new TreeMap<>();
        for (int i = 0; i < pairs.length; i += 2) m.put((String) pairs[i], pairs[i + 1]);
        return m;
    }

    static void fill(SqlSession s) {
        for (String customer : List.of("Ann", "Bob", "Anna")) {
            Map<String, Object> order = map("customer", customer, "at", LocalDateTime.of(2024, 2, 29, 12, 0), "note", null);
            s.insert("orders.add", order);
            for (int n = 1; n <= 3; n++) s.insert("orders.line", map("order", order.get("id"), "number", n, "item", "item " + n, "price", new BigDecimal(n * 4)));
        }
        s.commit();
    }

    /** plain is a row with its columns in order. */
    static Object plain(Object value) {
        if (value instanceof Map<?, ?> m) {
            Map<String, Object> sorted = new TreeMap<>();
            m.forEach((k, v) -> sorted.put((String) k, plain(v)));
            return sorted;
        }
        return value instanceof List<?> l ? l.stream().map(Mappers::plain).toList() : value;
    }

    static void statements() throws Exception {
        try (SqlSession s = factory().openSession()) {
            fill(s);
            Show.show("by name", plain(s.selectList("orders.whole", map("customer", "Ann"))));
            Show.show("by ids", s.selectList("orders.whole", map("ids", List.of(1, 3, 99))).size());
            Show.show("cheap", plain(s.selectList("orders.whole", map("cheap", true, "ids", List.of(2)))));
            Show.show("page", s.selectList("orders.whole", map("limit", 4, "offset", 2)).size());
            Show.show("bounded", s.selectList("orders.all", null, new RowBounds(1, 1)).size());
            List<Map<String, Object>> more = List.of(map("customer", "x"), map("customer", "y"));
            Show.show("all", s.insert("orders.addAll", more));
            Show.show("keys", more.stream().map(m -> m.get("id")).toList());
            Map<String, Object> one = map("customer", "z");
            s.insert("orders.addSelected", one);
            Show.show("selected key", one.get("id"));
            Show.show("again", s.insert("orders.line", map("order", 1, "number", 1, "item", "other", "price", BigDecimal.ONE)));
            Show.show("changed", s.update("orders.change", map("id", 1, "note", "it's \"new\" \\ ö")));
            s.rollback();
            Lines lines = s.getMapper(Lines.class);
            Show.show("lines", lines.of(1));
            Show.show("count", lines.count("item 2"));
            Show.show("raised", lines.raise(2, new BigDecimal("0.55")));
            Show.show("totals", plain(lines.totals()));
            s.update("orders.changeAll", List.of(map("order", 1, "number", 1, "price", 7), map("order", 1, "number", 2, "price", 8)));
            Show.show("changed", lines.of(1));
            Show.show("removed", s.delete("orders.remove", map("id", 3)));
            Show.show("two results", s.selectList("orders.page"));
            s.commit();
        }
    }

    static void batches() throws Exception {
        SqlSessionFactory f = factory();
        try (SqlSession s = f.openSession(ExecutorType.BATCH)) {
            for (int i = 0; i < 100; i++) s.insert("orders.add", map("customer", "c" + i, "at", null, "note", "n"));
            Show.show("batches", s.flushStatements().stream().map(r -> r.getUpdateCounts().length).toList());
            s.commit();
        }
        try (SqlSession s = f.openSession(ExecutorType.REUSE, TransactionIsolationLevel.READ_COMMITTED)) {
            try (Cursor<Map<String, Object>> rows = s.selectCursor("orders.all")) {
                long sum = 0;
                for (Map<String, Object> row : rows) sum += ((Number) row.get("id")).longValue();
                Show.show("cursor", List.of(rows.getCurrentIndex(), sum, rows.isConsumed()));
            }
            Show.show("session", s.getConnection().getTransactionIsolation());
            s.insert("orders.add", map("customer", "again", "at", null, "note", null));
            Show.failed("wrong", () -> s.insert("orders.add", map("customer", null, "at", null, "note", null)));
            s.rollback();
        }
        Show.query("left", "shop", "SELECT count(*) FROM orders");
    }
}
