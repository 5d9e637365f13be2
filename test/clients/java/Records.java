// SPDX-License-Identifier: Apache-2.0
//
// jOOQ without generated code: what it reads of a schema, the definitions that it writes of it, and records.

import static org.jooq.impl.DSL.*;

import java.sql.*;
import java.util.*;
import org.jooq.*;
import org.jooq.Record;

final class Records {
    interface Work {
        void run(DSLContext sql) throws Exception;
    }

    static void over(Work work) throws Exception {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        Show.execute("", "CREATE DATABASE shop");
        Show.execute("shop", Pool.SHOP);
        try (Connection c = Show.connect("shop")) {
            work.run(using(c, SQLDialect.MYSQL));
        }
    }

    static void meta() throws Exception {
        over(sql -> {
            Schema shop = sql.meta().getSchemas("shop").get(0);
            for (Table<?> t : shop.getTables()) {
                Show.show(t.getName(), Arrays.toString(t.fields()));
                Show.show("key", t.getPrimaryKey() == null ? "none" : t.getPrimaryKey().getFields());
                Show.show("indexes", t.getIndexes().stream().map(Index::getName).sorted().toList());
                Show.show("references", t.getReferences().stream().map(r -> r.getKey().getTable().getName()).toList());
            }
            for (Query q : sql.ddl(shop).queries()) Show.show("ddl", q.getSQL().replaceAll("\\s*\\(.*", ""));
        });
    }

    static void records() throws Exception {
        over(sql -> {
            Table<Record> customer = table(name("customer"));
            Field<Long> id = field(name("id"), Long.class);
            Field<String> email = field(name("email"), String.class), name = field(name("name"), String.class);
            Show.show("inserted", sql.insertInto(customer, email, name).values("a@x", "Ann").values("b@x", "Bo").values("c@x", "Cy").execute());
            Show.show("merged", sql.insertInto(customer, email, name).values("a@x", "Anna").onDuplicateKeyUpdate().set(name, "Anna").execute());
            Show.show("seek", sql.select(id, name).from(customer).orderBy(name, id).seek("Anna", 1L).limit(2).fetch().intoMaps());
            Show.show("row in", sql.select(name).from(customer).where(row(id, email).in(row(1L, "a@x"), row(2L, "c@x"))).fetch(name));
            Show.show("window", sql.select(name, rowNumber().over(orderBy(id.desc())).as("n")).from(customer).orderBy(id).fetch().intoMaps());
            Show.show("json", sql.select(jsonObject(key("n").value(name))).from(customer).where(id.eq(2L)).fetchOne().value1().data());
            Show.show("lateral", sql.select(field("l.twice")).from(customer, lateral(select(id.times(2).as("twice"))).as("l")).where(id.eq(3L)).fetch().intoMaps());
            int[] batch = sql.batch(sql.update(customer).set(name, (String) null).where(id.eq((Long) null))).bind("D", 2L).bind("E", 9L).execute();
            Show.show("batch", Arrays.toString(batch));
            Show.show("undone", undone(sql, customer));
            Show.show("count", sql.fetchCount(customer));
        });
    }

    static String undone(DSLContext sql, Table<Record> customer) {
        try {
            sql.transaction(t -> {
                t.dsl().deleteFrom(customer).execute();
                throw new IllegalStateException("undone");
            });
            return "no";
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }
}
