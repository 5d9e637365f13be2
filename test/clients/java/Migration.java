// SPDX-License-Identifier: Apache-2.0
//
// Flyway: the folder flyway holds its migrations.

import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;

final class Migration {
    static FluentConfiguration configuration(String database, String... folders) {
        String[] locations = Arrays.stream(folders).map(f -> "classpath:flyway/" + f).toArray(String[]::new);
        return Flyway.configure().dataSource(Show.address(database), "root", "").locations(locations).placeholders(Map.of("greeting", "hello")).cleanDisabled(false);
    }

    static void history(Flyway f) {
        for (MigrationInfo i : f.info().all())
            Show.show("info", Stream.of(i.getVersion(), i.getDescription(), i.getType(), i.getState().getDisplayName(), i.getInstalledRank(), i.getInstalledBy()).map(String::valueOf).toList());
    }

    static void migrate(Flyway f) {
        var result = f.migrate();
        Show.show("migrated", List.of(result.migrationsExecuted, result.success, String.valueOf(result.targetSchemaVersion)));
    }

    static void tables(String database) throws Exception {
        Show.query("table", database, "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = '" + database + "' ORDER BY 1");
    }

    /** The first migrations of a new schema, which Flyway makes, and nothing more to do after them. */
    static void migrate() throws Exception {
        Flyway f = configuration("", "plain", "repeated").schemas("shop").createSchemas(true).load();
        history(f);
        migrate(f);
        migrate(f);
        Show.show("valid", f.validateWithResult().validationSuccessful);
        history(f);
        tables("shop");
        Show.query("customer", "shop", "SELECT id, name, email FROM customer ORDER BY id");
        Show.query("spent", "shop", "SELECT * FROM spent ORDER BY name");
        Show.query("history", "shop", "SELECT installed_rank, version, description, type, script, checksum, installed_by, success FROM flyway_schema_history ORDER BY installed_rank");
        Show.query("definition", "shop", "SHOW CREATE TABLE flyway_schema_history");
        Show.execute("shop", "UPDATE flyway_schema_history SET checksum = 7 WHERE version = '1' OR type = 'SQL' AND version IS NULL");
        Show.show("valid", f.validateWithResult().invalidMigrations.stream().map(i -> i.errorDetails.errorCode).toList());
        f.repair();
        Show.show("valid", f.validateWithResult().validationSuccessful);
        f.clean();
        Show.query("database", "", "SHOW DATABASES LIKE 'shop'");
        migrate(f);
    }

    /** A migration that fails, its repair, and its second run. */
    static void failure() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        migrate(configuration("shop", "plain").load());
        Flyway broken = configuration("shop", "plain", "broken").load();
        Show.failed("broken", broken::migrate);
        history(broken);
        Show.failed("again", broken::migrate);
        tables("shop");
        Flyway mended = configuration("shop", "plain", "mended").load();
        var repaired = mended.repair();
        Show.show("repaired", List.of(repaired.migrationsRemoved.size(), repaired.migrationsAligned.size()));
        migrate(mended);
        history(mended);
    }

    /** A schema that was there before Flyway. */
    static void baseline() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        Show.execute("shop", "CREATE TABLE customer (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL)", "INSERT INTO customer (name) VALUES ('old')");
        Flyway f = configuration("shop", "plain").baselineVersion("1").baselineDescription("before Flyway").load();
        Show.failed("not empty", f::migrate);
        f.baseline();
        migrate(f);
        history(f);
        Show.query("customer", "shop", "SELECT id, name, email FROM customer");
        Flyway group = configuration("shop", "plain", "broken").group(true).table("other history").baselineOnMigrate(true).baselineVersion("1.1").load();
        Show.failed("group", group::migrate);
        history(group);
        Show.query("history", "shop", "SELECT installed_rank, version, type, success FROM flyway_schema_history ORDER BY installed_rank");
    }

    /** Several programs that start at once: one migrates, the others wait for its lock. */
    static void lock() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) all.add(threads.submit(() -> configuration("shop", "plain", "repeated").load().migrate().migrationsExecuted));
        int executed = 0;
        for (Future<Integer> f : all) executed += f.get();
        Show.show("executed", executed);
        history(configuration("shop", "plain", "repeated").load());
    }
}
