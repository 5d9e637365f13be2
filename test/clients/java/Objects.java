// SPDX-License-Identifier: Apache-2.0
//
// Hibernate: entities with generated ids, relations, versions and locks, and queries in HQL.

import jakarta.persistence.*;
import java.math.BigDecimal;
import java.time.*;
import java.util.*;
import org.hibernate.*;
import org.hibernate.cfg.Configuration;

final class Objects {
    enum Kind {SMALL, LARGE}

    @Entity(name = "Author") @jakarta.persistence.Table(indexes = @Index(name = "by_name", columnList = "name"))
    static class Author {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        @Column(nullable = false, length = 80) String name;
        boolean active = true;
        @jakarta.persistence.Version int version;
        LocalDate born;
        @OneToMany(mappedBy = "author", cascade = CascadeType.ALL, orphanRemoval = true) List<Book> books = new ArrayList<>();

        Author() {}

        Author(String name) {
            this.name = name;
        }

        Book write(String title, String price, Kind kind) {
            Book b = new Book();
            b.title = title;
            b.price = new BigDecimal(price);
            b.kind = kind;
            b.author = this;
            books.add(b);
            return b;
        }
    }

    @Entity(name = "Book") @jakarta.persistence.Table(uniqueConstraints = @UniqueConstraint(name = "by_title", columnNames = "title"))
    static class Book {
        @Id @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "book_numbers") @SequenceGenerator(name = "book_numbers", allocationSize = 10) Long id;
        String title;
        @Column(precision = 10, scale = 2) BigDecimal price;
        @Enumerated(EnumType.STRING) Kind kind;
        @Enumerated Kind other = Kind.LARGE;
        @Lob String text;
        @Lob byte[] picture;
        LocalDateTime made = LocalDateTime.of(2024, 2, 29, 12, 30, 15);
        Instant sold = Instant.parse("2024-03-01T00:00:00Z");
        LocalTime opens = LocalTime.of(8, 30);
        UUID code = new UUID(1, 2);
        double weight = 1.5;
        @ManyToOne(optional = false) Author author;
        @ManyToMany @OrderBy("word") Set<Tag> tags = new LinkedHashSet<>();
        @ElementCollection List<String> notes = new ArrayList<>();
    }

    @Entity(name = "Tag")
    static class Tag {
        @Id @GeneratedValue(strategy = GenerationType.TABLE) Integer id;
        String word;

        Tag() {}

        Tag(String word) {
            this.word = word;
        }
    }

    static SessionFactory factory(String ddl) {
        Configuration c = new Configuration().addAnnotatedClass(Author.class).addAnnotatedClass(Book.class).addAnnotatedClass(Tag.class);
        Map.of("hibernate.connection.url", Show.address("shop"), "hibernate.connection.username", "root", "hibernate.connection.password", "", "hibernate.hbm2ddl.auto", ddl,
            "hibernate.jdbc.batch_size", "5", "hibernate.order_inserts", "true", "hibernate.order_updates", "true", "hibernate.jdbc.time_zone", "UTC",
            "hibernate.hbm2ddl.halt_on_error", "true").forEach(c::setProperty);
        return c.buildSessionFactory();
    }

    interface Work {
        void run(Session s) throws Exception;
    }

    static void inside(SessionFactory f, Work work) throws Exception {
        try (Session s = f.openSession()) {
            Transaction t = s.beginTransaction();
            try {
                work.run(s);
                t.commit();
            } catch (Throwable e) {
                if (t.isActive()) t.rollback();
                throw e;
            }
        }
    }

    static SessionFactory filled() throws Exception {
        Show.execute("", "CREATE DATABASE shop");
        SessionFactory f = factory("create-only");
        inside(f, s -> {
            Author ann = new Author("Ann"), bob = new Author("Bob");
            ann.born = LocalDate.of(1970, 1, 2);
            Tag fast = new Tag("fast"), blue = new Tag("blue");
            s.persist(fast);
            s.persist(blue);
            Book first = ann.write("First", "10.50", Kind.SMALL);
            first.tags.addAll(List.of(fast, blue));
            first.text = "größe ".repeat(1000);
            first.picture = new byte[] {0, 1, (byte) 255};
            first.notes.addAll(List.of("good", "long"));
            ann.write("Second", "20", Kind.LARGE).tags.add(blue);
            for (int i = 0; i < 23; i++) bob.write("Book " + i, i + ".25", i % 2 == 0 ? Kind.SMALL : Kind.LARGE);
            s.persist(ann);
            s.persist(bob);
        });
        return f;
    }

    static void schema() throws Exception {
        filled().close();
        Show.query("table", "shop", "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 1");
        for (String table : List.of("Author", "Book", "Tag", "Book_Tag", "book_numbers")) Show.query("definition", "shop", "SHOW CREATE TABLE " + table);
        factory("validate").close();
        Show.execute("shop", "ALTER TABLE Book DROP COLUMN weight", "ALTER TABLE Author DROP INDEX by_name");
        Show.failed("validate", () -> factory("validate").close());
        factory("update").close();
        factory("validate").close();
        Show.query("weights", "shop", "SELECT count(*), count(weight) FROM Book");
        factory("create-drop").close();
        Show.query("tables left", "shop", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY 1");
    }

    static void entities() throws Exception {
        SessionFactory f = filled();
        inside(f, s -> {
            Book b = s.createQuery("from Book where title = 'First'", Book.class).getSingleResult();
            Show.show("book", List.of(b.id, b.price, b.kind, b.other, b.text.length(), Arrays.toString(b.picture), b.made, b.sold, b.opens, b.code, b.weight, b.author.name, String.valueOf(b.author.born), b.notes.size()));
            Show.show("tags", b.tags.stream().map(t -> t.word).toList());
            Show.show("ids", s.createQuery("select id from Book order by id", Long.class).list());
            Show.show("tag ids", s.createQuery("select id from Tag order by id", Integer.class).list());
            b.price = b.price.add(BigDecimal.ONE);
            b.tags.remove(b.tags.iterator().next());
            b.author.books.removeIf(other -> other.title.equals("Second"));
            s.persist(new Author("Cy"));
        });
        Show.query("prices", "shop", "SELECT title, price FROM Book WHERE author_id = 1");
        Show.query("left", "shop", "SELECT count(*) FROM Book_Tag");
        inside(f, s -> {
            s.remove(s.find(Author.class, 2L));
            Show.show("loaded", s.get(Author.class, 3L).name);
        });
        inside(f, s -> Show.show("left", List.of(s.createQuery("select count(*) from Book", Long.class).getSingleResult(), s.createQuery("from Author order by id", Author.class).list().size())));
        Show.failed("twice", () -> inside(f, s -> s.find(Author.class, 1L).write("First", "1", Kind.SMALL)));
        Show.failed("no author", () -> inside(f, s -> s.persist(new Book())));
        f.close();
    }

    static void locks() throws Exception {
        SessionFactory f = filled();
        Show.failed("stale", () -> inside(f, s -> {
            Author ann = s.find(Author.class, 1L);
            inside(f, other -> other.find(Author.class, 1L).name = "Anna");
            ann.name = "Anne";
        }));
        inside(f, s -> {
            Author ann = s.find(Author.class, 1L, LockModeType.PESSIMISTIC_WRITE);
            Show.show("held", ann.name + " " + ann.version);
            Show.failed("no wait", () -> inside(f, other -> other.find(Author.class, 1L, LockModeType.PESSIMISTIC_WRITE, Map.of("jakarta.persistence.lock.timeout", 0))));
            inside(f, other -> Show.show("skipped", other.createQuery("from Author order by id", Author.class).setLockMode(LockModeType.PESSIMISTIC_WRITE)
                .setHint("jakarta.persistence.lock.timeout", -2).list().stream().map(a -> a.name).toList()));
            ann.name = "Ann";
        });
        inside(f, s -> {
            s.find(Author.class, 1L, LockModeType.PESSIMISTIC_READ);
            inside(f, other -> Show.show("share", other.find(Author.class, 1L, LockModeType.PESSIMISTIC_READ, Map.of("jakarta.persistence.lock.timeout", 0)).name));
            s.lock(s.find(Author.class, 2L), LockModeType.OPTIMISTIC_FORCE_INCREMENT);
        });
        Show.query("versions", "shop", "SELECT name, version FROM Author");
        f.close();
    }

    static void queries() throws Exception {
        SessionFactory f = filled();
        inside(f, s -> {
            Show.show("join", s.createQuery("select b.title, t.word from Book b join b.tags t join b.author a where a.name = 'Ann' order by b.title, t.word", Object[].class).list().toArray());
            Show.show("fetch", s.createQuery("select distinct a from Author a left join fetch a.books order by a.id", Author.class).list().stream().map(a -> a.books.size()).toList());
            Show.show("groups", s.createQuery("select a.name, count(b), sum(b.price), avg(b.weight), max(b.title) from Author a join a.books b group by a.name having count(b) > 1 order by a.name",
                Object[].class).list().toArray());
            Show.show("page", s.createQuery("select title from Book where kind = :kind order by price desc, id", String.class).setParameter("kind", Kind.LARGE).setFirstResult(2).setMaxResults(3).list());
            Show.show("in", s.createQuery("select id from Book where title in :titles order by id", Long.class).setParameter("titles", List.of("First", "Book 3", "nothing")).list().size());
            Show.show("exists", s.createQuery("select a.name from Author a where exists (select 1 from Book b where b.author = a and b.price > 21) order by 1", String.class).list());
            Show.show("functions", Arrays.toString(s.createQuery("select upper(name), length(name), concat(name, '!'), coalesce(born, local date 2000-01-01), year(born), cast(id as String), substring(name, 2), "
                + "locate('n', name), extract(month from born), mod(id, 2), abs(-id), case when active then 'yes' else 'no' end from Author where id = 1", Object[].class).getSingleResult()));
            Show.show("dates", Arrays.toString(s.createQuery("select made, made + 1 day, format(made as 'yyyy-MM-dd'), extract(hour from made) from Book where title = 'First'", Object[].class).getSingleResult()));
            Show.show("member", s.createQuery("select b.title from Book b, Tag t where t.word = 'blue' and t member of b.tags order by b.title", String.class).list());
            Show.show("size", s.createQuery("select a.name, size(a.books) from Author a order by a.id", Object[].class).list().toArray());
            Show.show("window", s.createQuery("select title, rank() over (partition by kind order by price desc) from Book where author.name = 'Ann' order by title", Object[].class).list().toArray());
            Show.show("cte", s.createQuery("with dear as (select b.id as id, b.title as title from Book b where b.price > 20) select title from dear order by title", String.class).list());
            Show.show("union", s.createQuery("select name from Author union select word from Tag", String.class).list().stream().sorted().toList());
            Show.show("changed", s.createMutationQuery("update Book set price = price * 2 where kind = :k").setParameter("k", Kind.SMALL).executeUpdate());
            Show.show("versioned", s.createMutationQuery("update versioned Author set active = false where id = 2").executeUpdate());
            Show.show("inserted", s.createMutationQuery("insert into Author (name, active, version) select concat(a.name, ' II'), true, 0 from Author a").executeUpdate());
            Show.show("deleted", s.createMutationQuery("delete from Author where name like '% II'").executeUpdate());
            Show.show("native", s.createNativeQuery("SELECT {a.*} FROM Author a WHERE a.name = ?", Author.class).addEntity("a", Author.class).setParameter(1, "Bob").list().size());
            var b = s.getCriteriaBuilder();
            var q = b.createQuery(Book.class);
            var root = q.from(Book.class);
            q.select(root).where(b.and(b.like(root.get("title"), "Book 1%"), b.between(root.get("weight"), 1.0, 2.0))).orderBy(b.asc(root.get("id")));
            Show.show("criteria", s.createQuery(q).list().size());
            try (var rows = s.createQuery("from Book order by id", Book.class).setFetchSize(Integer.MIN_VALUE).scroll(ScrollMode.FORWARD_ONLY)) {
                int n = 0;
                while (rows.next()) n++;
                Show.show("scrolled", n);
            }
        });
        f.close();
    }
}
