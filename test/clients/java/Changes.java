// SPDX-License-Identifier: Apache-2.0
//
// Liquibase: the folder liquibase holds its changelogs in XML, YAML, SQL and CSV.

import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import liquibase.*;
import liquibase.changelog.*;
import liquibase.database.*;
import liquibase.database.jvm.JdbcConnection;
import liquibase.diff.*;
import liquibase.diff.compare.CompareControl;
import liquibase.lockservice.*;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.snapshot.*;
import liquibase.structure.DatabaseObject;
import liquibase.structure.core.*;

@SuppressWarnings("deprecation")
final class Changes {
    interface Work {
        void run(Liquibase l) throws Exception;
    }

    static Database open(String database) throws Exception {
        return DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(Show.connect(database)));
    }

    static void with(String database, String file, Work work) throws Exception {
        Map<String, Object> quiet = Map.of(Scope.Attr.ui.name(), new liquibase.ui.LoggerUIService());
        Scope.child(quiet, () -> {
            try (Liquibase l = new Liquibase("liquibase/" + file, new ClassLoaderResourceAccessor(), open(database))) {
                work.run(l);
            }
        });
    }

    static void status(Liquibase l) throws Exception {
        Show.show("to do", l.listUnrunChangeSets(new Contexts(), new LabelExpression()).stream().map(ChangeSet::getId).toList());
    }

    static void log() throws Exception {
        Show.query("log", "shop", "SELECT ID, AUTHOR, FILENAME, ORDEREXECUTED, EXECTYPE, MD5SUM, DESCRIPTION, TAG, LABELS FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED");
        Show.query("lock", "shop", "SELECT * FROM DATABASECHANGELOGLOCK");
    }

    static void tables() throws Exception {
        Show.query("table", "shop", "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 1");
    }

    static void update() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        with("shop", "all.xml", l -> {
            status(l);
            l.update("");
            status(l);
            l.update("");
            l.validate();
        });
        log();
        tables();
        Show.query("person", "shop", "SELECT id, name, active, email, age FROM person");
        Show.query("tag", "shop", "SELECT * FROM tag");
        Show.query("account", "shop", "SELECT * FROM account");
        Show.query("grown", "shop", "SELECT * FROM grown");
        for (String table : List.of("person", "address", "tag")) Show.query("definition", "shop", "SHOW CREATE TABLE " + table);
        with("shop", "broken.sql", l -> Show.failed("broken", () -> l.update("")));
        Show.query("lock", "shop", "SELECT LOCKED FROM DATABASECHANGELOGLOCK");
    }

    static void rollback() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        with("shop", "all.xml", l -> {
            l.update("");
            StringWriter text = new StringWriter();
            l.rollback(1, "", text);
            Show.show("says", text.toString().lines().filter(line -> line.startsWith("DELETE")).toList());
            l.rollback(2, "");
            status(l);
            l.rollback("half", "");
            status(l);
            tables();
            l.rollback(4, "");
            tables();
            l.update(3, "");
            status(l);
            l.update("");
            status(l);
            l.tag("end");
            Show.show("tag", l.getDatabase().doesTagExist("end"));
            l.dropAll();
        });
        tables();
    }

    /** What Liquibase reads of a schema, and how two of them differ. */
    static void snapshot() throws Exception {
        Show.execute("", "CREATE DATABASE shop", "CREATE DATABASE other");
        with("shop", "all.xml", l -> l.update(""));
        with("other", "all.xml", l -> l.update(""));
        Show.execute("other", "DROP VIEW grown", "ALTER TABLE person ADD COLUMN nick VARCHAR(9), ADD INDEX by_nick (nick)", "CREATE TABLE extra (id INT PRIMARY KEY)");
        with("shop", "all.xml", l -> {
            Database shop = l.getDatabase(), other = open("other");
            DatabaseSnapshot s = SnapshotGeneratorFactory.getInstance().createSnapshot(shop.getDefaultSchema(), shop, new SnapshotControl(shop));
            for (Table t : sorted(s.get(Table.class))) {
                if (t.getName().startsWith("DATABASECHANGELOG")) continue;
                Show.show("table", t.getName() + ", key " + t.getPrimaryKey().getColumnNames());
                for (Column c : t.getColumns()) Show.show("column", List.of(c.getName(), c.getType(), c.isNullable(), c.isAutoIncrement(), String.valueOf(c.getDefaultValue())));
                for (Index i : sorted(t.getIndexes())) Show.show("index", List.of(i.getName(), i.isUnique(), i.getColumnNames()));
                for (ForeignKey f : sorted(t.getOutgoingForeignKeys())) Show.show("foreign key", List.of(f.getName(), f.getPrimaryKeyTable().getName(), String.valueOf(f.getDeleteRule())));
                for (UniqueConstraint u : sorted(t.getUniqueConstraints())) Show.show("unique", List.of(u.getName(), u.getColumnNames()));
            }
            for (View v : sorted(s.get(View.class))) Show.show("view", v.getName());
            DiffResult diff = DiffGeneratorFactory.getInstance().compare(shop, other, CompareControl.STANDARD);
            for (DatabaseObject o : sorted(diff.getMissingObjects())) Show.show("missing", o.getObjectTypeName() + " " + o.getName());
            for (DatabaseObject o : sorted(diff.getUnexpectedObjects())) Show.show("unexpected", o.getObjectTypeName() + " " + o.getName());
            for (DatabaseObject o : sorted(diff.getChangedObjects().keySet())) Show.show("changed", o.getObjectTypeName() + " " + o.getName() + " " + diff.getChangedObject(o, null).getDifferences());
            other.close();
        });
    }

    static <T extends DatabaseObject> List<T> sorted(Collection<T> objects) {
        List<T> all = new ArrayList<>(objects);
        all.sort(Comparator.comparing((DatabaseObject o) -> o.getObjectTypeName() + " " + o.getName()));
        return all;
    }

    /** The row of DATABASECHANGELOGLOCK, which one program holds and another frees by force. */
    static void lock() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        with("shop", "more.yaml", l -> l.listLocks()); // the tables
        with("shop", "all.xml", l -> {
            LockService service = LockServiceFactory.getInstance().getLockService(l.getDatabase());
            service.waitForLock();
            with("shop", "all.xml", other -> Show.show("second", LockServiceFactory.getInstance().getLockService(other.getDatabase()).acquireLock()));
            Show.show("locks", l.listLocks().length);
            l.forceReleaseLocks();
            Show.show("locks", l.listLocks().length);
        });
    }
}
